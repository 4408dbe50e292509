import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { AgentError } from "../protocol/errors.ts";

/**
 * Opens a session file only if it is a regular one: opening a pipe would block, and a device may have no end.
 * @throws AgentError session_corrupt for anything else, or an error of the file system.
 */
export function openRegular(path: string): number {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw notASession(path);
}

/** Returns the error for a path that isn't a session. */
export function notASession(path: string): AgentError {
  return new AgentError("session_corrupt", `Session file is not a valid tiller session: ${path}`);
}
