import { statSync, utimesSync } from "node:fs";
import { AgentError } from "../../protocol/errors.ts";
import { entryId } from "../../util/ids.ts";
import { oneLine } from "../../util/one-line.ts";
import { Conversation } from "../conversation.ts";
import { rescue } from "../kept-copies.ts";
import { loadSessionFile } from "../load.ts";
import { lockSession } from "../lock.ts";
import { SessionFile } from "../store.ts";
import { readIndex, type SessionIndex } from "./session-index.ts";
import type { Slices } from "./slices.ts";

/**
 * Names a session that no agent has open. It keeps its place in the list, because the file keeps its modification time.
 * @param path a session file as `listedSession` gives it.
 * @throws AgentError session_locked while another process writes it, busy when it changes meanwhile, session_corrupt when it isn't a session,
 * invalid_request without a name.
 */
export async function renameSession(path: string, name: string, slices: Slices): Promise<void> {
  const clean = oneLine(name);
  if (clean === "") throw new AgentError("invalid_request", "Session name cannot be empty");
  const lock = lockSession(path);
  try {
    const before = statSync(path);
    const index = await readIndex(path, slices);
    if (statSync(path).size !== before.size) {
      throw new AgentError("busy", "The session changed in the meantime. Rename it again.");
    }
    if (index.entries === undefined) renameOld(path, clean);
    else append(path, index, clean);
    utimesSync(path, before.atime, before.mtime);
  } finally {
    lock.release();
  }
}

function append(path: string, index: SessionIndex, name: string): void {
  const id = entryId((candidate) => index.entries.has(candidate));
  const file = SessionFile.reopen(path, rescue(path, index, []).end);
  try {
    file.append({ type: "session_info", name, id, parentId: index.leafId, timestamp: new Date().toISOString() });
  } finally {
    file.close();
  }
}

/** Updates a file of an older version, as opening it does, and names it. */
function renameOld(path: string, name: string): void {
  const loaded = loadSessionFile(path);
  if (loaded === undefined) throw new AgentError("not_found", `No session found matching '${path}'`);
  let failure: unknown;
  const onWriteError = (error: unknown) => {
    failure = error;
  };
  const conversation = Conversation.resume({ cwd: loaded.header.cwd, file: path, onWriteError }, loaded);
  conversation.setName(name);
  conversation.close();
  if (failure !== undefined) throw failure;
}
