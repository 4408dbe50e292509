import type { AgentMessage } from "../protocol/messages.ts";

/** A tool call of a conversation. Models that number their calls use the same ids in other conversations. */
export interface MadeCall {
  /** The model's id of the call. */
  readonly id: string;
  /** The start and end of the call, as Unix time in ms; Infinity while no end is known. */
  readonly from: number;
  readonly to: number;
}

/** Returns the tool calls in some messages of a conversation. */
export function callsIn(messages: readonly AgentMessage[]): MadeCall[] {
  const endOf = (id: string, from: number) => {
    const result = messages.slice(from).find((later) => later.role === "toolResult" && later.toolCallId === id);
    return result?.timestamp ?? Number.POSITIVE_INFINITY;
  };
  return messages.flatMap((message, index) => {
    if (message.role !== "assistant") return [];
    return message.content.flatMap((block) =>
      block.type === "toolCall" ? [{ id: block.id, from: message.timestamp, to: endOf(block.id, index) }] : [],
    );
  });
}
