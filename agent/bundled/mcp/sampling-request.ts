import { type CreateMessageRequest, ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import { formatSize } from "../../util/truncate.ts";
import { visibleLine } from "../../util/visible-text.ts";

const MAX_MESSAGES = 200;
const MAX_CHARACTERS = 400_000;
const MAX_IMAGES = 10;
const MAX_IMAGE_CHARACTERS = 7_000_000;
const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;

const Block = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("image"), data: z.string().max(MAX_IMAGE_CHARACTERS), mimeType: z.enum(IMAGE_TYPES) }),
]);
type Block = z.infer<typeof Block>;

const Params = z.object({
  messages: z
    .array(
      z.object({
        role: z.enum(["user", "assistant"]),
        content: z.union([Block.transform((block) => [block]), z.array(Block)]),
      }),
    )
    .min(1)
    .max(MAX_MESSAGES),
  systemPrompt: z.string().optional(),
  maxTokens: z.int().positive(),
  stopSequences: z.array(z.string().min(1)).max(20).default([]),
  modelPreferences: z
    .object({ hints: z.array(z.object({ name: z.string().optional() })).default([]) })
    .default({ hints: [] }),
});

/** A server's request to a model. */
export interface SamplingRequest {
  systemPrompt: string | undefined;
  messages: readonly { role: "user" | "assistant"; content: readonly Block[] }[];
  maxTokens: number;
  stopSequences: readonly string[];
  /** Hints: parts of model names, in order of preference. */
  hints: readonly string[];
}

/** Parses a request and limits its size. @throws McpError for the server when it can't be fulfilled. */
export function readSamplingRequest(params: CreateMessageRequest["params"]): SamplingRequest {
  if (params.tools !== undefined || params.toolChoice !== undefined)
    throw invalid("This client doesn't support tools in sampling requests.");
  const { success, data } = Params.safeParse(params);
  if (!success) throw invalid("This client supports only text and images (PNG, JPEG, GIF, WebP) up to 5 MB.");
  const { messages, systemPrompt, maxTokens, stopSequences, modelPreferences } = data;
  const blocks = messages.flatMap(({ content }) => content);
  const characters = blocks.reduce((sum, block) => sum + (block.type === "text" ? block.text.length : 0), 0);
  if (characters + (systemPrompt?.length ?? 0) > MAX_CHARACTERS) throw invalid("The request is too long.");
  if (blocks.filter(({ type }) => type === "image").length > MAX_IMAGES)
    throw invalid("The request has too many images.");
  const hints = modelPreferences.hints.flatMap(({ name }) => (name ? [name] : []));
  return { systemPrompt, messages, maxTokens, stopSequences, hints };
}

/** Returns the request as text for the user. */
export function describeRequest({ systemPrompt, messages }: SamplingRequest): string {
  const parts = messages.map(({ role, content }) => {
    const name = role === "user" ? "User" : "Assistant";
    return `${name}: ${content.map(describeBlock).join("\n")}`;
  });
  const system = systemPrompt === undefined ? [] : [`System prompt: ${shown(systemPrompt)}`];
  return [...system, ...parts].join("\n\n");
}

function describeBlock(block: Block): string {
  if (block.type === "text") return shown(block.text);
  return `[Image (${block.mimeType}, ${formatSize(Math.floor((block.data.length * 3) / 4))})]`;
}

/** Returns the text with invisible characters made visible, so that it hides nothing from the user. */
function shown(text: string): string {
  return text.split("\n").map(visibleLine).join("\n");
}

function invalid(text: string): McpError {
  return new McpError(ErrorCode.InvalidParams, text);
}
