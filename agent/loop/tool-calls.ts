import type { ToolCall } from "../protocol/content.ts";
import type { ToolResultMessage } from "../protocol/messages.ts";
import type { AnyTool } from "../tools/tool.ts";
import { meantCall, ranAs } from "./meant-call.ts";
import { type CallEnvironment, type Outcome, runToolCall } from "./tool-call.ts";

/** The number of calls of a batch that run at once. */
const MAX_AT_ONCE = 8;

/** The results of a batch, in the order of its calls. */
export interface BatchResult {
  results: ToolResultMessage[];
  /** Every result asked to end the run. */
  terminate: boolean;
}

/**
 * Runs all tool calls of one message. Shared tools overlap, and so does what only reads; an exclusive one runs alone. Calls start in order,
 * and each result message comes as soon as its call and all earlier ones are done. Nothing is thrown: failures are results.
 */
export async function runToolCalls(calls: readonly ToolCall[], given: CallEnvironment): Promise<BatchResult> {
  const options = { ...given, tools: withUntold(calls, given) };
  const outcomes: (Outcome | undefined)[] = calls.map(() => undefined);
  const meant: ToolCall[] = [];
  const results: ToolResultMessage[] = [];
  let delivery = Promise.resolve();
  const deliverReady = async () => {
    for (let call = calls[results.length]; call !== undefined; call = calls[results.length]) {
      const outcome = outcomes[results.length];
      if (outcome === undefined) return;
      const message = { ...toMessage(call, outcome), ...ranAs(call, meant[results.length]) };
      results.push(message);
      await options.host.emit({ type: "message_start", message });
      results[results.length - 1] = await options.host.keep(message);
    }
  };
  const running = new Set<Promise<void>>();
  const { cwd } = options.host.toolContext();
  for (const [index, called] of calls.entries()) {
    const call = await meantCall(called, options.tools, cwd);
    meant[index] = call;
    const isExclusive = calls.length > 1 && (await runsAlone(call, options));
    if (isExclusive) await Promise.all(running);
    if (running.size >= MAX_AT_ONCE) await Promise.race(running);
    const done = runToolCall(call, options).then(async (outcome) => {
      outcomes[index] = outcome;
      delivery = delivery.then(deliverReady);
      await delivery;
      running.delete(done);
    });
    running.add(done);
    if (isExclusive) await done;
  }
  await Promise.all(running);
  return { results, terminate: outcomes.every((outcome) => outcome?.output.terminate === true) };
}

/** Adds undeclared tools that the model calls by their exact names. */
function withUntold(calls: readonly ToolCall[], { tools, host }: CallEnvironment): ReadonlyMap<string, AnyTool> {
  const untold = calls.flatMap(({ name }): [string, AnyTool][] => {
    const tool = tools.has(name) ? undefined : host.untoldTool?.(name);
    return tool === undefined || tool === "gone" ? [] : [[name, tool]];
  });
  return untold.length === 0 ? tools : new Map([...tools, ...untold]);
}

async function runsAlone(call: ToolCall, { host, tools, brokenCalls, refuse }: CallEnvironment): Promise<boolean> {
  const tool = tools.get(call.name);
  if (tool?.concurrency !== "exclusive") return false;
  const isRun = refuse === undefined && !brokenCalls.has(call.id);
  return !isRun || (await host.onlyReads?.(tool, call.arguments)) !== true;
}

function toMessage(call: ToolCall, { output, isError, durationMs, stopped, nestedCalls }: Outcome): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content: output.content,
    details: output.details ?? {},
    isError,
    timestamp: Date.now(),
    ...(output.usage === undefined ? {} : { usage: output.usage }),
    ...(nestedCalls === undefined ? {} : { nestedCalls }),
    ...(durationMs === undefined ? {} : { durationMs }),
    ...(output.isWarning === true ? { isWarning: true } : {}),
    ...(stopped === undefined ? {} : { stopped }),
  };
}
