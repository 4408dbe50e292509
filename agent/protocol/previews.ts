import * as z from "zod";

/** What a command would make of one path. Sizes are in bytes; a mode is there when it would change. */
export const PreviewedChange = z.lazy(() =>
  z.object({
    /** An absolute path. */
    path: z.string(),
    change: z.enum(["created", "changed", "deleted"]),
    /** What it would be, or was before it would be deleted. */
    type: z.enum(["file", "folder", "link"]),
    sizeBefore: z.int().optional(),
    sizeAfter: z.int().optional(),
    modeBefore: z.int().optional(),
    modeAfter: z.int().optional(),
    /** The target of a link that would be made or changed. */
    target: z.string().optional(),
    /** A unified diff of a text file; absent for other files, and for what is too large to show. */
    patch: z.string().optional(),
  }),
);
export type PreviewedChange = z.infer<typeof PreviewedChange>;

/** What a command did in a preview. Nothing of it is on the disk. */
export const CommandPreview = z.lazy(() =>
  z.object({
    previewId: z.string(),
    /** What the command printed, as the model would see it. */
    output: z.string(),
    /** Absent when the command was stopped. */
    exitCode: z.int().optional(),
    /** The changes, those in the workspace first; a long list is cut. */
    changes: z.array(PreviewedChange),
    /** The number of all changes. */
    changeCount: z.int(),
    /** Why the changes can't be applied; absent when they can. */
    problem: z.string().optional(),
  }),
);
export type CommandPreview = z.infer<typeof CommandPreview>;
