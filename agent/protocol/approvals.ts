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

/**
 * Who decided about a call: the user, a rule that the user saved, the permission mode, a hook, the setting `denyRead`, or nobody, because there
 * was nobody to ask.
 */
export const Decider = z.enum(["user", "rule", "mode", "hook", "setting", "nobody"]);
export type Decider = z.infer<typeof Decider>;

/** A line of the log of decisions. `what` is one line for people, without secrets. */
export const LoggedDecision = z.lazy(() =>
  z.object({
    /** ISO 8601, UTC. */
    time: z.string(),
    session: z.string(),
    workspace: z.string(),
    tool: z.string(),
    what: z.string(),
    decision: z.enum(["allowed", "denied"]),
    by: Decider,
    mode: PermissionMode,
    /** The rules that allowed it, or the rule that the user saved with the answer. */
    rules: z.array(z.string()).optional(),
    /** True for a command that ran in the sandbox. */
    isContained: z.literal(true).optional(),
  }),
);
export type LoggedDecision = z.infer<typeof LoggedDecision>;
