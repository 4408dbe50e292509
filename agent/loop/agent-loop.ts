import type { StreamRule } from "../prompt/rules.ts";
import type { ToolCall } from "../protocol/content.ts";
import type { AgentMessage, AssistantMessage, ToolResultMessage } from "../protocol/messages.ts";
import type { Pause } from "../providers/provider.ts";
import type { AnyTool } from "../tools/tool.ts";
import { abortedMessage, type Reply, streamReply } from "./assistant-reply.ts";
import type { Delivery, LoopHost } from "./loop-host.ts";
import type { Refusal } from "./tool-call.ts";
import { runToolCalls } from "./tool-calls.ts";

/** A model that pauses more often in a row doesn't get any further. */
const MAX_PAUSES = 10;

/** The end of a low run, with all its messages. */
export type LowRunEnd = { messages: AgentMessage[] } & (
  | { kind: "done" }
  | { kind: "aborted" }
  /** The model's output matched these rules. */
  | { kind: "interrupted"; rules: readonly StreamRule[] }
  | { kind: "failed"; error: unknown; message: AssistantMessage }
);

/**
 * Runs turns until the model has nothing more to do and nothing is queued: each turn delivers what waits, asks the model and runs its tool
 * calls. A response that the model paused goes on in the next turn. Emits everything from `agent_start` up to the last `turn_end`; the owner, who knows what comes next, emits `agent_end`.
 * Never throws for what a model, a tool or an abort does.
 */
export async function runLowRun(host: LoopHost, opening: readonly Delivery[], signal: AbortSignal): Promise<LowRunEnd> {
  await host.emit({ type: "agent_start" });
  const messages: AgentMessage[] = [];
  let deliveries = [...opening, ...host.takeSteering()];
  let pause: Pause | undefined;
  let pauses = 0;
  for (let turnIndex = 0; ; turnIndex++) {
    await host.emit({ type: "turn_start" });
    for (const delivery of deliveries) messages.push(await deliver(host, delivery));
    const isResumed = pause === "whole" && deliveries.length === 0;
    const reply = await streamReply(host, isResumed, signal);
    const message = await host.keep(reply.message);
    messages.push(message);
    if (reply.kind !== "complete") return endIncomplete({ host, turnIndex, signal }, reply, messages, message);
    const calls = toolCallsOf(message);
    const batch = await runBatch(host, reply, calls, signal);
    messages.push(...batch.results);
    const wantsMore = await endTurn({ host, turnIndex, signal }, message, batch.results);
    if (signal.aborted) {
      messages.push(await closeAborted({ host, turnIndex: turnIndex + 1, signal }));
      return { kind: "aborted", messages };
    }
    if (calls.length > 0 && batch.terminate && !wantsMore) return { kind: "done", messages };
    pauses = reply.pause === undefined ? 0 : pauses + 1;
    pause = wantsMore || calls.length > 0 || pauses > MAX_PAUSES ? undefined : reply.pause;
    const goesOn = wantsMore || calls.length > 0 || pause !== undefined;
    if (goesOn || host.hasQueued()) {
      await host.betweenTurns(signal);
      if (signal.aborted) return { kind: "aborted", messages };
    }
    deliveries = host.takeSteering();
    if (goesOn || deliveries.length > 0) continue;
    deliveries = host.takeFollowUps();
    if (deliveries.length === 0) return { kind: "done", messages };
  }
}

/** The context of a turn. */
interface Turn {
  host: LoopHost;
  turnIndex: number;
  signal: AbortSignal;
}

/** Ends a turn after its messages are stored. @returns true if an extension wants another request. */
async function endTurn(
  { host, turnIndex, signal }: Turn,
  message: AssistantMessage,
  toolResults: ToolResultMessage[],
): Promise<boolean> {
  const { stopReason } = message;
  const outcome = stopReason === "aborted" || stopReason === "error" ? stopReason : "completed";
  const wantsMore = await host.endTurn?.({ turnIndex, message, toolResults, outcome }, signal);
  await host.emit({ type: "turn_end", message, toolResults });
  return wantsMore === true;
}

async function deliver(host: LoopHost, { message, announce }: Delivery): Promise<AgentMessage> {
  await announce?.();
  await host.emit({ type: "message_start", message });
  return host.keep(message);
}

async function runBatch(
  host: LoopHost,
  reply: Extract<Reply, { kind: "complete" }>,
  calls: readonly ToolCall[],
  signal: AbortSignal,
) {
  if (calls.length === 0) return { results: [], terminate: false };
  const interrupt = host.interruptSignal();
  try {
    return await runToolCalls(calls, {
      host,
      tools: reply.tools,
      brokenCalls: reply.brokenCalls,
      refuse: reply.message.stopReason === "length" ? truncatedCall : undefined,
      signal,
      interrupt: interrupt.signal,
    });
  } finally {
    interrupt.dispose();
  }
}

const NO_TOOLS: ReadonlyMap<string, AnyTool> = new Map();

/** The end of a low run whose answer broke off. Calls that were complete get their result, so that each call has one. */
async function endIncomplete(
  turn: Turn,
  reply: Exclude<Reply, { kind: "complete" }>,
  messages: AgentMessage[],
  message: AssistantMessage,
): Promise<LowRunEnd> {
  const { host } = turn;
  let results: ToolResultMessage[] = [];
  if (reply.kind !== "failed") {
    const never = new AbortController().signal;
    ({ results } = await runToolCalls(toolCallsOf(message), {
      host,
      tools: NO_TOOLS,
      brokenCalls: new Map(),
      refuse: () => ({ text: "Tool execution was aborted: Request was aborted", stopped: "aborted" }),
      signal: never,
      interrupt: never,
    }));
    messages.push(...results);
  }
  await endTurn(turn, message, results);
  switch (reply.kind) {
    case "aborted":
      return { kind: "aborted", messages };
    case "interrupted":
      return { kind: "interrupted", messages, rules: reply.rules };
    case "failed":
      return { kind: "failed", messages, error: reply.error, message };
  }
}

async function closeAborted(turn: Turn): Promise<AssistantMessage> {
  const { host } = turn;
  await host.emit({ type: "turn_start" });
  const message = abortedMessage(host);
  await host.emit({ type: "message_start", message });
  const kept = await host.keep(message);
  await endTurn(turn, kept, []);
  return kept;
}

function truncatedCall(call: ToolCall): Refusal {
  const text = `Tool call "${call.name}" was not executed: the response hit the output token limit, so its arguments may be truncated. Re-issue the tool call with complete arguments.`;
  return { text };
}

function toolCallsOf(message: AssistantMessage): ToolCall[] {
  return message.content.filter((block) => block.type === "toolCall");
}
