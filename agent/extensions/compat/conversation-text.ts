import type { AssistantContent, InputContent } from "../../protocol/content.ts";
import type { AgentMessage, AssistantMessage } from "../../protocol/messages.ts";
import { type ContextMessage, toUserMessage } from "../../providers/prepare-context.ts";
import { estimateTokens as estimateAll } from "../../util/token-estimate.ts";

/** Tool results are cut to this many UTF-16 units: a summary needs no more of them. */
const MAX_RESULT_LENGTH = 2000;

type Content = InputContent | AssistantContent;

/** The messages in the roles that models know; what a model must not see is left out. */
export function convertToLlm(messages: readonly AgentMessage[]): ContextMessage[] {
  return messages.flatMap((message): ContextMessage[] => {
    if (message.role === "assistant" || message.role === "toolResult") return [message];
    const said = toUserMessage(message);
    return said === undefined ? [] : [said];
  });
}

/** A conversation as text that a model can be asked about without taking part in it. */
export function serializeConversation(messages: readonly ContextMessage[]): string {
  return messages.flatMap(describe).join("\n\n");
}

/** About how many tokens a message takes. */
export function estimateTokens(message: AgentMessage): number {
  return estimateAll([message]);
}

/** The text of a message's content. */
export function contentText(content: string | readonly Content[], separator = "\n"): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(separator);
}

function describe(message: ContextMessage): string[] {
  switch (message.role) {
    case "user":
      return labelled("User", contentText(message.content, ""));
    case "toolResult":
      return labelled("Tool result", shorten(contentText(message.content, "")));
    case "assistant":
      return describeAnswer(message);
    default:
      return []; // an extension may hand over anything
  }
}

function describeAnswer({ content }: AssistantMessage): string[] {
  const thinking = content.flatMap((block) => (block.type === "thinking" ? [block.thinking] : []));
  const calls = content.flatMap((block) => {
    if (block.type !== "toolCall") return [];
    const args = Object.entries(block.arguments).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
    return [`${block.name}(${args.join(", ")})`];
  });
  return [
    ...labelled("Assistant thinking", thinking.join("\n")),
    ...labelled("Assistant", contentText(content)),
    ...labelled("Assistant tool calls", calls.join("; ")),
  ];
}

function labelled(label: string, text: string): string[] {
  return text === "" ? [] : [`[${label}]: ${text}`];
}

function shorten(text: string): string {
  const left = text.length - MAX_RESULT_LENGTH;
  return left <= 0 ? text : `${text.slice(0, MAX_RESULT_LENGTH)}\n\n[... ${left} more characters truncated]`;
}
