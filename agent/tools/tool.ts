import * as z from "zod";
import type { InputContent, ToolCall } from "../protocol/content.ts";
import type { ChangePreview, EditedChange } from "../protocol/dialogs.ts";
import { describeIssues } from "../protocol/errors.ts";
import type { ToolApproval, ToolPath, ToolSubject } from "../protocol/host-tools.ts";
import type { Usage } from "../protocol/model.ts";
import type { ServerTool } from "../providers/provider.ts";
import type { ContainedCommand } from "./contained.ts";
import { isRecord } from "./json-schema.ts";
import { PathNotFound } from "./path-not-found.ts";
import { type ParsedInput, readArguments } from "./read-arguments.ts";
import type { SeenFiles } from "./seen-files.ts";
import type { SessionProcesses } from "./session-processes.ts";
import type { ToolTraits } from "./tool-traits.ts";

/** The result of a tool, whole or so far. `details` is JSON for hosts; the model sees `content`. */
export interface ToolOutput {
  content: InputContent[];
  details?: unknown;
  /** The structured result for other tools; the model sees `content`. */
  structuredContent?: unknown;
  /** The usage of the tool's own requests to models. */
  usage?: Usage | undefined;
  /** True if the call failed. A tool that throws also fails. */
  isError?: boolean | undefined;
  isWarning?: boolean | undefined;
  /** If true for every result of a batch, the run ends without another request to the model. */
  terminate?: boolean | undefined;
}

/** A failure of a tool with details for hosts; the model reads the message. */
export class ToolFailure extends Error {
  readonly details: unknown;

  constructor(message: string, details: unknown) {
    super(message);
    this.details = details;
  }
}

/** Settings for running commands. */
export interface ShellSettings {
  /** Absolute path of the shell, or undefined for the platform's bash. */
  shellPath?: string | undefined;
  /** Put before every command, such as `set -e;`. */
  commandPrefix?: string | undefined;
  /** The time limit of a command that names none: 0 for none, undefined for that of the tool. */
  timeoutSeconds?: number | undefined;
  /** Where the commands belong; undefined means to no session. */
  processes?: SessionProcesses | undefined;
}

/** Options of a call that a tool makes to another tool. */
export interface CallOptions {
  /** Default: the signal of the calling tool. */
  signal?: AbortSignal | undefined;
  onUpdate?: ((partial: ToolOutput) => void) | undefined;
}

/** A call that a tool made to another tool, and its outcome. */
export interface CallOutcome {
  call: ToolCall;
  output: ToolOutput;
  isError: boolean;
  /** Absent when the tool did not run. */
  durationMs?: number | undefined;
}

/** The context of a running tool. */
export interface ToolContext {
  toolCallId: string;
  /** Absolute path that relative paths start from. */
  cwd: string;
  /** Aborts when the result is no longer wanted; the tool then throws soon. */
  signal: AbortSignal;
  /** Shows what there is so far; each update replaces the one before. Ignored after the tool has ended. */
  onUpdate(partial: ToolOutput): void;
  /** Resolves when more output may be produced (the host may read slower than we write). */
  ready(): Promise<void>;
  /** The user's edit of the change in `preview`. Only calls with a preview have it. */
  edited?: EditedChange | undefined;
  /** True when the call runs without a question because it was found to do no more than read. */
  isUnasked?: boolean;
  /** Makes the sandbox ready that a command has to run in; undefined for the bare machine. @throws Error when there is none. */
  contain?(): Promise<ContainedCommand>;
  /** Asks the user whether a command may run again outside its sandbox. @param why what that refused, such as "connecting to example.com". */
  mayRunOutside?(why: string): Promise<boolean>;
  /** Makes the changes of a preview in place of running the command again. @returns the result that the command had. */
  applyPreview?: (() => Promise<ToolOutput>) | undefined;
  /** Runs another tool as if the model had called it. @throws Error when this tool has ended, or `args` is no object. */
  callTool?(name: string, args: unknown, options?: CallOptions): Promise<CallOutcome>;
  /** Returns the tools that this one can call. */
  callableTools?(): AnyTool[];
  shell: ShellSettings;
  /** Environment variables for child processes, beside the agent's own environment. */
  env: Record<string, string>;
  /** True if the model has other tools that take line numbers, so that `read` shows them. */
  numbersLines?(): boolean;
  /** The number of pages of a PDF that the model takes, at most; 0 or undefined if it takes no PDFs. */
  maxPdfPages?(): number;
  /** The files that the model has seen; undefined when nobody keeps track. */
  seenFiles?: SeenFiles | undefined;
  /** Says which files a search of a folder leaves out, by their paths below it; undefined leaves out none. */
  leavesOut?(folder: string): Promise<LeftOut | undefined>;
}

