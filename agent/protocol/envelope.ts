import * as z from "zod";

/** Announced in `ready`; raised when a host would have to change. */
export const PROTOCOL_VERSION = 1;

/** The name on `ready`, in file names and in the environment of children. */
export const APP_NAME = "tiller";

/** The id that a host may put on a command to recognize its response: a string, or a finite number. It is echoed unchanged. */
export const CommandId = z.lazy(() => z.union([z.string(), z.number()]));
export type CommandId = z.infer<typeof CommandId>;

/** First frame on stdout. */
export const ReadyFrame = z.lazy(() =>
  z.object({
    type: z.literal("ready"),
    version: z.string(),
    protocolVersion: z.int(),
    dialects: z.array(z.string()),
  }),
);
export type ReadyFrame = z.infer<typeof ReadyFrame>;

/**
 * The answer to a command. `command` repeats the type as the host spelled it, or reads `parse` for a line that could not be
 * understood. A command without an id gets a response without an `id` key. The answer to an unknown command carries
 * the id as `requestId` instead.
 */
export const ResponseFrame = z.lazy(() =>
  z.object({
    type: z.literal("response"),
    id: CommandId.optional(),
    requestId: CommandId.optional(),
    command: z.string(),
    success: z.boolean(),
    data: z.unknown().optional(),
    error: z.string().min(1).optional(),
    code: z.string().optional(),
  }),
);
export type ResponseFrame = z.infer<typeof ResponseFrame>;

/** The types of the control frames. */
export const CONTROL_FRAME_TYPES = [
  "extension_ui_response",
  "host_tool_update",
  "host_tool_result",
  "host_model_update",
  "host_model_result",
  "host_secret_result",
] as const;
export type ControlFrameType = (typeof CONTROL_FRAME_TYPES)[number];
