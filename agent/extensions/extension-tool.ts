import { setImmediate as nextTurn } from "node:timers/promises";
import * as z from "zod";
import { InputContent } from "../protocol/content.ts";
import { describeIssues, errorMessage } from "../protocol/errors.ts";
import { Usage } from "../protocol/model.ts";
import { argumentCheck } from "../tools/argument-check.ts";
import { type AnyTool, anyTool, type ToolContext, type ToolOutput } from "../tools/tool.ts";
import type { ExtensionContext } from "./api-context.ts";
import { askLoadout } from "./loadout.ts";
import type { RegisteredTool } from "./registrations.ts";
import { toolCallContext } from "./tool-call-context.ts";

const MAX_SUMMARY_LENGTH = 200;
/** More than this would fill the model's window with every request; in UTF-16 units. */
const MAX_SCHEMA_LENGTH = 200_000;

const Output = z.lazy(() =>
  z.object({
    content: z.array(InputContent).default([]),
    details: z.unknown().optional(),
    structuredContent: z.unknown().optional(),
    usage: Usage.optional().catch(undefined), // of another agent, perhaps
    isError: z.boolean().optional().catch(undefined),
    terminate: z.boolean().optional(),
  }),
);

const Reached = z.lazy(() => z.union([z.literal("all"), z.array(z.string())]));

interface ExtensionToolOptions {
  tool: RegisteredTool;
  /** The name of the extension; undefined for a bundled one. */
  extension: string | undefined;
  /** Runs code of the extension as work that `signal` aborts. */
  runAs<T>(signal: AbortSignal, work: () => T): Promise<Awaited<T>>;
  context(): ExtensionContext;
  warn(message: string): void;
  /** Reports that `prepareLoadout` failed. */
  loadoutFailed(error: unknown): void;
}

/** Makes a tool that the loop can run from one that an extension registered. */
export function extensionTool(options: ExtensionToolOptions): AnyTool {
  const { tool, extension, runAs, context, warn, loadoutFailed } = options;
  const parameters = plainSchema(tool.name, "parameters", tool.parameters);
  const { exposure, annotations, namespace, outputSchema } = tool;
  const check = argumentCheck(parameters, `tool "${tool.name}"`, warn);
  const isExclusive = tool.concurrency === "exclusive" || tool.executionMode === "sequential";
  return anyTool<Record<string, unknown>>({
    name: tool.name,
    label: tool.label ?? tool.name,
    description: tool.description,
    origin: "extension",
    source: tool.source ?? extension,
    isDeferred: exposure === "deferred" || exposure === "codemode",
    concurrency: isExclusive ? "exclusive" : "shared",
    isReadOnly: tool.readOnly === true,
    isOffered: tool.isOffered === undefined ? undefined : () => isOffered(tool),
    exposure,
    annotations,
    namespace,
    outputSchema: outputSchema && plainSchema(tool.name, "outputSchema", outputSchema),
    reachesTools: tool.reachesTools && ((input) => Reached.parse(tool.reachesTools?.(input))),
    prepareLoadout: tool.prepareLoadout && ((loadout) => askLoadout(tool.prepareLoadout, loadout, loadoutFailed)),
    promptSnippet: tool.promptSnippet,
    promptGuidelines: tool.promptGuidelines,
    parameters,
    parse: (args) => parseArguments(tool, check, args),
    summarize: (input) => JSON.stringify(input).slice(0, MAX_SUMMARY_LENGTH),
    run: (input, running) => runAs(running.signal, () => execute(tool, input, running, context())),
  });
}

/** Keeps the tool available if the extension's code fails: the call then fails as well and says why. */
function isOffered(tool: RegisteredTool): boolean {
  try {
    return tool.isOffered?.() !== false;
  } catch {
    return true;
  }
}

type Check = ReturnType<typeof argumentCheck>;

/** Checks arguments after the extension repaired a copy of them: what the model said stays as it is. */
function parseArguments({ prepareArguments }: RegisteredTool, check: Check, args: unknown): ReturnType<Check> {
  if (prepareArguments === undefined) return check(args);
  try {
    return check(prepareArguments(structuredClone(args)));
  } catch (error) {
    return { ok: false, problems: [`  - root: ${errorMessage(error)}`] };
  }
}

/** A schema of TypeBox carries marks of its own; the model and the check get plain JSON. */
function plainSchema(
  name: string,
  field: "parameters" | "outputSchema",
  given: Record<string, unknown>,
): Record<string, unknown> {
  const refuse = (reason: string) => new Error(`Tool "${name}" cannot be registered: its ${field} ${reason}.`);
  let json: string;
  try {
    json = JSON.stringify(given);
  } catch (error) {
    throw refuse(`are no JSON (${errorMessage(error).split("\n", 1)[0]})`);
  }
  if (json.length > MAX_SCHEMA_LENGTH) throw refuse(`have more than ${MAX_SCHEMA_LENGTH} characters`);
  const schema: Record<string, unknown> = { ...JSON.parse(json) };
  if (schema.type !== undefined && schema.type !== "object") throw refuse('must be a schema of the type "object"');
  return schema;
}

async function execute(
  tool: RegisteredTool,
  input: Record<string, unknown>,
  running: ToolContext,
  context: ExtensionContext,
): Promise<ToolOutput> {
  const { toolCallId, signal, onUpdate } = running;
  const update = (partial: unknown) => onUpdate(readOutput(tool.name, partial));
  await nextTurn(); // code that gives no control back would keep hosts from hearing what runs
  if (signal.aborted) throw new Error("Operation aborted");
  return readOutput(
    tool.name,
    await tool.execute(toolCallId, input, signal, update, toolCallContext(context, running)),
  );
}

function readOutput(toolName: string, value: unknown): ToolOutput {
  const read = Output.safeParse(value);
  if (read.success) return read.data;
  throw new Error([`Tool ${toolName} gave a result that cannot be read:`, ...describeIssues(read.error)].join("\n"));
}
