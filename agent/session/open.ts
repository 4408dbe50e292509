import type { SessionChoice } from "../config/options.ts";
import { expandPath } from "../config/paths.ts";
import { AgentError } from "../protocol/errors.ts";
import { uuidv7 } from "../util/ids.ts";
import { Conversation } from "./conversation.ts";
import { loadSessionFile } from "./load.ts";
import { findSession, mostRecentSession, newSessionPath } from "./locate.ts";

/** Where sessions of this process live. */
export interface SessionPlace {
  cwd: string;
  folder: string;
  onWriteError(error: unknown): void;
  warn(message: string): void;
}

/** An empty conversation in a file of its own; nothing is on disk before the first user message. */
export function newConversation(
  place: SessionPlace,
  options: { id?: string; parentSession?: string | undefined } = {},
): Conversation {
  const id = options.id ?? uuidv7();
  return Conversation.create({
    cwd: place.cwd,
    file: newSessionPath(place.folder, id, new Date()),
    id,
    parentSession: options.parentSession,
    onWriteError: place.onWriteError,
  });
}

/** An empty conversation that is kept nowhere. */
export function memoryConversation(place: SessionPlace, parentSession?: string | undefined): Conversation {
  return Conversation.create({ cwd: place.cwd, file: undefined, parentSession, onWriteError: place.onWriteError });
}

/**
 * Opens the session that the command line asks for.
 * @throws AgentError not_found when no session matches, session_corrupt when the file is something else.
 */
export function openConversation(choice: SessionChoice, place: SessionPlace): Conversation {
  switch (choice.kind) {
    case "new":
      return newConversation(place);
    case "memory":
      return memoryConversation(place);
    case "continue": {
      const path = mostRecentSession(place.folder, place.cwd);
      return path === undefined ? newConversation(place) : conversationAt(path, place);
    }
    case "id": {
      const path = findSession(choice.id, place.folder, place.cwd, "exact");
      return path === undefined ? newConversation(place, { id: choice.id }) : conversationAt(path, place);
    }
    case "open": {
      const path = findSession(choice.pathOrId, place.folder, place.cwd, "prefix");
      if (path === undefined) throw new AgentError("not_found", `No session found matching '${choice.pathOrId}'`);
      return conversationAt(path, place);
    }
  }
}

/** Opens a session file; one that is empty or not there begins a session at that path. */
export function conversationAt(path: string, place: SessionPlace): Conversation {
  const file = expandPath(path, place.cwd);
  const options = { cwd: place.cwd, file, onWriteError: place.onWriteError };
  const loaded = loadSessionFile(file);
  if (loaded === undefined) return Conversation.create(options);
  if (loaded.skippedLines > 0) place.warn(`${file}: ${loaded.skippedLines} unreadable lines were passed over.`);
  return Conversation.resume(options, loaded);
}
