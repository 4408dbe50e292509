import type { AgentMessage } from "../protocol/messages.ts";
import type { KnownSessionEntry } from "../protocol/session-entries.ts";
import type { Memory, SaidMessage } from "../tools/recall.ts";
import { plainName } from "../tools/tool-names.ts";
import { entryMessages } from "./context.ts";
import type { Conversation } from "./conversation.ts";

const TOOL = "recall";

/**
 * Returns a view of all messages on the path to the leaf of a conversation, including those that its context no longer
 * contains.
 */
export function memoryOf(conversation: () => Pick<Conversation, "path" | "isCut">): Memory {
  return {
    get isCut() {
      return conversation().isCut;
    },
    *messages() {
      for (const entry of conversation().path().toReversed()) {
        const said = sayingOf(entry);
        if (said !== undefined) yield said;
      }
    },
  };
}

/**
 * Returns an entry as text; undefined for entries that the model never saw, for summaries, and for earlier searches.
 */
function sayingOf(entry: KnownSessionEntry): SaidMessage | undefined {
  const [message] = entryMessages(entry);
  const words = message && wordsOf(message);
  if (message === undefined || words === undefined || words.text.trim() === "") return undefined;
  return { entryId: entry.id, timestamp: entry.timestamp, ...words };
}

function wordsOf(message: AgentMessage): Pick<SaidMessage, "by" | "text"> | undefined {
  switch (message.role) {
    case "user":
    case "custom":
      return { by: message.role === "user" ? "user" : "note", text: plainText(message.content) };
    case "assistant":
      return message.stopReason === "error" ? undefined : { by: "assistant", text: plainText(message.content) };
    case "toolResult":
      if (plainName(message.toolName) === TOOL) return undefined;
      return { by: `result of ${message.toolName}`, text: plainText(message.content) };
    case "bashExecution":
      if (message.excludeFromContext) return undefined;
      return { by: "command of the user", text: `${message.command}\n${message.output}` };
    case "compactionSummary":
    case "branchSummary":
      return undefined;
  }
}

function plainText(content: Extract<AgentMessage, { content: unknown }>["content"]): string {
  if (typeof content === "string") return content;
  const texts = content.map((block) => {
    if (block.type === "text") return block.text;
    if (block.type === "toolCall" && block.name !== TOOL) return `${block.name} ${JSON.stringify(block.arguments)}`;
    return block.type === "image" ? "[image]" : "";
  });
  return texts.filter((text) => text !== "").join("\n");
}
