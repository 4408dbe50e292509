import type { ToolCall } from "../protocol/content.ts";
import type { EditedChange } from "../protocol/dialogs.ts";
import { errorMessage } from "../protocol/errors.ts";
import type { CallStop, NestedCalls } from "../protocol/messages.ts";
import type { Containment } from "../tools/contained.ts";
import { cutLongResult } from "../tools/long-result.ts";
import {
  type AnyTool,
  type BoundCall,
  type CallOptions,
  type ToolContext,
  ToolFailure,
  type ToolOutput,
  textOutput,
} from "../tools/tool.ts";
import { unknownToolText } from "../tools/tool-names.ts";
import { clipNesting } from "../util/nesting.ts";
import { brokenCallText, invalidArgumentsText } from "./call-arguments.ts";
import type { LoopHost } from "./loop-host.ts";
import { withLocatedPaths } from "./meant-call.ts";
import type { BrokenCall } from "./message-builder.ts";
import { NestedToolCalls } from "./nested-calls.ts";
import { ABORTED_TEXT, settleOnAbort } from "./settle-on-abort.ts";

/** The time that a tool has to stop after its run was aborted. */
const ABORT_GRACE_MS = 10_000;

const SKIPPED_TEXT = "Skipped due to queued user message.";

/** The environment of tool calls. */
export interface CallEnvironment {
  host: LoopHost;
  tools: ReadonlyMap<string, AnyTool>;
  /** Calls whose arguments cannot be used, by id. */
  brokenCalls: ReadonlyMap<string, BrokenCall>;
  /** If set, no call runs, and each gets this as its error. */
  refuse?: ((call: ToolCall) => Refusal) | undefined;
  signal: AbortSignal;
  /** Aborts when a queued message interrupts the calls. */
  interrupt: AbortSignal;
  /** The call whose tool makes these calls. */
  parentToolCallId?: string | undefined;
  onUpdate?: CallOptions["onUpdate"];
}

/** Why a call does not run; the model reads the text. */
export interface Refusal {
  text: string;
  stopped?: CallStop | undefined;
  terminate?: boolean | undefined;
}

/** The outcome of a call, which becomes its result message. */
export interface Outcome {
  output: ToolOutput;
  isError: boolean;
  stopped?: CallStop | undefined;
  /** Absent when the tool did not run. */
  durationMs?: number;
  nestedCalls?: NestedCalls | undefined;
}

/** Runs one call and sends its events. Never rejects: failures are outcomes. */
export async function runToolCall(call: ToolCall, options: CallEnvironment): Promise<Outcome> {
  const { host } = options;
  const identity = identityOf(call, options);
  await host.emit({ type: "tool_execution_start", ...identity, args: call.arguments });
  const finished = await finishToolCall(call, options);
  const outcome = { ...finished, output: { ...finished.output, details: clipNesting(finished.output.details) } };
  const { output, isError, durationMs, stopped } = outcome;
  await host.emit({
    type: "tool_execution_end",
    ...identity,
    result: { content: output.content, details: output.details ?? {} },
    isError,
    ...(durationMs === undefined ? {} : { durationMs }),
    ...(output.isWarning === true ? { isWarning: true } : {}),
    ...(stopped === undefined ? {} : { stopped }),
  });
  return outcome;
}

function identityOf(call: ToolCall, { parentToolCallId }: CallEnvironment) {
  const parent = parentToolCallId === undefined ? {} : { parentToolCallId };
  return { toolCallId: call.id, toolName: call.name, ...parent };
}

async function finishToolCall(call: ToolCall, options: CallEnvironment): Promise<Outcome> {
  const stop = stopOf(options);
  if (stop !== undefined) return failure(stop);
  if (options.refuse !== undefined) return failure(options.refuse(call));
  const prepared = await prepareToolCall(call, options);
  if ("text" in prepared) return failure(prepared);
  const outcome = await hookResult(call, prepared, options, await executeToolCall(call, prepared, options));
  if (prepared.tool.origin === "builtin") return outcome; // those have limits of their own
  return { ...outcome, output: { ...outcome.output, content: await cutLongResult(outcome.output.content) } };
}

