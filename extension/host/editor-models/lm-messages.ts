import type { AssistantContent, InputContent } from "../../../agent/protocol/content.ts";
import type { HostModelMessage, HostModelRequest } from "../../../agent/protocol/host-models.ts";

/** A part that may be in a message to a model of the editor, and in a tool result. */
export type LmInput =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly data: string; readonly mimeType: string };

/** A part of a message to a model of the editor. */
export type LmPart =
  | LmInput
  | { readonly kind: "toolCall"; readonly callId: string; readonly name: string; readonly input: object }
  | { readonly kind: "toolResult"; readonly callId: string; readonly parts: readonly LmInput[] };

/** A message to a model of the editor, which supports only these two roles. */
export interface LmMessage {
  readonly role: "user" | "assistant";
  readonly parts: readonly LmPart[];
}

const FAILED = { kind: "text", text: "The tool call failed:" } as const;
const NO_OUTPUT = { kind: "text", text: "(no output)" } as const;

/**
 * Converts messages for a model of the editor, in order. The system prompt becomes the first user message, since there is no other place for it;
 * results of parallel tool calls go into one message; thinking of other models is left out.
 */
export function toLmMessages({
  systemPrompt,
  messages,
}: Pick<HostModelRequest, "systemPrompt" | "messages">): LmMessage[] {
  const all: LmMessage[] = [];
  let results: LmPart[] = [];
  const closeResults = () => {
    if (results.length > 0) all.push({ role: "user", parts: results });
    results = [];
  };
  if (systemPrompt.trim() !== "") all.push({ role: "user", parts: [{ kind: "text", text: systemPrompt }] });
  for (const message of messages) {
    if (message.role === "toolResult") {
      results.push(toResult(message));
      continue;
    }
    closeResults();
    const parts = message.role === "user" ? toInputs(message.content) : message.content.flatMap(toAnswerPart);
    if (parts.length > 0) all.push({ role: message.role, parts });
  }
  closeResults();
  return all;
}

/** Returns all text of messages that a tokenizer can count. */
export function textOf(messages: readonly LmMessage[]): string {
  return messages
    .flatMap(({ parts }) => parts)
    .flatMap((part): readonly LmPart[] => (part.kind === "toolResult" ? part.parts : [part]))
    .map((part) => {
      if (part.kind === "text") return part.text;
      return part.kind === "toolCall" ? `${part.name} ${JSON.stringify(part.input)}` : "";
    })
    .join("\n");
}

function toResult({ toolCallId, content, isError }: Extract<HostModelMessage, { role: "toolResult" }>): LmPart {
  const parts = toInputs(content);
  const whole = parts.length > 0 ? parts : [NO_OUTPUT];
  return { kind: "toolResult", callId: toolCallId, parts: isError ? [FAILED, ...whole] : whole };
}

function toInputs(content: readonly InputContent[]): LmInput[] {
  return content.flatMap((block): LmInput[] => {
    if (block.type === "image") return [{ kind: "image", data: block.data, mimeType: block.mimeType }];
    return block.text.trim() === "" ? [] : [{ kind: "text", text: block.text }];
  });
}

function toAnswerPart(block: AssistantContent): LmPart[] {
  switch (block.type) {
    case "text":
      return block.text.trim() === "" ? [] : [{ kind: "text", text: block.text }];
    case "toolCall":
      return [{ kind: "toolCall", callId: block.id, name: block.name, input: block.arguments }];
    case "thinking":
      return [];
  }
}
