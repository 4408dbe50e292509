import * as z from "zod";
import { Citation, ServerTools, ServerToolUse, WebFetchResult, WebSearchResult } from "./messages-api-search.ts";

const CacheControl = z.strictObject({ type: z.literal("ephemeral"), ttl: z.enum(["5m", "1h"]).optional() }).nullish();

const TextBlock = z.strictObject({
  type: z.literal("text"),
  text: z.string(),
  citations: z.array(Citation).nullish(),
  cache_control: CacheControl,
});

const ImageBlock = z.strictObject({
  type: z.literal("image"),
  source: z.strictObject({
    type: z.literal("base64"),
    media_type: z.enum(["image/jpeg", "image/png", "image/gif", "image/webp"]),
    data: z.string().min(1),
  }),
  cache_control: CacheControl,
});

const DocumentBlock = z.strictObject({
  type: z.literal("document"),
  source: z.strictObject({
    type: z.literal("base64"),
    media_type: z.literal("application/pdf"),
    data: z.string().min(1),
  }),
  title: z.string().nullish(),
  cache_control: CacheControl,
});

const ToolUseBlock = z.strictObject({
  type: z.literal("tool_use"),
  id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
  input: z.record(z.string(), z.unknown()),
  cache_control: CacheControl,
});

const ToolResultBlock = z.strictObject({
  type: z.literal("tool_result"),
  tool_use_id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  content: z
    .union([z.string(), z.array(z.discriminatedUnion("type", [TextBlock, ImageBlock, DocumentBlock]))])
    .optional(),
  is_error: z.boolean().optional(),
  cache_control: CacheControl,
});

const ThinkingBlock = z.strictObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() });

const RedactedThinkingBlock = z.strictObject({ type: z.literal("redacted_thinking"), data: z.string().min(1) });

/** A block of a message as clients send it. */
export const RequestBlock = z.discriminatedUnion("type", [
  TextBlock,
  ImageBlock,
  DocumentBlock,
  ToolUseBlock,
  ToolResultBlock,
  ThinkingBlock,
  RedactedThinkingBlock,
  ServerToolUse,
  WebSearchResult,
  WebFetchResult,
]);
export type RequestBlock = z.infer<typeof RequestBlock>;

const RequestMessage = z.strictObject({
  role: z.enum(["user", "assistant"]),
  content: z.union([z.string(), z.array(RequestBlock)]),
});
export type RequestMessage = z.infer<typeof RequestMessage>;

const OwnTool = z.strictObject({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
  description: z.string().optional(),
  input_schema: z.looseObject({ type: z.literal("object") }),
  type: z.literal("custom").nullish(),
  strict: z.boolean().optional(),
  eager_input_streaming: z.boolean().nullish(),
  cache_control: CacheControl,
});

const RequestTool = z.union([...ServerTools, OwnTool]);

const display = z.enum(["summarized", "omitted"]).nullish();

const blockBinding = z.strictObject({ prefix_mismatch_behavior: z.enum(["error", "drop_block"]).nullish() }).nullish();

/** The body of a request to create a message, as far as a coding agent uses it. */
export const MessagesRequest = z.strictObject({
  model: z.string().min(1),
  max_tokens: z.int().min(1),
  messages: z.array(RequestMessage),
  stream: z.boolean().optional(),
  system: z.union([z.string(), z.array(TextBlock)]).optional(),
  tools: z.array(RequestTool).optional(),
  tool_choice: z.looseObject({ type: z.enum(["auto", "any", "tool", "none"]) }).optional(),
  thinking: z
    .discriminatedUnion("type", [
      z.strictObject({
        type: z.literal("enabled"),
        budget_tokens: z.int().min(1024),
        display,
        block_binding: blockBinding,
      }),
      z.strictObject({ type: z.literal("adaptive"), display, block_binding: blockBinding }),
      z.strictObject({ type: z.literal("disabled") }),
      z.strictObject({ type: z.literal("between_tools") }),
    ])
    .optional(),
  output_config: z
    .strictObject({ effort: z.enum(["low", "medium", "high", "xhigh", "max"]).nullish(), format: z.unknown() })
    .partial()
    .optional(),
  metadata: z.strictObject({ user_id: z.string().nullish() }).optional(),
  stop_sequences: z.array(z.string()).optional(),
  temperature: z.number().min(0).max(1).optional(),
  top_k: z.int().optional(),
  top_p: z.number().optional(),
  cache_control: CacheControl,
  service_tier: z.enum(["auto", "standard_only"]).optional(),
});
export type MessagesRequest = z.infer<typeof MessagesRequest>;

/** The answer to a request that the service refuses. */
export interface ApiError {
  status: number;
  type: string;
  message: string;
}

/** Words the first problem of a body that does not have the right shape, in the service's manner. */
export function describeShapeProblem(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return "invalid request";
  return describeIssue(issue, issue.path.map(String));
}

function describeIssue(issue: z.core.$ZodIssue, path: readonly string[]): string {
  const at = path.join(".");
  switch (issue.code) {
    case "unrecognized_keys":
      return `${[...path, issue.keys[0] ?? "?"].join(".")}: Extra inputs are not permitted`;
    case "invalid_type":
      return /received undefined$/.test(issue.message) ? `${at}: Field required` : `${at}: ${issue.message}`;
    case "invalid_union": {
      const inner = issue.errors.flat().at(-1);
      return inner === undefined
        ? `${at}: ${issue.message}`
        : describeIssue(inner, [...path, ...inner.path.map(String)]);
    }
    case "invalid_value":
      return `${at}: Input should be ${issue.values.map((value) => `'${String(value)}'`).join(" or ")}`;
    case "invalid_format":
      return `${at}: String should match pattern '${issue.pattern ?? ""}'`;
    case "too_small":
      return `${at}: Input should be greater than or equal to ${String(issue.minimum)}`;
    default:
      return `${at}: ${issue.message}`;
  }
}
