import type { ContentBlock } from "@agentclientprotocol/sdk";
import { splitAttached } from "../../protocol/attached.ts";
import type { InputContent } from "../../protocol/content.ts";
import type {
  AgentMessage,
  AssistantMessage,
  BashExecutionMessage,
  ToolResultMessage,
} from "../../protocol/messages.ts";
import { planOf, planUpdate } from "./plan.ts";
import type { SessionFeed } from "./session-feed.ts";
import { ToolCalls } from "./tool-calls.ts";

/** Shows a whole conversation to a client that has just opened it. */
export function replay(messages: readonly AgentMessage[], feed: SessionFeed, cwd: string): void {
  const calls = new ToolCalls(feed, cwd);
  for (const message of messages) {
    if (message.role === "toolResult") replayResult(message, calls, feed);
    else replayMessage(message, feed, cwd, calls);
  }
  calls.abandon();
}

/** Shows one message that is complete. @param calls takes the tool calls of the model. */
export function replayMessage(message: AgentMessage, feed: SessionFeed, cwd: string, calls?: ToolCalls): void {
  switch (message.role) {
    case "user":
      if (message.synthetic !== true) chunks("user_message_chunk", message.content, feed);
      break;
    case "assistant":
      replayAnswer(message, feed, calls);
      break;
    case "custom":
      if (message.display) chunks("agent_message_chunk", message.content, feed);
      break;
    case "bashExecution":
      replayCommand(message, new ToolCalls(feed, cwd), feed);
      break;
    case "compactionSummary":
      feed.notice("info", "The earlier conversation was summarized.", message.summary);
      break;
    case "branchSummary":
      feed.notice("info", "Another branch of the conversation was summarized.", message.summary);
      break;
  }
}

function replayAnswer(
  { content, stopReason, errorMessage }: AssistantMessage,
  feed: SessionFeed,
  calls?: ToolCalls,
): void {
  const messageId = feed.nextMessage();
  for (const block of content) {
    if (block.type === "text") feed.text("agent_message_chunk", messageId, block.text);
    else if (block.type === "toolCall") calls?.describe(block.id, block.name, block.arguments);
    else if (block.thinking !== "") feed.text("agent_thought_chunk", messageId, block.thinking);
  }
  if (stopReason === "error") feed.notice("error", errorMessage ?? "The model failed.");
}

function replayResult(message: ToolResultMessage, calls: ToolCalls, feed: SessionFeed): void {
  const { toolCallId, toolName, content, details, isError } = message;
  const phases = toolName === "todo_write" ? planOf(details) : undefined;
  if (phases !== undefined) feed.send(planUpdate(phases));
  calls.end({ toolCallId, toolName, result: { content, details }, isError });
}

function replayCommand({ command, output, exitCode }: BashExecutionMessage, calls: ToolCalls, feed: SessionFeed): void {
  const toolCallId = feed.nextMessage();
  calls.describe(toolCallId, "bash", { command });
  const isError = exitCode !== 0 && exitCode !== undefined && exitCode !== null;
  calls.end({ toolCallId, toolName: "bash", result: { content: [{ type: "text", text: output }] }, isError });
}

function chunks(
  sessionUpdate: "user_message_chunk" | "agent_message_chunk",
  content: string | readonly InputContent[],
  feed: SessionFeed,
): void {
  const messageId = feed.nextMessage();
  const blocks: readonly InputContent[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  for (const block of blocks) feed.send({ sessionUpdate, messageId, content: toBlock(block) });
}

/** Texts that a client attached are left out, as it shows them itself. */
function toBlock(block: InputContent): ContentBlock {
  if (block.type === "image") return { type: "image", data: block.data, mimeType: block.mimeType };
  return { type: "text", text: splitAttached(block.text).text };
}
