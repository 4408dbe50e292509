import { createHash } from "node:crypto";
import * as z from "zod";

const Name = z.string().regex(/^[\w-]{1,64}$/);
const CallId = Name;
const Base64 = z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/);
const Source = z.strictObject({ bytes: Base64 });
const Text = z.strictObject({ text: z.string().regex(/\S/) });
const Image = z.strictObject({
  image: z.strictObject({ format: z.enum(["png", "jpeg", "gif", "webp"]), source: Source }),
});
const Document = z.strictObject({
  document: z.strictObject({
    format: z.literal("pdf"),
    name: z.string().regex(/^[\w\s()[\]-]{1,200}$/),
    source: Source,
  }),
});
const Input = z.union([Text, Image, Document]);
const Json = z.looseObject({ type: z.literal("object") });
const CachePoint = z.strictObject({
  cachePoint: z.strictObject({ type: z.literal("default"), ttl: z.enum(["5m", "1h"]).optional() }),
});
const ToolUse = z.strictObject({
  toolUse: z.strictObject({ toolUseId: CallId, name: Name, input: z.record(z.string().min(1), z.unknown()) }),
});
const ToolResult = z.strictObject({
  toolResult: z.strictObject({
    toolUseId: CallId,
    content: z.array(Input).min(1),
    status: z.enum(["success", "error"]).optional(),
  }),
});
const Reasoning = z.strictObject({
  reasoningContent: z.union([
    z.strictObject({ reasoningText: z.strictObject({ text: z.string(), signature: z.string().min(1) }) }),
    z.strictObject({ redactedContent: Base64 }),
  ]),
});

const Turn = z.discriminatedUnion("role", [
  z.strictObject({ role: z.literal("user"), content: z.array(z.union([Input, ToolResult, CachePoint])).min(1) }),
  z.strictObject({ role: z.literal("assistant"), content: z.array(z.union([Text, ToolUse, Reasoning])).min(1) }),
]);
type Turn = z.infer<typeof Turn>;

/** The fields that Claude takes beside those of all models. */
const ClaudeFields = z.strictObject({
  thinking: z
    .union([
      z.strictObject({ type: z.literal("enabled"), budget_tokens: z.int().min(1024), display: z.string().optional() }),
      z.strictObject({
        type: z.literal("adaptive"),
        display: z.string().optional(),
        block_binding: z.strictObject({ prefix_mismatch_behavior: z.literal("drop_block") }).optional(),
      }),
      z.strictObject({ type: z.enum(["disabled", "between_tools"]) }),
    ])
    .optional(),
  output_config: z.strictObject({ effort: z.string() }).optional(),
  anthropic_beta: z.array(z.string()).min(1).optional(),
});
const OtherFields = z.strictObject({
  reasoning_effort: z.enum(["low", "medium", "high"]).optional(),
  reasoning: z.strictObject({ effort: z.string() }).optional(),
});

/** A request for a streamed reply, as strict as the service is about unknown fields. */
export const ConverseBody = z.strictObject({
  messages: z.array(Turn).min(1),
  system: z
    .array(z.union([Text, CachePoint]))
    .min(1)
    .optional(),
  inferenceConfig: z.strictObject({ maxTokens: z.int().min(1) }).optional(),
  toolConfig: z
    .strictObject({
      tools: z
        .array(
          z.union([
            z.strictObject({
              toolSpec: z.strictObject({
                name: Name,
                description: z.string().min(1),
                inputSchema: z.strictObject({ json: Json }),
              }),
            }),
            CachePoint,
          ]),
        )
        .min(1),
    })
    .optional(),
  additionalModelRequestFields: z.record(z.string(), z.unknown()).optional(),
});
export type ConverseBody = z.infer<typeof ConverseBody>;

const MAX_CACHE_POINTS = 4;
const MAX_DOCUMENTS = 5;

/** The signature that the service gives to a thought and expects back. */
export function signThought(text: string): string {
  return `sig-${createHash("sha256").update(text).digest("base64").slice(0, 12)}`;
}

/** Returns the reason why the service refuses this request; undefined if it accepts it. */
export function whatIsRefused(model: string, body: ConverseBody): string | undefined {
  return (
    wrongFields(model, body) ??
    wrongCachePoints(model, body) ??
    wrongOrder(body.messages) ??
    wrongDocuments(body.messages) ??
    wrongTools(body) ??
    wrongThoughts(body.messages)
  );
}