interface PreparedCall {
  tool: AnyTool;
  args: Record<string, unknown>;
  bound: BoundCall;
  /** The user's edit of the change. */
  edited?: EditedChange | undefined;
  /** True if a call that usually needs approval ran without a question. */
  isUnasked?: boolean;
  /** How a command has to stay in the sandbox; undefined if it doesn't. */
  containment?: Containment;
  /** The preview whose changes take the place of running the command. */
  previewId?: string;
}

async function prepareToolCall(call: ToolCall, options: CallEnvironment): Promise<PreparedCall | Refusal> {
  const tool = options.tools.get(call.name);
  if (tool === undefined) return { text: missingToolText(call, options) };
  const broken = options.brokenCalls.get(call.id);
  if (broken !== undefined) return { text: brokenCallText(tool, broken) };
  const prepared = bindCall(tool, call.arguments);
  if ("text" in prepared) return prepared;
  const signal = AbortSignal.any([options.signal, options.interrupt]);
  try {
    const judged = await settleOnAbort(judgeToolCall(call, prepared, options, signal), signal, 0);
    return stopOf(options) ?? judged;
  } catch (error) {
    return stopOf(options) ?? { text: `Extension failed, blocking execution: ${errorMessage(error)}` };
  }
}

function missingToolText(call: ToolCall, { host, tools }: CallEnvironment): string {
  if (host.prefix.declares(call.name) || host.untoldTool?.(call.name) === "gone") {
    return `Tool ${call.name} is no longer available. Continue without it.`;
  }
  return unknownToolText(call, new Set(tools.keys()));
}

/** Asks the hooks, which may change the arguments, and then, as the last word, the gate. */
async function judgeToolCall(
  call: ToolCall,
  { tool, args, bound }: PreparedCall,
  { host, parentToolCallId }: CallEnvironment,
  signal: AbortSignal,
): Promise<PreparedCall | Refusal> {
  const gated = { toolCallId: call.id, parentToolCallId, tool };
  const wish = await host.hooks?.toolCall({ ...gated, args, summary: bound.summary }, signal);
  if (wish !== undefined && "block" in wish) return { text: wish.block, terminate: wish.terminate };
  const prepared =
    wish === undefined
      ? { tool, args, bound }
      : bindCall(tool, await withLocatedPaths(tool, wish.args, host.toolContext().cwd));
  if ("text" in prepared) return prepared;
  const verdict = await host.gate({ ...gated, args: prepared.args, summary: prepared.bound.summary }, signal);
  if (verdict === undefined) return prepared;
  if ("edited" in verdict) return { ...prepared, edited: verdict.edited };
  if ("isUnasked" in verdict) return { ...prepared, isUnasked: true };
  if ("isContained" in verdict) return { ...prepared, containment: { isReadOnly: verdict.isReadOnly === true } };
  if ("previewId" in verdict) return { ...prepared, previewId: verdict.previewId };
  return { text: verdict.block || "Tool execution was blocked", stopped: verdict.isDenied ? "denied" : undefined };
}

function bindCall(tool: AnyTool, args: Record<string, unknown>): PreparedCall | Refusal {
  const parsed = tool.bind(args);
  if (parsed.ok) return { tool, args: parsed.input.args, bound: parsed.input };
  return { text: invalidArgumentsText(tool, parsed.problems, args) };
}

