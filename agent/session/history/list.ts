import * as z from "zod";
import { AgentError } from "../../protocol/errors.ts";
import type { SessionMatch, SessionScope, SessionSummary } from "../../protocol/history.ts";
import { readSessionHeader, realPath } from "../locate.ts";
import { isSessionLocked } from "../lock.ts";
import { foldersOf, type HistoryPlace, isShared } from "./places.ts";
import { searchFile } from "./search.ts";
import { compareFiles, findSessionFiles, type SessionFileInfo } from "./session-files.ts";
import type { Slices } from "./slices.ts";
import { Summaries } from "./summaries.ts";

/** The request for a list. */
export interface ListRequest {
  words: readonly string[];
  scope: SessionScope;
  limit: number;
  cursor: string | undefined;
  /** The path of this agent's session, from `canonicalPath`. */
  openFile: string | undefined;
}

/** A part of the list; `total` counts the whole list. */
export interface SessionPage {
  sessions: SessionSummary[];
  nextCursor?: string;
  total: number;
}

const Cursor = z.tuple([z.number(), z.string()]);

/** Lists the sessions that are on disk at that moment. */
export class SessionList {
  readonly #place: HistoryPlace;
  readonly #summaries = new Summaries();
  readonly #searches = new RememberedSearch();

  constructor(place: HistoryPlace) {
    this.#place = place;
  }

  /** @throws AgentError invalid_request for a cursor that no list gave; the reason of the slices' signal once it is aborted. */
  async page({ words, scope, limit, cursor, openFile }: ListRequest, slices: Slices): Promise<SessionPage> {
    const behind = cursor === undefined ? undefined : readCursor(cursor);
    const found = await this.#searches.filter(await this.#files(scope, slices), words, slices);
    const from = behind === undefined ? 0 : found.findIndex(({ file }) => compareFiles(file, behind) > 0);
    const chosen = from === -1 ? [] : found.slice(from, from + limit);
    const sessions: SessionSummary[] = [];
    for (const { file, match } of chosen) {
      sessions.push(await this.#summary(file, match, openFile, slices));
      await slices.rest();
    }
    const last = chosen.at(-1)?.file;
    const hasMore = last !== undefined && from + chosen.length < found.length;
    return { sessions, total: found.length, ...(hasMore ? { nextCursor: cursorBehind(last) } : {}) };
  }

  async #files(scope: SessionScope, slices: Slices): Promise<SessionFileInfo[]> {
    const files = await findSessionFiles(foldersOf(this.#place, scope), slices);
    if (scope === "all" || !isShared(this.#place)) return files;
    const isHere = createCwdFilter(this.#place.cwd);
    const ours: SessionFileInfo[] = [];
    for (const file of files) {
      if (isHere(file)) ours.push(file);
      await slices.rest();
    }
    return ours;
  }

  async #summary(
    file: SessionFileInfo,
    match: SessionMatch | undefined,
    openFile: string | undefined,
    slices: Slices,
  ): Promise<SessionSummary> {
    return {
      path: file.path,
      ...(await this.#summaries.of(file, slices)),
      modifiedAt: Math.trunc(file.modifiedMs),
      sizeBytes: file.sizeBytes,
      isOpen: file.realPath === openFile,
      isLocked: file.hasLock && isSessionLocked(file.path),
      ...(match === undefined ? {} : { match }),
    };
  }
}

/** Finds the files of a working directory. Files that are not sessions belong to no directory, so every list has them. */
function createCwdFilter(cwd: string): (file: SessionFileInfo) => boolean {
  const here = realPath(cwd);
  const isHere = new Map<string, boolean>();
  return ({ path, problem }) => {
    const header = problem === undefined ? readSessionHeader(path) : undefined;
    if (header === undefined) return true;
    const known = isHere.get(header.cwd) ?? realPath(header.cwd) === here;
    isHere.set(header.cwd, known);
    return known;
  };
}

function cursorBehind({ modifiedMs, path }: Found["file"]): string {
  return Buffer.from(JSON.stringify([modifiedMs, path])).toString("base64url");
}

function readCursor(cursor: string): Pick<SessionFileInfo, "modifiedMs" | "path"> {
  try {
    const [modifiedMs, path] = Cursor.parse(JSON.parse(Buffer.from(cursor, "base64url").toString()));
    return { modifiedMs, path };
  } catch (error) {
    throw new AgentError("invalid_request", 'list_sessions: "cursor" must be the nextCursor of an earlier answer', {
      cause: error,
    });
  }
}

/** A session that matches, and the place of the match. */
interface Found {
  file: SessionFileInfo;
  match: SessionMatch | undefined;
}

/** Searches, and keeps the result of the last search: its next page reads only files that have changed. */
class RememberedSearch {
  #key = "";
  #results = new Map<string, { stamp: string; match: SessionMatch | undefined }>();

  /**
   * Returns the files in which every word occurs, in the given order; without words, all files.
   * @throws the reason of the slices' signal once it is aborted.
   */
  async filter(files: readonly SessionFileInfo[], words: readonly string[], slices: Slices): Promise<Found[]> {
    if (words.length === 0) return files.map((file) => ({ file, match: undefined }));
    const results = this.#resultsOf(words);
    const found: Found[] = [];
    for (const file of files) {
      const before = results.get(file.path);
      const match = before?.stamp === file.stamp ? before.match : await search(file, words, slices);
      results.set(file.path, { stamp: file.stamp, match });
      if (match !== undefined) found.push({ file, match });
      await slices.rest();
    }
    return found;
  }

  #resultsOf(words: readonly string[]) {
    const key = JSON.stringify(words);
    if (key !== this.#key) this.#results = new Map();
    this.#key = key;
    return this.#results;
  }
}

async function search(file: SessionFileInfo, words: readonly string[], slices: Slices) {
  if (file.problem !== undefined) return undefined;
  try {
    return await searchFile(file, words, slices);
  } catch (error) {
    if (slices.isOver) throw error;
    return undefined; // gone, or not ours to read: a list without words says so
  }
}
