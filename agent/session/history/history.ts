import { existsSync } from "node:fs";
import { expandPath } from "../../config/paths.ts";
import type { CommandParams, CommandResult } from "../../protocol/commands.ts";
import { AgentError } from "../../protocol/errors.ts";
import { isLockedHere, lockSession } from "../lock.ts";
import { SessionList } from "./list.ts";
import { canonicalPath, foldersOf, type HistoryPlace, listedSession } from "./places.ts";
import { readPreview } from "./preview.ts";
import { renameSession } from "./rename.ts";
import { wordsOf } from "./search.ts";
import { findSessionFiles } from "./session-files.ts";
import { Slices } from "./slices.ts";
import { Trash } from "./trash.ts";
import { UsageReport } from "./usage-report.ts";

const LISTED = 50;
const READ_MESSAGES = 200;
const USAGE_DAYS = 30;

/** The reason why a search ends early: a newer search replaces it. */
class Superseded extends Error {}

/** The agent that the history belongs to. */
export interface HistoryOwner {
  place: HistoryPlace;
  /** Returns the path of the open session; undefined when it is only in memory. */
  openFile(): string | undefined;
  /** Aborts when results are no longer needed. */
  signal: AbortSignal;
}

/** Lists, searches, reads, renames, deletes, and restores the sessions on disk. A list shows the files at that moment. */
export class History {
  readonly #owner: HistoryOwner;
  readonly #list: SessionList;
  readonly #trash: Trash;
  readonly #now: () => number;
  #search: { words: string; controller: AbortController } | undefined;

  constructor(owner: HistoryOwner, now: () => number = Date.now) {
    this.#owner = owner;
    this.#now = now;
    this.#list = new SessionList(owner.place);
    this.#trash = new Trash(owner.place.agentDir, now);
  }

  /**
   * Lists sessions. A call with other words ends a running search, whose result is then superseded.
   * @throws AgentError invalid_request for a cursor that no list gave.
   */
  async list(request: Partial<CommandParams<"list_sessions">>): Promise<CommandResult<"list_sessions">> {
    const words = wordsOf(request.query);
    const { scope = "project", limit = LISTED, cursor } = request;
    const openFile = this.#openFile();
    const slices = new Slices(this.#signalFor(words));
    try {
      return await this.#list.page({ words, scope, limit, cursor, openFile }, slices);
    } catch (error) {
      if (error instanceof Superseded) return { sessions: [], total: 0, isSuperseded: true };
      throw error;
    }
  }

  /** @throws AgentError not_found or session_corrupt. */
  async read(request: { sessionPath: string; limit?: number | undefined }): Promise<CommandResult<"read_session">> {
    const { sessionPath, limit = READ_MESSAGES } = request;
    const path = expandPath(sessionPath, this.#owner.place.cwd);
    if (!existsSync(path)) throw new AgentError("not_found", `No session found matching '${sessionPath}'`);
    return readPreview(path, limit, new Slices(this.#owner.signal));
  }

  /** Adds up what all sessions on disk have used on the last days, today included. */
  async usage(days = USAGE_DAYS): Promise<CommandResult<"get_usage">> {
    const slices = new Slices(this.#owner.signal);
    const midnight = new Date(this.#now());
    midnight.setHours(0, 0, 0, 0);
    midnight.setDate(midnight.getDate() - days + 1);
    const report = new UsageReport(midnight.getTime());
    for (const file of await findSessionFiles(foldersOf(this.#owner.place, "all"), slices)) {
      await report.add(file, slices);
      await slices.rest();
    }
    return report.result;
  }

  /** True if a path means the session that is open. */
  isOpen(sessionPath: string): boolean {
    return canonicalPath(expandPath(sessionPath, this.#owner.place.cwd)) === this.#openFile();
  }

  /**
   * Names a session that is not the open one.
   * @throws AgentError not_found, invalid_request, session_locked, session_corrupt or busy.
   */
  async rename({ sessionPath, name }: CommandParams<"rename_session">): Promise<void> {
    await renameSession(this.#closedSession(sessionPath), name, new Slices(this.#owner.signal));
  }

  /**
   * Moves a session to the trash.
   * @throws AgentError not_found, invalid_request, session_locked or, when it is open, busy.
   */
  remove({ sessionPath }: CommandParams<"delete_session">): CommandResult<"delete_session"> {
    const path = this.#closedSession(sessionPath);
    const lock = lockSession(path);
    try {
      return { trashId: this.#trash.take(path) };
    } finally {
      lock.release();
    }
  }

  /** Puts a deleted session back where it was. @throws AgentError not_found or invalid_request. */
  restore({ trashId }: CommandParams<"restore_session">): CommandResult<"restore_session"> {
    const sessionPath = this.#trash.originOf(trashId);
    this.#trash.giveBack(trashId, sessionPath);
    return { sessionPath };
  }

  /** Returns a session file that this process doesn't write to. */
  #closedSession(sessionPath: string): string {
    const path = listedSession(this.#owner.place, sessionPath);
    if (path !== this.#openFile() && !isLockedHere(path)) return path;
    throw new AgentError("busy", `The session is open: ${sessionPath}. Open another session first.`);
  }

  #openFile(): string | undefined {
    const path = this.#owner.openFile();
    return path === undefined ? undefined : canonicalPath(path);
  }

  #signalFor(words: readonly string[]): AbortSignal {
    const key = words.join(" ");
    if (this.#search !== undefined && this.#search.words !== key) {
      this.#search.controller.abort(new Superseded("Another search has begun."));
      this.#search = undefined;
    }
    if (words.length === 0) return this.#owner.signal;
    this.#search ??= { words: key, controller: new AbortController() };
    return AbortSignal.any([this.#owner.signal, this.#search.controller.signal]);
  }
}