/** True for the path, below a folder, of a file that needs approval to be read. */
export type LeftOut = (path: string) => boolean;

/** Shared tools overlap; an exclusive one waits for all earlier calls of its batch and holds back all later ones. */
export type ToolConcurrency = "shared" | "exclusive";

/** The target of a call's requests: a host, with its port unless it is the usual one. */
export interface Reached {
  host: string;
}

/** The origin of the tool. */
export type ToolOrigin = "builtin" | "extension" | "host";

/** The tools of a session, for one that changes how they are told to the model. */
export interface ToolLoadout {
  /** The tools that the model is told of. */
  declared: readonly AnyTool[];
  /** The tools that other tools can call. */
  callable: readonly AnyTool[];
  registered: readonly AnyTool[];
}

/** How a tool changes what the model is told of the tools. */
export interface LoadoutChanges {
  /** Other descriptions, by the name of the tool. */
  descriptions?: Readonly<Record<string, string>> | undefined;
  /** Names of tools that the model is not told of; it can call them all the same. */
  hiddenDeclarations?: readonly string[] | undefined;
}

/** A tool that the loop can run. */
export interface Tool<Input = unknown> extends ToolSubject, ToolTraits {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly origin: ToolOrigin;
  /** The name of the server or extension that the tool comes from, as shown to the model; undefined for the agent's own tools. */
  readonly source?: string | undefined;
  /** True if the model has to search for the tool even if there are few tools. */
  readonly isDeferred?: boolean | undefined;
  readonly concurrency: ToolConcurrency;
  /** True if it changes nothing, so that no permission is needed. */
  readonly isReadOnly: boolean;
  /** The kind of approval; by default like a command. */
  readonly approval?: ToolApproval | undefined;
  /** Returns the target of a call's requests, which needs approval; undefined for a call that sends none. */
  readonly reaches?: ((args: Readonly<Record<string, unknown>>) => Reached | undefined) | undefined;
  /** True if the model is told of it now; without it, the model is always told. */
  readonly isOffered?: (() => boolean) | undefined;
  /** Set if the model's service runs it, instead of the agent. */
  readonly serverTool?: ServerTool | undefined;
  /** Changes what the model is told of the tools while this one is active. Never throws. */
  readonly prepareLoadout?: ((loadout: ToolLoadout) => LoadoutChanges | undefined) | undefined;
  /** One line for the list of tools in the system prompt. */
  readonly promptSnippet?: string | undefined;
  /** Lines of advice for the system prompt. */
  readonly promptGuidelines?: readonly string[] | undefined;
  /** JSON Schema of the arguments. */
  readonly parameters: Record<string, unknown>;
  /** JSON Schema of the arguments in every form that `parse` reads; by default `parameters`. */
  readonly accepts?: Record<string, unknown> | undefined;
  parse(args: unknown): ParsedInput<Input>;
  /** One line that tells a person what this call would do, for questions and cards. */
  summarize(input: Input): string;
  /** Returns the change that a call would make to the current file; undefined if unknown. Changes nothing. */
  preview?(input: Input, cwd: string): Promise<ChangePreview | undefined>;
  /** @throws Error whose message is what the model reads. */
  run(input: Input, context: ToolContext): Promise<ToolOutput>;
}

/** A tool whose arguments have been checked and bound. */
export interface BoundCall {
  /** The arguments in the form of the tool's schema, which is what hooks and approvals judge. */
  args: Record<string, unknown>;
  summary: string;
  /** Returns the change that it would make to the current file; undefined if unknown. Changes nothing, never rejects. */
  preview(cwd: string): Promise<ChangePreview | undefined>;
  run(context: ToolContext): Promise<ToolOutput>;
}