async function executeToolCall(call: ToolCall, prepared: PreparedCall, options: CallEnvironment): Promise<Outcome> {
  const { host } = options;
  const signal = AbortSignal.any([options.signal, options.interrupt]);
  const startedAt = performance.now();
  let isRunning = true;
  const surroundings = host.toolContext();
  const nested = new NestedToolCalls(call.id, (made, wishes) => {
    const tools = new Map((surroundings.callableTools?.() ?? []).map((tool) => [tool.name, tool]));
    return runNested(made, wishes, { ...options, tools, signal, parentToolCallId: call.id });
  });
  const running = prepared.bound.run({
    ...surroundings,
    callTool: (name, args, wishes) => nested.call(name, args, wishes),
    toolCallId: call.id,
    signal,
    ready: async () => host.ready(),
    edited: prepared.edited,
    isUnasked: prepared.isUnasked === true,
    ...inSandbox(call, prepared, options, signal),
    applyPreview: applying(prepared, host),
    onUpdate(partial) {
      if (!isRunning) return;
      options.onUpdate?.(partial);
      void host.emit({
        type: "tool_execution_update",
        ...identityOf(call, options),
        args: call.arguments,
        partialResult: { content: partial.content, details: clipNesting(partial.details) ?? {} },
      });
    },
  });
  try {
    const output = await settleOnAbort(running, signal, ABORT_GRACE_MS);
    const { usage, nestedCalls } = nested.end(output.usage);
    return {
      output: { ...output, usage },
      isError: output.isError === true,
      durationMs: elapsed(startedAt),
      nestedCalls,
    };
  } catch (error) {
    const isSkipped = options.interrupt.aborted && !options.signal.aborted && prepared.tool.origin !== "host";
    const text = isSkipped ? SKIPPED_TEXT : errorMessage(error) || "Tool failed without a message";
    const { output, ...failed } = failure({ text, stopped: stopOf(options)?.stopped });
    const details = error instanceof ToolFailure ? error.details : undefined;
    const { usage, nestedCalls } = nested.end(undefined);
    return { ...failed, output: { ...output, details, usage }, durationMs: elapsed(startedAt), nestedCalls };
  } finally {
    isRunning = false;
  }
}

/** Returns what a tool needs to run its command in the sandbox, if it has to. A command that can only read never runs outside. */
function inSandbox(
  call: ToolCall,
  { tool, args, bound, containment }: PreparedCall,
  { host, parentToolCallId }: CallEnvironment,
  signal: AbortSignal,
): Pick<ToolContext, "contain" | "mayRunOutside"> {
  if (containment === undefined) return {};
  const contain = async () => {
    if (host.sandbox === undefined) throw new Error("There is no sandbox for commands here.");
    return host.sandbox.contain(containment);
  };
  if (containment.isReadOnly) return { contain };
  const gated = { toolCallId: call.id, parentToolCallId, tool, args, summary: bound.summary };
  return { contain, mayRunOutside: async (why) => (await host.mayRunOutside?.(gated, why, signal)) === true };
}

function applying({ previewId }: PreparedCall, host: LoopHost): ToolContext["applyPreview"] {
  if (previewId === undefined) return undefined;
  return async () => {
    if (host.applyPreview === undefined) throw new Error("There are no previews here.");
    return host.applyPreview(previewId);
  };
}

/** Runs a call that one tool makes to another. */
function runNested(call: ToolCall, { signal, onUpdate }: CallOptions, options: CallEnvironment): Promise<Outcome> {
  return runToolCall(call, {
    ...options,
    brokenCalls: new Map(),
    refuse: undefined,
    signal: signal === undefined ? options.signal : AbortSignal.any([options.signal, signal]),
    onUpdate,
  });
}

async function hookResult(
  call: ToolCall,
  { tool, args }: PreparedCall,
  { host, signal, parentToolCallId }: CallEnvironment,
  outcome: Outcome,
): Promise<Outcome> {
  const { output, isError } = outcome;
  const { content, details, structuredContent, usage } = output;
  const result = { content, details, structuredContent, usage, isError };
  const changed = await host.hooks?.toolResult({ toolCallId: call.id, parentToolCallId, tool, args }, result, signal);
  if (changed === undefined) return outcome;
  return { ...outcome, isError: changed.isError, output: { ...output, ...changed } };
}

function stopOf(options: CallEnvironment): Refusal | undefined {
  if (options.signal.aborted) return { text: ABORTED_TEXT, stopped: "aborted" };
  return options.interrupt.aborted ? { text: SKIPPED_TEXT, stopped: "skipped" } : undefined;
}

function failure({ text, stopped, terminate }: Refusal): Outcome {
  return { output: { ...textOutput(text), terminate }, isError: true, stopped };
}

function elapsed(since: number): number {
  return Math.round(performance.now() - since);
}