/** The profiles that ARNs name are ones of Claude here. */
function isClaude(model: string): boolean {
  return model.includes("claude") || model.startsWith("arn:");
}

function wrongFields(model: string, { additionalModelRequestFields: fields, inferenceConfig }: ConverseBody) {
  if (fields === undefined) return undefined;
  const known = (isClaude(model) ? ClaudeFields : OtherFields).safeParse(fields);
  if (!known.success) return `The model returned the following errors: ${z.prettifyError(known.error)}`;
  const thinking = ClaudeFields.safeParse(fields).data?.thinking;
  if (thinking?.type === "enabled" && thinking.budget_tokens >= (inferenceConfig?.maxTokens ?? 0)) {
    return "The model returned the following errors: `max_tokens` must be greater than `thinking.budget_tokens`.";
  }
  return undefined;
}

function wrongCachePoints(model: string, { system = [], toolConfig, messages }: ConverseBody): string | undefined {
  const blocks: object[] = [
    ...system,
    ...(toolConfig?.tools ?? []),
    ...messages.flatMap(({ content }): object[] => [...content]),
  ];
  const count = blocks.filter((block) => "cachePoint" in block).length;
  if (count === 0) return undefined;
  if (!isClaude(model)) return "You invoked an unsupported model or your request did not allow prompt caching.";
  return count > MAX_CACHE_POINTS ? `A maximum of ${MAX_CACHE_POINTS} cache points is supported.` : undefined;
}

function wrongOrder(messages: readonly Turn[]): string | undefined {
  if (messages[0]?.role !== "user") return "A conversation must start with a user message.";
  if (messages.at(-1)?.role !== "user") return "The conversation must end with a user message.";
  const twice = messages.findIndex(({ role }, at) => role === messages[at - 1]?.role);
  return twice === -1 ? undefined : `messages.${twice}: roles must alternate between "user" and "assistant".`;
}

function wrongDocuments(messages: readonly Turn[]): string | undefined {
  const names = messages.flatMap(({ content }) => content.flatMap((block) => documentNames(block)));
  if (names.length > MAX_DOCUMENTS) return `The model supports at most ${MAX_DOCUMENTS} documents per request.`;
  if (new Set(names).size < names.length) return "Messages can't contain duplicate document names.";
  const lacksText = messages.some(
    ({ content }) => content.some((block) => "document" in block) && !content.some((block) => "text" in block),
  );
  return lacksText ? "Text is required in messages that contain documents." : undefined;
}

function documentNames(block: Turn["content"][number]): string[] {
  if ("document" in block) return [block.document.name];
  return "toolResult" in block ? block.toolResult.content.flatMap(documentNames) : [];
}

function wrongTools({ messages, toolConfig }: ConverseBody): string | undefined {
  let open = new Set<string>();
  for (const { role, content } of messages) {
    const uses = content.flatMap((block) => ("toolUse" in block ? [block.toolUse.toolUseId] : []));
    const results = content.flatMap((block) => ("toolResult" in block ? [block.toolResult.toolUseId] : []));
    if ((uses.length > 0 || results.length > 0) && toolConfig === undefined) {
      return "The toolConfig field must be defined when using toolUse and toolResult content blocks.";
    }
    if (role === "assistant") open = new Set(uses);
    else {
      const stray = results.find((id) => !open.delete(id));
      if (stray !== undefined) return `Expected toolResult blocks for the previous toolUse blocks, not ${stray}.`;
      if (open.size > 0) return `Expected toolResult blocks for the following Ids: ${[...open].join(", ")}`;
    }
  }
  return undefined;
}

function wrongThoughts(messages: readonly Turn[]): string | undefined {
  for (const [at, { content }] of messages.entries()) {
    for (const [place, block] of content.entries()) {
      if (!("reasoningContent" in block) || !("reasoningText" in block.reasoningContent)) continue;
      const { text, signature } = block.reasoningContent.reasoningText;
      if (signature !== signThought(text))
        return `messages.${at}.content.${place}: Invalid \`signature\` in \`thinking\` block`;
    }
  }
  return undefined;
}
