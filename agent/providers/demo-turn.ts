import type { InputContent, ToolCall } from "../protocol/content.ts";
import type { AgentMessage } from "../protocol/messages.ts";
import type { ProviderRequest } from "./provider.ts";

/** One piece of what the demo answers. */
export type DemoBlock =
  | { kind: "thinking"; text: string }
  | { kind: "text"; text: string }
  | { kind: "toolCall"; name: string; args: Record<string, unknown> };

/** A tool call that the demo made in this turn, with what came of it. */
export interface DemoStep {
  name: string;
  args: Record<string, unknown>;
  text: string;
  isError: boolean;
}

/** The input of the demo model: the last message, and the results of its own calls since. */
export interface DemoTurn {
  said: string;
  isFirst: boolean;
  steps: readonly DemoStep[];
  tools: ReadonlySet<string>;
}

/** Reads the turn out of the request; nothing else is remembered. */
export function readTurn({ messages, tools }: Pick<ProviderRequest, "messages" | "tools">): DemoTurn {
  const at = messages.findLastIndex((message) => message.role === "user");
  const user = messages[at];
  return {
    said: user?.role === "user" ? textOf(user.content) : "",
    isFirst: !messages.slice(0, at).some((message) => message.role === "assistant"),
    steps: readSteps(messages.slice(at + 1)),
    tools: new Set(tools.map((tool) => tool.name)),
  };
}

function readSteps(messages: readonly AgentMessage[]): DemoStep[] {
  const calls = new Map<string, ToolCall>();
  const steps: DemoStep[] = [];
  for (const message of messages) {
    if (message.role === "assistant") {
      for (const block of message.content) if (block.type === "toolCall") calls.set(block.id, block);
    } else if (message.role === "toolResult") {
      const args = calls.get(message.toolCallId)?.arguments ?? {};
      steps.push({ name: message.toolName, args, text: textOf(message.content), isError: message.isError });
    }
  }
  return steps;
}

function textOf(content: string | readonly InputContent[]): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : `[${block.mimeType}]`)).join("\n");
}
