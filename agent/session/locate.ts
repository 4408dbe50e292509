import { closeSync, fstatSync, openSync, readdirSync, readSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { expandPath, sessionFolderName } from "../config/paths.ts";
import type { SessionHeader } from "../protocol/session-entries.ts";
import { judgeStart, standInHeader } from "./damaged-lines.ts";
import { isSessionLocked } from "./lock.ts";

const EXTENSION = ".jsonl";
const HEADER_BYTES = 64 * 1024;

interface FolderOptions {
  agentDir: string;
  cwd: string;
  /** A folder that the user chose, for the sessions of all working directories. */
  sessionDir: string | undefined;
}

/** Returns the folder for sessions of this working directory. */
export function sessionFolder({ agentDir, cwd, sessionDir }: FolderOptions): string {
  return sessionDir === undefined ? join(agentDir, "sessions", sessionFolderName(cwd)) : expandPath(sessionDir, cwd);
}

/** A path for a session that begins at `startedAt`. */
export function newSessionPath(folder: string, id: string, startedAt: Date): string {
  return join(folder, `${startedAt.toISOString().replace(/[:.]/g, "-")}_${id}${EXTENSION}`);
}

/** Returns the latest session of `cwd` in `folder`, if there is one. @param isWanted by default, no other process may write to it. */
export function mostRecentSession(
  folder: string,
  cwd: string,
  isWanted = (path: string) => !isSessionLocked(path),
): string | undefined {
  const files = sessionFiles(folder)
    .map((path) => ({ path, changedAt: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.changedAt - a.changedAt);
  return files.find(({ path }) => isSessionOf(path, cwd) && isWanted(path))?.path;
}

/**
 * Finds the session that a person means: a path (to a file that may not exist yet), or an id.
 * @param match whether the beginning of an id is enough.
 * @returns undefined when nothing matches.
 */
export function findSession(
  pathOrId: string,
  folder: string,
  cwd: string,
  match: "exact" | "prefix",
): string | undefined {
  if (pathOrId.includes("/") || pathOrId.includes("\\") || pathOrId.endsWith(EXTENSION))
    return expandPath(pathOrId, cwd);
  const isMeant = (id: string | undefined) => (match === "exact" ? id === pathOrId : id?.startsWith(pathOrId) === true);
  return sessionFiles(folder)
    .sort()
    .findLast((path) => isMeant(readSessionHeader(path)?.id));
}

/**
 * Reads a session file's header, or makes one if it was lost. @returns undefined when it cannot be read as a session.
 */
export function readSessionHeader(path: string): SessionHeader | undefined {
  try {
    if (!statSync(path).isFile()) return undefined; // opening a pipe would wait for somebody at its other end
    const fd = openSync(path, "r");
    try {
      const head = Buffer.alloc(Math.min(fstatSync(fd).size, HEADER_BYTES));
      return headerIn(head.toString("utf8", 0, readSync(fd, head, 0, head.length, 0)), path);
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined; // not a session, or gone meanwhile: the caller looks at the next one
  }
}

function headerIn(text: string, path: string): SessionHeader | undefined {
  for (let from = 0, damagedBefore = 0; from < text.length; ) {
    const lf = text.indexOf("\n", from);
    const end = lf === -1 ? text.length : lf;
    const line = text.slice(from, end);
    from = end + 1;
    if (line.trim() === "") continue;
    // The last line may be incomplete here.
    const start = judgeStart(line, { isWhole: lf !== -1 || text.length < HEADER_BYTES, damagedBefore });
    if (start.kind === "header") return start.header;
    if (start.kind === "entry") return standInHeader(path);
    if (start.kind === "foreign") return undefined;
    damagedBefore++;
  }
  return undefined;
}

function sessionFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(EXTENSION))
      .map((name) => join(folder, name));
  } catch {
    return []; // no folder yet means no sessions yet
  }
}

function isSessionOf(path: string, cwd: string): boolean {
  const header = readSessionHeader(path);
  return header !== undefined && realPath(header.cwd) === realPath(cwd);
}

/** Returns a path with all links resolved, or unchanged if it doesn't exist. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path); // the folder is gone: its name is all there is to compare
  }
}
