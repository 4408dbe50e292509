import * as z from "zod";

/**
 * The permission modes: nothing asks, changes ask, nothing may change, only edits in the workspace go unasked, commands in the sandbox do, too,
 * or nothing may change and the agent makes a plan.
 */
export const PermissionMode = z.enum(["auto", "confirm", "readonly", "auto-edit", "sandboxed", "plan"]);
export type PermissionMode = z.infer<typeof PermissionMode>;

/** For how long a rule holds: until the session ends, in one workspace, or everywhere. */
export const ApprovalScope = z.enum(["session", "workspace", "always"]);
export type ApprovalScope = z.infer<typeof ApprovalScope>;

/** A rule that the user made: it allows more than one call. Times are milliseconds since 1970. */
export const ApprovalRule = z.lazy(() =>
  z.object({
    id: z.string().min(1),
    scope: ApprovalScope,
    tool: z.string().min(1),
    /** Commands for `bash`, a glob below the workspace for `edit` and `write`; other tools have none. */
    pattern: z.string().min(1).optional(),
    /** The rule as people read it, such as `bash npm run *`. */
    text: z.string().min(1),
    /** Absolute folder; only with the scope `workspace`. */
    workspace: z.string().optional(),
    createdAt: z.int(),
    /** The number of calls that it has allowed. */
    uses: z.int().min(0),
    lastUsedAt: z.int().optional(),
  }),
);
export type ApprovalRule = z.infer<typeof ApprovalRule>;
