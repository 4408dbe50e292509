import type { AssistantContent, InputContent } from "../../protocol/content.ts";
import type { AgentMessage } from "../../protocol/messages.ts";

/** Tool results, thinking and arguments are cut to this many characters: a summary needs no more of them. */
const MAX_DETAIL_CHARACTERS = 2000;
const LEFT_OUT = "[The oldest messages are left out: they do not fit into this request.]";

/**
 * Writes messages down as text for a model that is to summarise them.
 * @param maxCharacters when there is more, the oldest messages are left out.
 */
export function writeTranscript(messages: readonly AgentMessage[], maxCharacters: number): string {
  const parts: string[] = [];
  let characters = 0;
  for (const message of messages.toReversed()) {
    const text = describe(message);
    if (text === "") continue;
    characters += text.length;
    if (characters > maxCharacters && parts.length > 0) {
      parts.push(LEFT_OUT);
      break;
    }
    parts.push(text.slice(0, maxCharacters));
  }
  return parts.reverse().join("\n\n");
}

function describe(message: AgentMessage): string {
  switch (message.role) {
    case "user":
    case "custom":
      return labelled("User", plainText(message.content));
    case "assistant":
      return message.stopReason === "error" ? "" : message.content.map(describeBlock).filter(Boolean).join("\n\n");
    case "toolResult": {
      const label = message.isError ? `Error of ${message.toolName}` : `Result of ${message.toolName}`;
      return labelled(label, shorten(plainText(message.content)));
    }
    case "bashExecution":
      return message.excludeFromContext
        ? ""
        : labelled("Command of the user", `${message.command}\n${shorten(message.output)}`);
    case "compactionSummary":
    case "branchSummary":
      return labelled("Summary of another branch", message.summary);
  }
}

function describeBlock(block: AssistantContent): string {
  switch (block.type) {
    case "text":
      return labelled("Assistant", block.text);
    case "thinking":
      return labelled("Assistant, thinking", shorten(block.thinking));
    case "toolCall":
      return labelled("Call", `${block.name} ${shorten(JSON.stringify(block.arguments))}`);
  }
}

function plainText(content: string | readonly InputContent[]): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : "[image]")).join("\n");
}

function labelled(label: string, text: string): string {
  return text.trim() === "" ? "" : `[${label}]\n${text}`;
}

function shorten(text: string): string {
  if (text.length <= MAX_DETAIL_CHARACTERS) return text;
  const rest = text.length - MAX_DETAIL_CHARACTERS;
  return `${text.slice(0, MAX_DETAIL_CHARACTERS)}\n[${rest} more characters]`;
}
