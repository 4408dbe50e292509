import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import { changesFile } from "../../changes/changes-file.ts";
import { AgentError } from "../../protocol/errors.ts";
import { uuidv7 } from "../../util/ids.ts";
import { keptCopies } from "../kept-copies.ts";
import { SESSION_EXTENSION } from "./session-files.ts";

const KEPT_MS = 30 * 24 * 60 * 60 * 1000;
const INFO_EXTENSION = ".json";
const TRASH_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The record of a file in the trash. Times are milliseconds since 1970. */
const TrashInfo = z.object({ sessionPath: z.string().endsWith(SESSION_EXTENSION), deletedAt: z.number() });
type TrashInfo = z.infer<typeof TrashInfo>;

/**
 * The folder for deleted sessions: each is a file, with a second file that records its former path, and the copies from
 * when it was damaged.
 */
export class Trash {
  readonly #folder: string;
  readonly #now: () => number;

  constructor(agentDir: string, now: () => number = Date.now) {
    this.#folder = join(agentDir, "trash", "sessions");
    this.#now = now;
  }

  /**
   * Moves a file here, and removes files that were moved here more than 30 days ago. @returns the id for restoring it.
   */
  take(sessionPath: string): string {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#removeOld();
    const id = uuidv7(this.#now());
    const info: TrashInfo = { sessionPath, deletedAt: this.#now() };
    writeFileSync(this.#infoPath(id), `${JSON.stringify(info)}\n`, { mode: 0o600, flag: "wx" });
    try {
      move(sessionPath, this.#filePath(id));
    } catch (error) {
      rmSync(this.#infoPath(id), { force: true });
      throw error;
    }
    moveCopies(sessionPath, this.#filePath(id));
    return id;
  }

  /**
   * Returns the former path of a deleted session.
   * @throws AgentError not_found when there is none with this id.
   */
  originOf(id: string): string {
    const info = TRASH_ID.test(id) ? this.#info(id) : undefined;
    const stats = info === undefined ? undefined : lstatSync(this.#filePath(id), { throwIfNoEntry: false });
    if (info === undefined || stats?.isFile() !== true) {
      throw new AgentError("not_found", `No deleted session "${id}".`);
    }
    return info.sessionPath;
  }

  /**
   * Puts a session back.
   * @param sessionPath as `originOf` gave it.
   * @throws AgentError invalid_request when another file is there.
   */
  giveBack(id: string, sessionPath: string): void {
    mkdirSync(dirname(sessionPath), { recursive: true, mode: 0o700 });
    try {
      moveNew(this.#filePath(id), sessionPath);
    } catch (error) {
      if (!hasCode(error, "EEXIST")) throw error;
      throw new AgentError("invalid_request", `A file already exists at ${sessionPath}. Move it, and try again.`);
    }
    moveCopies(this.#filePath(id), sessionPath);
    rmSync(this.#infoPath(id), { force: true });
  }

  #removeOld(): void {
    for (const name of readdirSync(this.#folder)) {
      const id = name.slice(0, -INFO_EXTENSION.length);
      if (!name.endsWith(INFO_EXTENSION) || !TRASH_ID.test(id)) continue;
      const info = this.#info(id);
      if (info === undefined || this.#now() - info.deletedAt <= KEPT_MS) continue;
      const file = this.#filePath(id);
      for (const path of [file, changesFile(file), ...keptCopies(file)]) rmSync(path, { force: true });
      rmSync(this.#infoPath(id), { force: true });
    }
  }

  #info(id: string): TrashInfo | undefined {
    try {
      return TrashInfo.parse(JSON.parse(readFileSync(this.#infoPath(id), "utf8")));
    } catch {
      return undefined; // not there, or not written by us: nothing can be said of the file beside it
    }
  }

  #filePath(id: string): string {
    return join(this.#folder, `${id}${SESSION_EXTENSION}`);
  }

  #infoPath(id: string): string {
    return join(this.#folder, `${id}${INFO_EXTENSION}`);
  }
}

function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!hasCode(error, "EXDEV")) throw error;
    copyNew(from, to);
  }
}

/** Moves the copies of a damaged session, and the record of its changes, together with it. */
function moveCopies(from: string, to: string): void {
  for (const copy of keptCopies(from)) move(copy, `${to}${copy.slice(from.length)}`);
  if (existsSync(changesFile(from))) move(changesFile(from), changesFile(to));
}

/** Moves a file to a path that doesn't exist. @throws with the code EEXIST when it does. */
function moveNew(from: string, to: string): void {
  try {
    linkSync(from, to);
    rmSync(from);
  } catch (error) {
    if (hasCode(error, "EEXIST")) throw error;
    copyNew(from, to); // another disk, or one that knows no links
  }
}

function copyNew(from: string, to: string): void {
  const { atime, mtime } = lstatSync(from);
  copyFileSync(from, to, constants.COPYFILE_EXCL);
  utimesSync(to, atime, mtime);
  rmSync(from);
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
