import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { expandPath } from "../../config/paths.ts";
import { AgentError } from "../../protocol/errors.ts";
import type { SessionScope } from "../../protocol/history.ts";
import { sessionFolder } from "../locate.ts";
import { existingFolders, foldersIn, SESSION_EXTENSION, type SessionFolder } from "./session-files.ts";

/** The directories of sessions. */
export interface HistoryPlace {
  agentDir: string;
  cwd: string;
  /** The folder for new sessions. */
  folder: string;
}

/** True if the folder also contains sessions of other working directories, because the user selected it. */
export function isShared({ agentDir, cwd, folder }: HistoryPlace): boolean {
  return resolve(folder) !== resolve(sessionFolder({ agentDir, cwd, sessionDir: undefined }));
}

/** Returns the folders with sessions, the current one first. */
export function foldersOf({ agentDir, folder }: HistoryPlace, scope: SessionScope): SessionFolder[] {
  if (scope === "project") return existingFolders([folder]);
  const all = join(agentDir, "sessions");
  return existingFolders([folder, all, ...foldersIn(all)]);
}

/** Returns a path with the links in its folder resolved; the file itself may be a link, or may not exist. */
export function canonicalPath(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return resolve(path); // no such folder: its name is all there is to compare
  }
}

/**
 * Returns the session file that a host means, if lists contain it: a regular file, not a link, directly in a folder of
 * sessions.
 * @throws AgentError not_found or invalid_request.
 */
export function listedSession(place: HistoryPlace, sessionPath: string): string {
  const path = canonicalPath(expandPath(sessionPath, place.cwd));
  const isListed = foldersOf(place, "all").some(({ realPath }) => realPath === dirname(path));
  if (!isListed || !path.endsWith(SESSION_EXTENSION) || path.includes("\0")) {
    throw new AgentError("invalid_request", `Not in a folder of sessions: ${sessionPath}`);
  }
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new AgentError("not_found", `No session found matching '${sessionPath}'`);
  if (!stats.isFile()) throw new AgentError("invalid_request", `Not a regular file: ${sessionPath}`);
  return path;
}
