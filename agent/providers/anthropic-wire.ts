import * as z from "zod";
import { tagsOf } from "../protocol/late-schema.ts";

/** Marks the end of a part of the request that the service keeps for the next one. */
export interface CacheControl {
  type: "ephemeral";
  /** Default: five minutes. */
  ttl?: "1h";
}

export interface WireText {
  type: "text";
  text: string;
  citations?: readonly unknown[];
  cache_control?: CacheControl;
}

export interface WireImage {
  type: "image";
  source: { type: "base64"; media_type: string; data: string };
  cache_control?: CacheControl;
}

/** A PDF. */
export interface WireDocument {
  type: "document";
  source: { type: "base64"; media_type: string; data: string };
  cache_control?: CacheControl;
}

export interface WireToolResult {
  type: "tool_result";
  tool_use_id: string;
  content: (WireText | WireImage | WireDocument)[];
  is_error?: boolean;
  cache_control?: CacheControl;
}

export interface WireToolUse {
  type: "tool_use";
  id: string;
  name: string;
  input: Record<string, unknown>;
}

/** The work of a tool of the service, exactly as it came. */
export interface WireServerBlock {
  [field: string]: unknown;
  cache_control?: never;
  type: "server_tool_use" | "web_search_tool_result" | "web_fetch_tool_result";
}

export type WireUserBlock = WireText | WireImage | WireDocument | WireToolResult;

export type WireAssistantBlock =
  | WireText
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "redacted_thinking"; data: string }
  | WireToolUse
  | WireServerBlock;

export type WireMessage =
  | { role: "user"; content: WireUserBlock[] }
  | { role: "assistant"; content: WireAssistantBlock[] };

export type WireTool = (
  | { name: string; description: string; input_schema: Record<string, unknown> }
  | { type: "web_search_20250305"; name: "web_search" }
  | { type: "web_fetch_20250910"; name: "web_fetch"; max_content_tokens: number }
) & { cache_control?: CacheControl };

/** The thinking settings of a request; `display` asks for a readable summary, which newer models omit otherwise. */
export type WireThinking =
  | { type: "enabled"; budget_tokens: number; display?: "summarized" }
  | {
      type: "adaptive";
      display?: "summarized";
      /** A changed history (compaction, forks) costs the old thinking instead of the request. */
      block_binding?: { prefix_mismatch_behavior: "drop_block" };
    }
  | { type: "disabled" }
  | { type: "between_tools" };

/**
 * The body of a request to create a message.
 * @see https://platform.claude.com/docs/en/api/messages
 */
export interface WireRequest {
  model: string;
  max_tokens: number;
  stream: true;
  system?: WireText[];
  messages: WireMessage[];
  tools?: WireTool[];
  thinking?: WireThinking;
  output_config?: { effort: string };
}

const count = z.number().nullish();

const WireUsage = z.lazy(() =>
  z.object({
    input_tokens: count,
    output_tokens: count,
    cache_read_input_tokens: count,
    cache_creation_input_tokens: count,
    cache_creation: z.object({ ephemeral_1h_input_tokens: count }).nullish(),
    output_tokens_details: z.object({ thinking_tokens: count }).nullish(),
    server_tool_use: z.object({ web_search_requests: count }).nullish(),
  }),
);
export type WireUsage = z.infer<typeof WireUsage>;

/** The answer to a request to count tokens. */
export const TokenCount = z.lazy(() => z.object({ input_tokens: z.int() }));

/** The error inside a refused request's body and inside an `error` event. */
export const WireError = z.lazy(() =>
  z.object({ error: z.object({ type: z.string().catch(""), message: z.string() }) }),
);

const MessageStart = z.lazy(() =>
  z.object({
    type: z.literal("message_start"),
    message: z.object({
      id: z.string().optional(),
      model: z.string().optional(),
      usage: WireUsage.optional(),
    }),
  }),
);

const ContentBlockStart = z.lazy(() =>
  z.object({
    type: z.literal("content_block_start"),
    index: z.number(),
    content_block: z.looseObject({
      type: z.string(),
      text: z.string().optional(),
      thinking: z.string().optional(),
      signature: z.string().optional(),
      data: z.string().optional(),
      id: z.string().optional(),
      name: z.string().optional(),
      input: z.record(z.string(), z.unknown()).optional(),
    }),
  }),
);

const ContentBlockDelta = z.lazy(() =>
  z.object({
    type: z.literal("content_block_delta"),
    index: z.number(),
    delta: z.object({
      type: z.string(),
      text: z.string().optional(),
      thinking: z.string().optional(),
      signature: z.string().optional(),
      partial_json: z.string().optional(),
      citation: z.unknown().optional(),
    }),
  }),
);

const MessageDelta = z.lazy(() =>
  z.object({
    type: z.literal("message_delta"),
    delta: z.object({
      stop_reason: z.string().nullish(),
      stop_details: z.object({ category: z.string().nullish(), explanation: z.string().nullish() }).nullish(),
    }),
    usage: WireUsage.nullish(),
  }),
);

/** An event of the stream that carries something for us. */
export const WireEvent = z.lazy(() =>
  z.discriminatedUnion("type", [
    ContentBlockDelta,
    ContentBlockStart,
    z.object({ type: z.literal("content_block_stop"), index: z.number() }),
    MessageStart,
    MessageDelta,
    z.object({ type: z.literal("message_stop") }),
    WireError.unwrap().extend({ type: z.literal("error") }),
  ]),
);
export type WireEvent = z.infer<typeof WireEvent>;

/** The types that `WireEvent` knows; others, such as `ping`, are passed over. */
export const wireEventTypes = tagsOf(WireEvent, "type");
