import * as z from "zod";
import { row } from "./late-schema.ts";
import { optional } from "./optional.ts";

/** Most paths that one `changes_update` names. */
export const MAX_TOLD_PATHS = 200;

/** A part of the recorded changes: all that is not judged yet, or those of a tool call, or from a message of the user until the next one. */
const selection = { toolCallId: optional(z.string()), entryId: optional(z.string()) };

/** A file that the agent has changed. */
export const FileChange = z.lazy(() =>
  z.object({
    /** Absolute. */
    path: z.string(),
    kind: z.enum(["created", "deleted", "modified"]),
    /** The earlier path of a file that was renamed. */
    renamedFrom: z.string().optional(),
    added: z.int(),
    removed: z.int(),
    /** True for a file that has no lines to show, such as an image. */
    isBinary: z.boolean().optional(),
    /** Permissions that have changed. */
    mode: z.object({ before: z.int(), after: z.int() }).optional(),
    /** Git ignores it. */
    isIgnored: z.boolean().optional(),
    /** It was changed since by somebody else. */
    isChangedSince: z.boolean().optional(),
    toolCallIds: z.array(z.string()),
  }),
);
export type FileChange = z.infer<typeof FileChange>;

/** What stands at a path: nothing, a text, a link, or something that cannot be shown, such as bytes that are no text. */
export const ShownContent = z.lazy(() =>
  z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("none") }),
    z.object({ kind: z.literal("text"), text: z.string(), mode: z.int().optional() }),
    z.object({ kind: z.literal("link"), target: z.string() }),
    z.object({ kind: z.literal("binary"), sizeBytes: z.int(), mode: z.int().optional() }),
    z.object({ kind: z.literal("unknown"), reason: z.enum(["tooLarge", "notSeen", "unreadable", "deleted"]) }),
  ]),
);
export type ShownContent = z.infer<typeof ShownContent>;

/** One range of lines that differ. Lines count from 1 and keep their line ends. */
export const ChangeHunk = z.lazy(() =>
  z.object({
    id: z.string(),
    beforeLine: z.int(),
    before: z.array(z.string()),
    afterLine: z.int(),
    after: z.array(z.string()),
  }),
);
export type ChangeHunk = z.infer<typeof ChangeHunk>;

/**
 * The outcome of undoing the changes of one file. `conflicts`: places that somebody has changed since; they stay as they are. A `refused` file is left
 * alone, and `canMerge` says that `merge` would undo the rest of it.
 */
export const UndoneFile = z.lazy(() =>
  z.object({
    path: z.string(),
    outcome: z.enum(["undone", "merged", "refused"]),
    conflicts: z.int().optional(),
    code: z.enum(["changed_since", "conflict", "content_unknown", "failed"]).optional(),
    reason: z.string().optional(),
    canMerge: z.boolean().optional(),
  }),
);
export type UndoneFile = z.infer<typeof UndoneFile>;

/** A message of the user that can be gone back to. */
export const Checkpoint = z.lazy(() =>
  z.object({
    entryId: z.string(),
    /** One line of at most 200 UTF-16 units. */
    text: z.string(),
    timestamp: z.number(),
    /** Number of files changed from it until the next one. */
    files: z.int(),
  }),
);
export type Checkpoint = z.infer<typeof Checkpoint>;

/** The parts of a checkpoint that are restored. */
export const RestoredPart = z.enum(["files", "conversation", "both"]);
export type RestoredPart = z.infer<typeof RestoredPart>;

const undone = z.lazy(() => z.object({ files: z.array(UndoneFile) }));
const judged = { ...selection, paths: optional(z.array(z.string()).min(1)), hunkId: optional(z.string()) };

/** The commands about what the agent has changed, as rows of the table of commands. */
export const changeCommands = {
  get_changes: row(() => ({
    params: z.object(selection),
    result: z.object({ files: z.array(FileChange), trouble: z.string().optional() }),
  })),
  get_change: row(() => ({
    params: z.object({ ...selection, path: z.string() }),
    result: z.object({
      path: z.string(),
      before: ShownContent,
      after: ShownContent,
      hunks: z.array(ChangeHunk),
      isChangedSince: z.boolean().optional(),
    }),
  })),
  keep_changes: row(() => ({
    params: z.object(judged),
    result: z.object({ paths: z.array(z.string()) }),
  })),
  undo_changes: row(() => ({ params: z.object({ ...judged, merge: optional(z.boolean()) }), result: undone })),
  list_checkpoints: row(() => ({ params: z.object({}), result: z.object({ checkpoints: z.array(Checkpoint) }) })),
  restore_checkpoint: row(() => ({
    params: z.object({ entryId: z.string(), what: RestoredPart, merge: optional(z.boolean()) }),
    result: z.object({ files: z.array(UndoneFile), cancelled: z.boolean(), text: z.string().optional() }),
  })),
} as const;
