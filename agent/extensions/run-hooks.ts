import * as z from "zod";
import type { CallResult, CallVerdict, GatedCall, RunAdditions, RunHooks, RunPrompt } from "../loop/loop-host.ts";
import { InputContent } from "../protocol/content.ts";
import { AgentMessage } from "../protocol/messages.ts";
import { Usage } from "../protocol/model.ts";
import { plainCopy } from "../util/plain-copy.ts";
import type { ToolCallEvent, ToolResultEvent } from "./extension-events.ts";
import { ExtensionMessage } from "./registrations.ts";
import { createRequestHooks } from "./request-hooks.ts";
import type { ExtensionRunner } from "./runner.ts";
import { askWithSystem } from "./system-context.ts";

const Block = z.lazy(() =>
  z.object({
    block: z.literal(true),
    reason: z.string().optional(),
    terminate: z.boolean().optional(),
  }),
);

const ResultChange = z.lazy(() =>
  z
    .object({
      content: z.array(InputContent),
      details: z.unknown(),
      structuredContent: z.unknown(),
      isError: z.boolean(),
      usage: Usage,
    })
    .partial(),
);

const ContextChange = z.object({ messages: z.array(AgentMessage) });
const MessageChange = z.object({ message: AgentMessage });
const StartChange = z.lazy(() =>
  z.object({ message: ExtensionMessage.optional(), systemPrompt: z.string().optional() }),
);

/** Creates the hooks by which extensions watch and change runs. */
export function createRunHooks(runner: ExtensionRunner): RunHooks {
  return {
    context: (messages, signal) => askContext(runner, messages, signal),
    contextWithSystem: (content, signal) => askWithSystem(runner, content, signal),
    request: (signal) => createRequestHooks(runner, signal),
    messageEnd: (message, signal) => askMessageEnd(runner, message, signal),
    runStart: (prompt, signal) => askRunStart(runner, prompt, signal),
    toolCall: (call, signal) => askToolCall(runner, call, signal),
    toolResult: (call, result, signal) => askToolResult(runner, call, result, signal),
  };
}

async function askContext(
  runner: ExtensionRunner,
  messages: readonly AgentMessage[],
  signal: AbortSignal,
): Promise<readonly AgentMessage[]> {
  if (!runner.handles("context")) return messages;
  const event = { type: "context" as const, messages: plainCopy([...messages]) };
  await runner.ask(
    event,
    (result) => {
      const change = ContextChange.safeParse(result);
      if (change.success) event.messages = change.data.messages;
      return false;
    },
    { signal },
  );
  return event.messages;
}

async function askMessageEnd<Message extends AgentMessage>(
  runner: ExtensionRunner,
  message: Message,
  signal: AbortSignal | undefined,
): Promise<Message> {
  if (!runner.handles("message_end")) return message;
  let kept = message;
  const event = { type: "message_end" as const, message: kept };
  const take = (result: unknown) => {
    const change = MessageChange.safeParse(result);
    // Only named fields change; a message of another role would break the order of the conversation.
    if (change.data?.message.role === message.role) kept = Object.assign({}, kept, change.data.message);
    event.message = kept;
    return false;
  };
  await runner.ask(event, take, { signal });
  return kept;
}

async function askRunStart(
  runner: ExtensionRunner,
  { isPrompt, text, images, draft }: RunPrompt,
  signal: AbortSignal,
): Promise<RunAdditions> {
  const added: RunAdditions = { messages: [], systemPrompt: undefined };
  const of = isPrompt ? "all" : "bundled"; // tools of MCP servers are there in every run
  if (!runner.handles("before_agent_start", of)) return added;
  const prompt = draft();
  const before = prompt.text();
  const event = {
    type: "before_agent_start" as const,
    messageType: isPrompt ? ("user" as const) : ("custom" as const),
    prompt: text,
    images: [...images],
    systemPromptOptions: prompt.options,
    get systemPrompt() {
      return prompt.text(); // each handler goes on from where the one before it stopped
    },
  };
  const take = (result: unknown) => {
    const { data } = StartChange.safeParse(result);
    if (data?.message !== undefined) added.messages.push({ ...data.message, role: "custom", timestamp: Date.now() });
    if (data?.systemPrompt !== undefined) prompt.options.forceSystemPrompt = data.systemPrompt;
    return false;
  };
  await runner.ask(event, take, { signal, of });
  const after = prompt.text();
  if (after !== before) added.systemPrompt = after;
  return added;
}

async function askToolCall(
  runner: ExtensionRunner,
  { toolCallId, parentToolCallId, tool, args }: Omit<GatedCall, "summary">,
  signal: AbortSignal,
): Promise<CallVerdict | undefined> {
  if (!runner.handles("tool_call", "installed")) return undefined; // the agent's own have the last word, at the gate
  const event: ToolCallEvent = {
    type: "tool_call",
    toolName: tool.name,
    toolCallId,
    ...(parentToolCallId === undefined ? {} : { parentToolCallId }),
    input: structuredClone(args), // what the model said stays as it is
  };
  let block: z.infer<typeof Block> | undefined;
  const take = (result: unknown) => {
    block = Block.safeParse(result).data;
    return block !== undefined;
  };
  await runner.ask(event, take, { signal, isStrict: true, of: "installed" });
  signal.throwIfAborted(); // a handler that was left behind has said nothing
  if (block === undefined) return { args: event.input };
  return { block: block.reason || "Tool execution was blocked", terminate: block.terminate };
}

async function askToolResult(
  runner: ExtensionRunner,
  { toolCallId, parentToolCallId, tool, args }: Omit<GatedCall, "summary">,
  result: CallResult,
  signal: AbortSignal,
): Promise<CallResult> {
  if (!runner.handles("tool_result")) return result;
  const { content, details, structuredContent, isError, usage } = result;
  const event: ToolResultEvent = {
    type: "tool_result",
    toolName: tool.name,
    toolCallId,
    ...(parentToolCallId === undefined ? {} : { parentToolCallId }),
    input: args,
    content,
    details,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    isError,
    ...(usage === undefined ? {} : { usage }),
  };
  let changed: CallResult = result;
  const take = (given: unknown) => {
    const change = ResultChange.safeParse(given);
    if (change.success) {
      const isStale = change.data.content !== undefined && !("structuredContent" in change.data);
      const made = isStale ? { ...change.data, structuredContent: undefined } : change.data;
      changed = { ...changed, ...made };
      Object.assign(event, made); // the next handler sees what this one made of it
    }
    return false;
  };
  await runner.ask(event, take, { signal });
  return changed;
}
