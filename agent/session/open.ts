import type { SessionChoice } from "../config/options.ts";
import { expandPath } from "../config/paths.ts";
import { AgentError, errorMessage } from "../protocol/errors.ts";
import { uuidv7 } from "../util/ids.ts";
import { Conversation } from "./conversation.ts";
import { checkSessionFile, loadSessionFile, readSession } from "./load.ts";
import { findSession, mostRecentSession, newSessionPath } from "./locate.ts";
import { isSessionLocked, lockSession } from "./lock.ts";

/** The locations of this process's sessions. */
export interface SessionPlace {
  cwd: string;
  folder: string;
  onWriteError(error: unknown): void;
  warn(message: string): void;
}

/** A session that doesn't exist yet. */
export interface SessionPlan {
  id: string;
  /** Absolute path; undefined keeps it in memory. */
  file: string | undefined;
}

/** Creates and opens the sessions of this process. */
export interface Sessions {
  /** Absolute path of the folder for new sessions. */
  readonly folder: string;
  /** Returns the location of a new session, or of a copy of `source`. */
  plan(source?: Conversation): SessionPlan;
  /** Returns an empty conversation, which isn't written before the first user message. */
  empty(options?: { id?: string; plan?: SessionPlan; parentSession?: string | undefined }): Conversation;
  /** Returns a conversation that begins with the path of another one up to `leafId`. */
  copy(source: Conversation, leafId: string | null, plan?: SessionPlan): Conversation;
  /**
   * Writes a conversation in memory to a new file in the folder, and later entries too. @returns the file's absolute
   * path.
   * @throws AgentError invalid_request when it cannot be written; it stays in memory then.
   */
  keep(conversation: Conversation): string;
  /**
   * Opens a session file. If it is empty or doesn't exist, a new session begins at that path.
   * @throws AgentError session_corrupt or session_locked.
   */
  open(path: string): Conversation;
  /**
   * Reads a session file without opening it for writing.
   * @throws AgentError not_found or session_corrupt.
   */
  view(path: string): Conversation;
  /** @returns the absolute path. @throws AgentError as `open` would, without opening anything. */
  check(path: string): string;
}

/** @param isKept whether new sessions are written to files; a copy of a session in a file always is. */
export function createSessions(place: SessionPlace, isKept: boolean): Sessions {
  const planned = (id: string, hasFile: boolean): SessionPlan => ({
    id,
    file: hasFile ? newSessionPath(place.folder, id, new Date()) : undefined,
  });
  const plan = (source?: Conversation) => planned(uuidv7(), source === undefined ? isKept : source.file !== undefined);
  const options = ({ id, file }: SessionPlan, parentSession: string | undefined) => ({
    cwd: place.cwd,
    file,
    id,
    parentSession,
    onWriteError: place.onWriteError,
  });
  return {
    folder: place.folder,
    plan,
    empty: ({ id = uuidv7(), plan = planned(id, isKept), parentSession } = {}) =>
      Conversation.create(options(plan, parentSession)),
    copy: (source, leafId, to = plan(source)) => Conversation.copyOf(source, leafId, options(to, source.file)),
    keep(conversation) {
      const file = newSessionPath(place.folder, conversation.id, new Date());
      try {
        conversation.keepIn(file);
      } catch (error) {
        throw new AgentError("invalid_request", `Couldn't write the session to ${file}: ${errorMessage(error)}`, {
          cause: error,
        });
      }
      return file;
    },
    open: (path) => conversationAt(path, place),
    view(path) {
      const file = expandPath(path, place.cwd);
      const loaded = reading(file, () => readSession(file));
      if (loaded === undefined) throw new AgentError("not_found", `No session found matching '${path}'`);
      return Conversation.view({ cwd: place.cwd, file, onWriteError: place.onWriteError }, loaded);
    },
    check(path) {
      const file = expandPath(path, place.cwd);
      reading(file, () => checkSessionFile(file));
      if (isSessionLocked(file)) lockSession(file).release();
      return file;
    },
  };
}

/**
 * Opens the session that the command line asks for.
 * @throws AgentError not_found when no session matches, session_corrupt when the file is something else, session_locked while
 * another process writes it.
 */
export function openConversation(
  choice: SessionChoice,
  sessions: Sessions,
  { folder, cwd }: SessionPlace,
): Conversation {
  switch (choice.kind) {
    case "new":
    case "memory":
      return sessions.empty();
    case "continue": {
      const path = mostRecentSession(folder, cwd);
      return path === undefined ? sessions.empty() : sessions.open(path);
    }
    case "id": {
      const path = findSession(choice.id, folder, cwd, "exact");
      return path === undefined ? sessions.empty({ id: choice.id }) : sessions.open(path);
    }
    case "fork": {
      const source = sessions.view(findSession(choice.pathOrId, folder, cwd, "prefix") ?? choice.pathOrId);
      return sessions.copy(source, source.leafId);
    }
    case "open": {
      const path = findSession(choice.pathOrId, folder, cwd, "prefix");
      if (path === undefined) throw new AgentError("not_found", `No session found matching '${choice.pathOrId}'`);
      return sessions.open(path);
    }
  }
}

function conversationAt(path: string, place: SessionPlace): Conversation {
  const file = expandPath(path, place.cwd);
  return reading(file, () => openFile(file, place));
}

/**
 * Runs work that reads a session file. @throws AgentError start_failed, which names the file, for errors of the file
 * system.
 */
function reading<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof AgentError) throw error;
    throw new AgentError("start_failed", `Couldn't open the session file: ${file}: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

function openFile(file: string, place: SessionPlace): Conversation {
  const options = { cwd: place.cwd, file, onWriteError: place.onWriteError };
  const loaded = loadSessionFile(file);
  if (loaded === undefined) return Conversation.create(options);
  if (loaded.lostLines > 0) place.warn(`${file}: ${loaded.lostLines} unreadable lines skipped.`);
  return Conversation.resume(options, loaded);
}
