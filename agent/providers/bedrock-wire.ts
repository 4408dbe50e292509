import * as z from "zod";

/** Marks the end of a part of the request that the service should cache. */
export interface CachePoint {
  cachePoint: { type: "default"; ttl?: "1h" };
}

interface Source {
  /** Base64. */
  bytes: string;
}

/** Text, an image, or a PDF. Names of documents are unique in a request. */
export type ConverseInput =
  | { text: string }
  | { image: { format: string; source: Source } }
  | { document: { format: "pdf"; name: string; source: Source } };

/** A part of a message. */
export type ConverseBlock =
  | ConverseInput
  | { toolUse: { toolUseId: string; name: string; input: Record<string, unknown> } }
  | { toolResult: { toolUseId: string; content: ConverseInput[]; status?: "error" } }
  | { reasoningContent: { reasoningText: { text: string; signature: string } } | { redactedContent: string } }
  | CachePoint;

/** One turn of the conversation. */
export interface ConverseMessage {
  role: "user" | "assistant";
  content: ConverseBlock[];
}

/** The declaration of a tool. */
export interface ConverseTool {
  toolSpec: { name: string; description: string; inputSchema: { json: Record<string, unknown> } };
}

/**
 * The body of a request for a streamed reply.
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
 */
export interface ConverseRequest {
  messages: ConverseMessage[];
  system?: ({ text: string } | CachePoint)[];
  inferenceConfig?: { maxTokens: number };
  toolConfig?: { tools: (ConverseTool | CachePoint)[] };
  additionalModelRequestFields?: Record<string, unknown>;
}

const index = z.int().nonnegative();
// An unexpected token count must not cost the user an answer.
const count = z.int().nonnegative().nullish().catch(undefined);
const text = z.string().nullish();

const ConverseUsage = z.object({
  inputTokens: count,
  outputTokens: count,
  cacheReadInputTokens: count,
  cacheWriteInputTokens: count,
  cacheDetails: z
    .array(z.object({ ttl: text, inputTokens: count }))
    .nullish()
    .catch(undefined),
});
export type ConverseUsage = z.infer<typeof ConverseUsage>;

const BlockDelta = z.object({
  contentBlockIndex: index,
  delta: z.object({
    text,
    toolUse: z.object({ input: text }).nullish(),
    reasoningContent: z.object({ text, signature: text, redactedContent: text }).nullish(),
  }),
});
/** The next piece of a block. Only blocks of calls begin with another event. */
export type BlockDelta = z.infer<typeof BlockDelta>;

const BlockStart = z.object({
  contentBlockIndex: index,
  start: z.object({ toolUse: z.object({ toolUseId: text, name: text }).nullish() }).nullish(),
});
export type BlockStart = z.infer<typeof BlockStart>;

/** An event: one field, which names its kind. Other kinds carry nothing for us. */
export const ConverseEvent = z.object({
  messageStart: z.object({ role: z.literal("assistant") }).optional(),
  contentBlockStart: BlockStart.optional(),
  contentBlockDelta: BlockDelta.optional(),
  contentBlockStop: z.object({ contentBlockIndex: index }).optional(),
  messageStop: z.object({ stopReason: z.string() }).optional(),
  metadata: z.object({ usage: ConverseUsage.nullish() }).optional(),
});
export type ConverseEvent = z.infer<typeof ConverseEvent>;

/** The service's message about a failure. */
export const ConverseFailure = z
  .object({ message: text, Message: text })
  .transform((failure) => failure.message || failure.Message || "")
  .catch("");

const ANY_EXCEPTION = /Exception$/;

/** Reads an exception event. @returns its name, starting with a lowercase letter, and its message; undefined for any other event. */
export function readException(event: unknown): { type: string; message: string } | undefined {
  if (typeof event !== "object" || event === null) return undefined;
  const [entry] = Object.entries(event);
  if (entry === undefined || !ANY_EXCEPTION.test(entry[0])) return undefined;
  const message = ConverseFailure.parse(entry[1]);
  return { type: withSmallLetter(entry[0]), message: message || "its service does not say why." };
}

/** Returns the name of an exception as it appears in streams. */
export function withSmallLetter(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
