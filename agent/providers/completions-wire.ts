import * as z from "zod";

/** Marks the end of the content to cache, for models that need such marks. */
export interface ChatCacheControl {
  type: "ephemeral";
  /** The lifetime; default five minutes. */
  ttl?: "1h";
}

export interface ChatText {
  type: "text";
  text: string;
  cache_control?: ChatCacheControl;
}

export interface ChatImage {
  type: "image_url";
  /** `url` is a `data:` address. */
  image_url: { url: string };
}

export interface ChatToolCall {
  id: string;
  type: "function";
  /** `arguments` is JSON text. */
  function: { name: string; arguments: string };
  /** Gemini's: it refuses a call that comes back without the signature of the thinking before it. */
  extra_content?: { google: { thought_signature: string } };
}

/** Fields in which servers send what a model thinks, and in which some want it back. */
export const REASONING_FIELDS = ["reasoning_content", "reasoning", "reasoning_text"] as const;
export type ReasoningField = (typeof REASONING_FIELDS)[number];

export interface ChatAssistant extends Partial<Record<ReasoningField, string>> {
  role: "assistant";
  content: string | null;
  tool_calls?: ChatToolCall[];
}

export type ChatMessage =
  | { role: "system" | "developer"; content: string | ChatText[] }
  | { role: "user"; content: string | (ChatText | ChatImage)[] }
  | ChatAssistant
  | { role: "tool"; tool_call_id: string; content: string | ChatText[]; name?: string };

export interface ChatTool {
  type: "function";
  function: { name: string; description: string; parameters: Record<string, unknown> };
}

/** The body of a request for a chat completion; source: the OpenAI API reference, "Create chat completion". */
export interface ChatRequest {
  model: string;
  messages: ChatMessage[];
  stream: true;
  stream_options?: { include_usage: true };
  tools?: ChatTool[];
  max_tokens?: number;
  max_completion_tokens?: number;
  reasoning_effort?: string;
  /** OpenRouter's, and Together's. */
  reasoning?: { effort: string } | { enabled: boolean };
  /** DeepSeek's and Z.ai's. */
  thinking?: { type: "enabled" | "disabled" };
  /** Qwen's. */
  enable_thinking?: boolean;
}

// No answer is lost because its tokens are counted in a strange way.
const count = z.int().nonnegative().nullish().catch(undefined);

const ChatUsage = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  /** Only OpenRouter sends `cache_write_tokens`. */
  prompt_tokens_details: z.object({ cached_tokens: count, cache_write_tokens: count }).nullish().catch(undefined),
  completion_tokens_details: z.object({ reasoning_tokens: count }).nullish().catch(undefined),
  /** DeepSeek's name for what came from its cache. */
  prompt_cache_hit_tokens: count,
});
export type ChatUsage = z.infer<typeof ChatUsage>;

const text = z.string().nullish();

const ToolCallDelta = z.object({
  index: z.int().nonnegative().nullish(),
  id: text,
  function: z.object({ name: text, arguments: text }).nullish(),
  extra_content: z
    .object({ google: z.object({ thought_signature: text }).nullish() })
    .nullish()
    .catch(undefined),
});
export type ToolCallDelta = z.infer<typeof ToolCallDelta>;

/** Mistral's models that think answer in pieces: of text, of thinking, and of what does not matter here. */
const Piece = z.object({ text, thinking: z.array(z.object({ text })).nullish() }).catch({});
const Pieces = z.array(Piece).transform((pieces) => ({
  thinking: pieces.flatMap(({ thinking }) => thinking?.map((part) => part.text ?? "") ?? []).join(""),
  text: pieces.map((piece) => piece.text ?? "").join(""),
}));

const Delta = z.object({
  content: z.union([text, Pieces]),
  refusal: text,
  reasoning_content: text,
  reasoning: text,
  reasoning_text: text,
  tool_calls: z.array(ToolCallDelta).nullish(),
});
export type ChatDelta = z.infer<typeof Delta>;

/** One event of a streamed completion. */
export const ChatChunk = z.object({
  id: text,
  model: text,
  choices: z.array(z.object({ delta: Delta.nullish(), finish_reason: text })).nullish(),
  usage: ChatUsage.nullish().catch(undefined),
});
export type ChatChunk = z.infer<typeof ChatChunk>;
