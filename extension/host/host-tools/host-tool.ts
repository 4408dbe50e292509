import type * as vscode from "vscode";
import * as z from "zod";
import type {
  HostToolDefinition,
  ToolApproval,
  ToolPath,
  ToolResultPayload,
} from "../../../agent/protocol/host-tools.ts";
import type { HostQuestion } from "../../core/connection/host-questions.ts";
import type { Answer } from "../../core/connection/question-queue.ts";
import type { ToolNeed } from "./tool-needs.ts";

/** The conversation that a call belongs to. */
export interface HostToolChat {
  /** The id of its session. */
  readonly session: string;
  /** Absolute path of the folder that its agent works in. */
  readonly folder: string;
  /** True if the keyboard focus is in a chat, so that the user is not typing in an editor. */
  readonly isKeyboardInChat: () => boolean;
  /** Asks the user in the chat. Aborting `signal` withdraws the question, which counts as no answer. */
  ask(question: HostQuestion, signal: AbortSignal): Promise<Answer>;
}

/** The context that a tool runs in. */
export interface HostToolContext extends Omit<HostToolChat, "ask"> {
  /** The id of the call in the conversation. */
  readonly toolCallId: string;
  readonly toolName: string;
  /** Cancelled when the agent no longer wants the result. */
  readonly token: vscode.CancellationToken;
  /** Shows the model and the user the output so far, replacing the previous update. */
  update(text: string): void;
  /** Asks the user in the chat until the call is cancelled. */
  ask(question: HostQuestion): Promise<Answer>;
  /** Runs work that changes files, so that it can be undone. @param paths absolute; empty when the files are not known beforehand. */
  recordChanges<T>(paths: readonly string[], work: () => Promise<T>): Promise<T>;
  /** Reports an unexpected error of work that is not awaited. */
  failed(error: unknown): void;
}

/** An editor action that the agent may ask for. */
export interface HostTool {
  readonly definition: HostToolDefinition;
  /** The condition under which the tool is available. */
  readonly need?: ToolNeed | undefined;
  /** Throws `HostToolFailed` with a text that tells the model what to do instead. */
  run(args: unknown, context: HostToolContext): Promise<ToolResultPayload>;
}

/** A failure that the model should read: what went wrong, and what to do instead. */
export class HostToolFailed extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "HostToolFailed";
  }
}

/** Defines a tool. `input` is the schema of its arguments and their description for the model. */
export function defineHostTool<S extends z.ZodObject>(tool: {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly isReadOnly: boolean;
  /** The way of asking before it runs; by default as for a command. */
  readonly approval?: ToolApproval;
  /** The arguments that are paths, and what the tool does to them; an empty list means that it touches no file. */
  readonly paths?: ToolPath[];
  /** The argument that is a shell command. */
  readonly command?: string;
  /** The arguments that say what the tool acts on, if that is neither a file nor a command. */
  readonly subject?: string[];
  /** The condition under which the tool is available. */
  readonly need?: ToolNeed;
  readonly input: S;
  readonly run: (args: z.output<S>, context: HostToolContext) => Promise<string | ToolResultPayload>;
}): HostTool {
  return {
    definition: {
      name: tool.name,
      label: tool.label,
      description: tool.description,
      parameters: describeArguments(tool.input),
      readOnly: tool.isReadOnly,
      ...(tool.approval === undefined ? {} : { approval: tool.approval }),
      ...(tool.paths === undefined ? {} : { paths: tool.paths }),
      ...(tool.command === undefined ? {} : { command: tool.command }),
      ...(tool.subject === undefined ? {} : { subject: tool.subject }),
    },
    need: tool.need,
    async run(args, context) {
      const parsed = tool.input.safeParse(args);
      if (!parsed.success) throw new HostToolFailed(`Invalid arguments.\n${z.prettifyError(parsed.error)}`);
      const result = await tool.run(parsed.data, context);
      return typeof result === "string" ? textResult(result) : result;
    },
  };
}

/** Limits that are checked but not shown to the model, since they tell it nothing. */
const SILENT_LIMITS: ReadonlySet<string> = new Set(["minLength", "maxLength", "minItems", "maxItems", "pattern"]);
const NO_LIMITS: ReadonlySet<unknown> = new Set([0, 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]);
const BOUNDS: ReadonlySet<string> = new Set(["minimum", "maximum", "exclusiveMinimum"]);

/** Returns the schema as it is sent to the model with every request, without the parts that make no difference to it. */
function describeArguments(input: z.ZodObject): Record<string, unknown> {
  const schema = z.toJSONSchema(input, {
    io: "input",
    override({ jsonSchema }) {
      for (const [key, value] of Object.entries(jsonSchema)) {
        if (SILENT_LIMITS.has(key) || (BOUNDS.has(key) && NO_LIMITS.has(value)))
          Reflect.deleteProperty(jsonSchema, key);
      }
    },
  });
  const { $schema: _dialect, ...rest } = schema;
  return rest;
}

const MAX_RESULT_BYTES = 16 * 1024;

/** A result of one text, cut at 16 KiB of UTF-8 with a note that says so. */
export function textResult(text: string): ToolResultPayload {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= MAX_RESULT_BYTES) return { content: [{ type: "text", text }] };
  // A character that was cut in two decodes to U+FFFD, which is removed.
  const kept = bytes
    .subarray(0, MAX_RESULT_BYTES)
    .toString("utf8")
    .replace(/\uFFFD$/, "");
  const notice = `[Cut: the first ${MAX_RESULT_BYTES} of ${bytes.length} bytes. Ask for less, such as one file.]`;
  return { content: [{ type: "text", text: `${kept}\n${notice}` }] };
}
