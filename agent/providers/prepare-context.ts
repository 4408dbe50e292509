import type { AssistantContent, InputContent, TextContent, ToolCall } from "../protocol/content.ts";
import type {
  AgentMessage,
  AssistantMessage,
  BashExecutionMessage,
  ToolResultMessage,
  UserMessage,
} from "../protocol/messages.ts";
import type { Model } from "../protocol/model.ts";

/** The roles that providers see. */
export type ContextMessage = UserMessage | AssistantMessage | ToolResultMessage;

/** The replacement for an image that the model can't see. */
export const IMAGE_OMITTED = "[image omitted: model does not support images]";

const NO_RESULT = "No result provided";
const COMPACTION_LEAD =
  "The earlier part of this conversation was compacted to save space. This summary stands for it:";
const BRANCH_LEAD = "The conversation left this point for another branch and came back. This is what happened there:";

/**
 * Makes a conversation safe for any provider: only the roles user, assistant and toolResult; every tool call followed by exactly one
 * result; no failed answers; thinking only for the model that thought it. Thinking of other models is left out, since a model
 * would take it for something it had said aloud.
 */
export function prepareContext(
  messages: readonly AgentMessage[],
  model: Pick<Model, "api" | "provider" | "id">,
): ContextMessage[] {
  const context: ContextMessage[] = [];
  const calls = new OpenCalls(context);
  for (const message of messages) {
    switch (message.role) {
      case "assistant": {
        const prepared = prepareAssistant(message, model);
        if (prepared === undefined) break;
        calls.close();
        context.push(prepared);
        calls.open(prepared);
        break;
      }
      case "toolResult":
        calls.answer(message);
        break;
      default: {
        const prepared = toUserMessage(message);
        if (prepared === undefined) break;
        calls.close();
        context.push(prepared);
      }
    }
  }
  calls.close();
  return context;
}

/** The tool calls of the last answer: takes their results, and makes up for those that never came. */
class OpenCalls {
  readonly #context: ContextMessage[];
  readonly #open = new Map<string, ToolCall>();
  #timestamp = 0;

  constructor(context: ContextMessage[]) {
    this.#context = context;
  }

  open(message: AssistantMessage): void {
    this.#timestamp = message.timestamp;
    for (const block of message.content) if (block.type === "toolCall") this.#open.set(block.id, block);
  }

  /** Keeps a result that belongs to an open call; others are dropped. */
  answer(result: ToolResultMessage): void {
    if (this.#open.delete(result.toolCallId)) this.#context.push(result);
  }

  close(): void {
    for (const call of this.#open.values()) {
      this.#context.push({
        role: "toolResult",
        toolCallId: call.id,
        toolName: call.name,
        content: [{ type: "text", text: NO_RESULT }],
        isError: true,
        timestamp: this.#timestamp,
      });
    }
    this.#open.clear();
  }
}

/** The model's own messages as they were prepared before: they are sent again and again and never change. */
const preparedOwn = new WeakMap<AssistantMessage, { readonly message: AssistantMessage | undefined }>();

/** Returns a message of a model as another request may carry it, or undefined when nothing of it can be kept. */
function prepareAssistant(
  message: AssistantMessage,
  model: Pick<Model, "api" | "provider" | "id">,
): AssistantMessage | undefined {
  if (message.stopReason === "error") return undefined;
  // The same model behind another wire has other signatures.
  const isOwn = message.api === model.api && message.provider === model.provider && message.model === model.id;
  if (!isOwn) return withoutForeign(message, false);
  const known = preparedOwn.get(message) ?? { message: withoutForeign(message, true) };
  preparedOwn.set(message, known);
  return known.message;
}

function withoutForeign(message: AssistantMessage, isOwn: boolean): AssistantMessage | undefined {
  const ids = new Set<string>();
  const content = message.content.flatMap((block): AssistantContent[] => {
    if (block.type === "thinking") return isOwn && (block.thinkingSignature || block.thinking.trim()) ? [block] : [];
    if (block.type === "text") return isOwn ? ownText(block) : foreignText(block);
    if (ids.has(block.id)) return [];
    ids.add(block.id);
    if (isOwn) return [block];
    const { thoughtSignature, ...call } = block;
    return [call];
  });
  const hasSubstance = content.some((block) => block.type !== "thinking");
  return hasSubstance ? { ...message, content } : undefined;
}

/** A note goes back only for what its signature stands for. */
function ownText(block: TextContent): TextContent[] {
  const isEmpty = block.note === undefined ? block.text.trim() === "" : block.textSignature === undefined;
  return isEmpty ? [] : [block];
}

/** Another model is told of the sources, which the user may ask about, but not of searches: it would take the note for its own words. */
function foreignText({ text, note }: TextContent): TextContent[] {
  return text.trim() === "" || note === "search" ? [] : [{ type: "text", text }];
}

type OtherMessage = Exclude<AgentMessage, AssistantMessage | ToolResultMessage>;

/** A message that is not an answer as something the user said, or undefined when the model must not see it. */
export function toUserMessage(message: OtherMessage): UserMessage | undefined {
  switch (message.role) {
    case "user":
      return message;
    case "bashExecution":
      return message.excludeFromContext ? undefined : asUser(describeBashExecution(message), message.timestamp);
    case "custom":
      return asUser(message.content, message.timestamp);
    case "compactionSummary":
      return asUser(summaryText(COMPACTION_LEAD, message.summary), message.timestamp);
    case "branchSummary":
      return asUser(summaryText(BRANCH_LEAD, message.summary), message.timestamp);
  }
}

function asUser(content: string | InputContent[], timestamp: number): UserMessage {
  return {
    role: "user",
    content: typeof content === "string" ? [{ type: "text", text: content }] : content,
    timestamp,
  };
}

function summaryText(lead: string, summary: string): string {
  return `${lead}\n\n<summary>\n${summary}\n</summary>`;
}

/** A shell command that the user ran, with its output, as a model reads it. */
export function describeBashExecution(message: BashExecutionMessage): string {
  const parts = [`Ran \`${message.command}\`\n${fenced(message.output)}`];
  if (message.cancelled) parts.push("(command cancelled)");
  else if (message.exitCode) parts.push(`Command exited with code ${message.exitCode}`);
  if (message.truncated && message.fullOutputPath) {
    parts.push(`[Output truncated. Full output: ${message.fullOutputPath}]`);
  }
  return parts.join("\n\n");
}

function fenced(output: string): string {
  if (output === "") return "(no output)";
  const runs = output.match(/`{3,}/g) ?? [];
  const longest = runs.reduce((length, run) => Math.max(length, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${output}${output.endsWith("\n") ? "" : "\n"}${fence}`;
}
