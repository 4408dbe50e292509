import * as z from "zod";
import { row } from "./late-schema.ts";
import { AgentMessage } from "./messages.ts";
import { optional } from "./optional.ts";

/** Most sessions that one `list_sessions` answers with. */
export const MAX_LISTED_SESSIONS = 500;
/** Most messages that one `read_session` answers with. */
export const MAX_READ_MESSAGES = 1000;

/** The sessions to list: those of the working directory, or all. */
export const SessionScope = z.enum(["project", "all"]);
export type SessionScope = z.infer<typeof SessionScope>;

/** The source of a match: `name` is the session's name, `tool` the input of a tool call, `bash` a command of the user. */
export const MatchRole = z.enum(["name", "user", "assistant", "tool", "bash"]);
export type MatchRole = z.infer<typeof MatchRole>;

/** One match of a search; `text` is a line of at most 200 UTF-16 units around the first word found. */
export const SessionMatch = z.lazy(() =>
  z.object({ text: z.string(), entryId: z.string().optional(), role: MatchRole }),
);
export type SessionMatch = z.infer<typeof SessionMatch>;

/** A session file as the history shows it. Times are milliseconds since 1970. */
export const SessionSummary = z.lazy(() =>
  z.object({
    /** Absolute. */
    path: z.string(),
    id: z.string().optional(),
    /** One line of at most 200 UTF-16 units. */
    name: z.string().optional(),
    /** The first message, as one line of at most 200 UTF-16 units. */
    firstMessage: z.string().optional(),
    createdAt: z.int().optional(),
    modifiedAt: z.int(),
    /** The messages of user and model, on all branches. */
    messageCount: z.int().optional(),
    sizeBytes: z.int(),
    cwd: z.string().optional(),
    /** As `provider/modelId`: the one that was chosen or that answered last. */
    model: z.string().optional(),
    parentSession: z.string().optional(),
    /** It is the session of the agent that answers. */
    isOpen: z.boolean(),
    /** Another agent writes it. */
    isLocked: z.boolean(),
    /** Why the file cannot be read as a session. */
    problem: z.string().optional(),
    match: SessionMatch.optional(),
  }),
);
export type SessionSummary = z.infer<typeof SessionSummary>;

const sessionPath = z.string();

/** The commands about sessions on disk, as rows of the table of commands. */
export const historyCommands = {
  list_sessions: row(() => ({
    params: z.object({
      query: optional(z.string()),
      scope: optional(SessionScope),
      limit: optional(z.int().min(1).max(MAX_LISTED_SESSIONS)),
      cursor: optional(z.string()),
    }),
    result: z.object({
      sessions: z.array(SessionSummary),
      nextCursor: z.string().optional(),
      total: z.int(),
      isSuperseded: z.boolean().optional(),
    }),
  })),
  read_session: row(() => ({
    params: z.object({ sessionPath, limit: optional(z.int().min(1).max(MAX_READ_MESSAGES)) }),
    result: z.object({
      path: z.string(),
      id: z.string(),
      cwd: z.string(),
      name: z.string().optional(),
      createdAt: z.int().optional(),
      parentSession: z.string().optional(),
      messages: z.array(AgentMessage),
      hasMore: z.boolean(),
    }),
  })),
  rename_session: row(() => ({ params: z.object({ sessionPath, name: z.string() }), result: z.undefined() })),
  delete_session: row(() => ({ params: z.object({ sessionPath }), result: z.object({ trashId: z.string() }) })),
  restore_session: row(() => ({
    params: z.object({ trashId: z.string() }),
    result: z.object({ sessionPath: z.string() }),
  })),
} as const;