/** A tool as the loop holds it: its input type is hidden behind `bind`. */
export type AnyTool = Omit<Tool, "accepts" | "parse" | "summarize" | "preview" | "run"> & {
  bind(args: unknown): ParsedInput<BoundCall>;
};

/** Hides a tool's input type, so that tools of different inputs fit in one list. */
export function anyTool<Input>(tool: Tool<Input>): AnyTool {
  return {
    name: tool.name,
    label: tool.label,
    description: tool.description,
    origin: tool.origin,
    source: tool.source,
    isDeferred: tool.isDeferred,
    concurrency: tool.concurrency,
    isReadOnly: tool.isReadOnly,
    approval: tool.approval,
    paths: tool.paths,
    command: tool.command,
    subject: tool.subject,
    reaches: tool.reaches,
    exposure: tool.exposure,
    annotations: tool.annotations,
    namespace: tool.namespace,
    outputSchema: tool.outputSchema,
    reachesTools: tool.reachesTools,
    prepareLoadout: tool.prepareLoadout,
    isOffered: tool.isOffered,
    serverTool: tool.serverTool,
    promptSnippet: tool.promptSnippet,
    promptGuidelines: tool.promptGuidelines,
    get parameters() {
      return tool.parameters;
    },
    bind(given) {
      const { args, parsed } = readArguments(tool, given);
      if (!parsed.ok) return parsed;
      const { input } = parsed;
      return {
        ok: true,
        input: {
          args: isRecord(args) ? args : {},
          summary: tool.summarize(input),
          preview: async (cwd) => tool.preview?.(input, cwd).catch(() => undefined), // the call itself says what is wrong with it
          run: (context) => tool.run(input, context).catch((error: unknown) => suggestPaths(error, context)),
        },
      };
    },
  };
}

/** Adds to the failure of a path that is not there which ones may be meant. */
async function suggestPaths(error: unknown, { cwd, signal, leavesOut }: ToolContext): Promise<never> {
  if (!(error instanceof PathNotFound)) throw error;
  const { nearestPaths } = await import("./nearest-paths.ts");
  const paths = await nearestPaths(error.shownPath, { cwd, signal, isLeftOut: await leavesOut?.(cwd) });
  if (paths.length === 0) throw error;
  throw new Error(`${error.message}\nDid you mean ${paths.join(" or ")}?`, { cause: error });
}

interface ToolDefinition<Schema extends z.ZodType> {
  name: string;
  description: string;
  input: Schema;
  concurrency: ToolConcurrency;
  isReadOnly: boolean;
  paths?: ToolPath[];
  reaches?(args: Readonly<Record<string, unknown>>): Reached | undefined;
  isOffered?: () => boolean;
  serverTool?: ServerTool;
  promptSnippet?: string;
  promptGuidelines?: readonly string[];
  summarize(input: z.output<Schema>): string;
  preview?(input: z.output<Schema>, cwd: string): Promise<ChangePreview | undefined>;
  run(input: z.output<Schema>, context: ToolContext): Promise<ToolOutput>;
}

/** Makes a built-in tool from one zod schema: argument type, check and the JSON Schema for the model all come from it. */
export function defineTool<Schema extends z.ZodType>(definition: ToolDefinition<Schema>): AnyTool {
  let parameters: Record<string, unknown> | undefined;
  return anyTool<z.output<Schema>>({
    ...definition,
    label: definition.name,
    origin: "builtin",
    get parameters() {
      parameters ??= toParameters(definition.input);
      return parameters;
    },
    parse(args) {
      const parsed = definition.input.safeParse(args);
      return parsed.success ? { ok: true, input: parsed.data } : { ok: false, problems: describeIssues(parsed.error) };
    },
  });
}

/** Returns the JSON Schema of a tool's arguments as the model writes them. */
export function toParameters(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _dialect, ...parameters } = z.toJSONSchema(schema, { io: "input" });
  return parameters;
}

/** A text result. */
export function textOutput(text: string, details?: unknown): ToolOutput {
  return details === undefined ? { content: [{ type: "text", text }] } : { content: [{ type: "text", text }], details };
}
