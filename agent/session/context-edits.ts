import type { AgentMessage } from "../protocol/messages.ts";
import type { ContextEditEntry, KnownSessionEntry } from "../protocol/session-entries.ts";

/** The replacements of messages for the model; undefined for a hidden message. */
export type MessageEdits = ReadonlyMap<AgentMessage, AgentMessage | undefined>;

type Replacement = ContextEditEntry["replacement"];

/** Returns the newest edit of each entry of a path, by the entry's ID. */
export function editsOf(path: readonly KnownSessionEntry[]): ReadonlyMap<string, Replacement> {
  const edits = path.filter((entry) => entry.type === "context_edit");
  return new Map(edits.map(({ targetId, replacement }) => [targetId, replacement]));
}

/** Returns a message with its replaced content; undefined if it is hidden. */
export function editedMessage(message: AgentMessage, replacement: Replacement): AgentMessage | undefined {
  if (replacement === null) return undefined;
  const { content } = replacement;
  switch (message.role) {
    case "user":
    case "custom":
      return { ...message, content };
    case "toolResult":
      return { ...message, content: typeof content === "string" ? [{ type: "text", text: content }] : content };
    case "assistant": {
      const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
      const said = blocks.filter((block) => block.type === "text");
      return { ...message, content: [...said, ...message.content.filter((block) => block.type === "toolCall")] };
    }
    default:
      return message;
  }
}

/** True for an entry whose message can be edited. */
export function isEditable(entry: KnownSessionEntry): boolean {
  if (entry.type === "custom_message") return true;
  return entry.type === "message" && ["user", "assistant", "toolResult"].includes(entry.message.role);
}

/** Returns the messages as the model sees them. */
export function withEdits(messages: readonly AgentMessage[], edits: MessageEdits): readonly AgentMessage[] {
  if (edits.size === 0) return messages;
  return messages.flatMap((message) => (edits.has(message) ? (edits.get(message) ?? []) : message));
}
