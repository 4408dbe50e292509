import * as z from "zod";
import type { HostToolCallV1, HostToolHandlerV1, HostToolV1 } from "../../../agent/client/vscode-api.ts";
import { type HostToolDefinition, ToolResultPayload } from "../../../agent/protocol/host-tools.ts";
import { type HostToolContext, HostToolFailed, textResult } from "../../host/host-tools/host-tool.ts";
import { TillerError } from "./tiller-error.ts";

/** The names of the agent's own tools, including aliases. */
const TAKEN: ReadonlySet<string> = new Set([
  ...["bash", "read", "write", "edit", "grep", "find", "glob", "ls", "todo_write", "recall", "ask_user"],
]);
/** Longest schema, in UTF-16 units of its JSON. */
const MAX_SCHEMA_CHARS = 64_000;

const Definition = z.object({
  name: z
    .string()
    .regex(/^[a-z]\w{0,63}$/i, "letters, digits and _ only, with a letter first, and 64 characters at most")
    .refine((name) => !/^(?:vscode|host)_/i.test(name), "names that begin with vscode_ or host_ are Tiller's own"),
  label: z.string().max(200).optional(),
  description: z.string().trim().min(1).max(8_000),
  parameters: z.record(z.string(), z.unknown()),
  isReadOnly: z.boolean().optional(),
});

const Result = z.union([
  z.string(),
  z.object({ content: ToolResultPayload.unwrap().shape.content, isError: z.boolean().optional() }),
]);

/** The context of a call, as a tool of another extension gets it. */
type GuestContext = Pick<HostToolContext, "toolCallId" | "token" | "update">;

/** A tool of another extension, in the form of ours. */
interface ApiTool {
  readonly definition: HostToolDefinition;
  run(args: unknown, context: GuestContext): Promise<ToolResultPayload>;
}

/**
 * Converts a tool of another extension to one of ours.
 * @param known the names that are already taken.
 * @throws TillerError invalid_argument when the definition is invalid.
 */
export function apiTool(tool: HostToolV1, handler: HostToolHandlerV1, known: readonly string[]): ApiTool {
  const parsed = Definition.safeParse(tool);
  if (!parsed.success) throw refused(z.prettifyError(parsed.error));
  if (typeof handler !== "function") throw refused("The handler is not a function.");
  const { name, label, description, parameters, isReadOnly = false } = parsed.data;
  if (TAKEN.has(name) || known.includes(name)) throw refused(`There is a tool "${name}" already.`);
  return {
    definition: { name, label: label ?? name, description, parameters: schema(parameters), readOnly: isReadOnly },
    async run(args, context) {
      const given = z.record(z.string(), z.unknown()).safeParse(args);
      if (!given.success) throw new HostToolFailed("The arguments are not an object.");
      return payload(await call(handler, given.data, context));
    },
  };
}

function refused(reason: string): TillerError {
  return new TillerError("invalid_argument", `The tool is not registered. ${reason}`);
}

/** A copy that is JSON and describes an object. */
function schema(parameters: Record<string, unknown>): Record<string, unknown> {
  const text = asJson(parameters);
  if (text.length > MAX_SCHEMA_CHARS) throw refused(`Its parameters take more than ${MAX_SCHEMA_CHARS} characters.`);
  const copy = z.record(z.string(), z.unknown()).parse(JSON.parse(text));
  if (copy.type !== undefined && copy.type !== "object") throw refused('Its parameters are not of the type "object".');
  return { ...copy, type: "object" };
}

function asJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch (error) {
    throw new TillerError("invalid_argument", "The tool is not registered. Its parameters are not JSON.", {
      cause: error,
    });
  }
}

async function call(
  handler: HostToolHandlerV1,
  args: Record<string, unknown>,
  { token, update, toolCallId }: GuestContext,
): Promise<unknown> {
  const controller = new AbortController();
  const cancelled = token.onCancellationRequested(() => controller.abort());
  const request: HostToolCallV1 = { toolCallId, signal: controller.signal, progress: (text) => update(String(text)) };
  try {
    return await handler(args, request);
  } catch (error) {
    // An error of the tool, which the model should read; not one of ours.
    throw new HostToolFailed(error instanceof Error ? error.message : String(error), { cause: error });
  } finally {
    cancelled.dispose();
  }
}

function payload(raw: unknown): ToolResultPayload {
  const result = Result.safeParse(raw).data;
  if (result === undefined)
    throw new HostToolFailed("The tool gave back neither a text nor blocks of text and images.");
  if (typeof result === "string") return textResult(result);
  if (result.isError !== true) return { content: result.content };
  const texts = result.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  throw new HostToolFailed(texts.join("\n") || "The tool failed.");
}
