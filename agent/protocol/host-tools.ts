import * as z from "zod";
import { InputContent } from "./content.ts";

/**
 * How a tool that changes something is asked for: `edit` like changes of files, which `auto-edit` allows where the files that `paths` names may
 * be changed without a question; `always` each time, in every mode, and no rule can allow it. Without it, like a command.
 */
export const ToolApproval = z.enum(["edit", "always"]);
export type ToolApproval = z.infer<typeof ToolApproval>;

/** Access of a call to a path: `move` takes away what is there, and the place that it goes to is written. */
export const PathAccess = z.enum(["read", "write", "delete", "move"]);
export type PathAccess = z.infer<typeof PathAccess>;

/** An argument that is a path. `argument` is its name, with a dot before the name of a member and `[]` for each item: `edits[].path`. */
export const ToolPath = z.object({
  argument: z.string().regex(/^[\w-]+(\[\])?(\.[\w-]+(\[\])?)*$/),
  access: PathAccess,
});
export type ToolPath = z.infer<typeof ToolPath>;

/**
 * Says which of a tool's arguments decide whether a call may run. A tool that declares none is judged by its name.
 * `paths` names all arguments that are paths; an empty list says that none is, and that no file is changed. `command` names the argument that
 * is a command of a shell. `subject` names those that say what is run otherwise, such as the name of a task.
 */
export const ToolSubject = z.lazy(() =>
  z.object({
    paths: z.array(ToolPath).optional(),
    command: z.string().optional(),
    subject: z.array(z.string()).optional(),
  }),
);
export type ToolSubject = z.infer<typeof ToolSubject>;

/**
 * A tool of the host; `parameters` is a JSON Schema object. While the agent offers a tool of its own by the name `sameAs`,
 * compared by letters and digits, this one is not offered. `source` names the origin of a tool that isn't the host's own.
 */
export const HostToolDefinition = z.lazy(() =>
  z.object({
    name: z.string(),
    label: z.string().optional(),
    description: z.string(),
    parameters: z.record(z.string(), z.unknown()),
    hidden: z.boolean().optional(),
    readOnly: z.boolean().optional(),
    approval: ToolApproval.optional(),
    sameAs: z.string().optional(),
    source: z.string().optional(),
    ...ToolSubject.unwrap().shape,
  }),
);
export type HostToolDefinition = z.infer<typeof HostToolDefinition>;

/**
 * Names of hidden tools by which a host takes part in changes of files that the agent makes itself. `beforeChange` fails to refuse a call;
 * the text of `afterChange` is added to the call's result; `buffer` reads and writes what is open with changes that are not saved, and what has no file;
 * `terminal` runs the commands of `bash` where the user sees them.
 */
export const EDITOR_LINK_TOOLS = {
  beforeChange: "host_before_change",
  afterChange: "host_after_change",
  buffer: "host_buffer",
  terminal: "host_terminal",
} as const;

/** The result of a tool, whole or so far. */
export const ToolResultPayload = z.lazy(() =>
  z.object({
    content: z.array(InputContent),
    details: z.unknown().optional(),
  }),
);
export type ToolResultPayload = z.infer<typeof ToolResultPayload>;

/** Agent → host: run one of your tools. `id` is ours, `toolCallId` the model's. */
export const HostToolCall = z.lazy(() =>
  z.object({
    type: z.literal("host_tool_call"),
    id: z.string(),
    toolCallId: z.string(),
    toolName: z.string(),
    arguments: z.record(z.string(), z.unknown()),
  }),
);
export type HostToolCall = z.infer<typeof HostToolCall>;

/** Agent → host: the call with `targetId` is no longer wanted. */
export const HostToolCancel = z.lazy(() =>
  z.object({
    type: z.literal("host_tool_cancel"),
    id: z.string(),
    targetId: z.string(),
  }),
);
export type HostToolCancel = z.infer<typeof HostToolCancel>;

/** Host → agent: what the tool has so far; each update replaces the one before. */
export const HostToolUpdate = z.lazy(() =>
  z.object({
    type: z.literal("host_tool_update"),
    id: z.string(),
    partialResult: ToolResultPayload,
  }),
);
export type HostToolUpdate = z.infer<typeof HostToolUpdate>;

/**
 * Host → agent: the call is done. `result` should be `{content, details?}`; other shapes are read as text, so that a
 * call always settles.
 */
export const HostToolResult = z.lazy(() =>
  z.object({
    type: z.literal("host_tool_result"),
    id: z.string(),
    result: z.unknown().optional(),
    isError: z.boolean().optional(),
    error: z.string().optional(),
  }),
);
export type HostToolResult = z.infer<typeof HostToolResult>;
