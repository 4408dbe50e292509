import { createHash } from "node:crypto";
import * as z from "zod";

const cacheControl = z.strictObject({ type: z.literal("ephemeral"), ttl: z.enum(["5m", "1h"]).optional() }).nullish();
const maxUses = z.int().min(1).nullish();
/** The service describes its tools itself. */
const description = z.never().optional();

/** The tools that the service runs itself, as a request declares them. */
export const ServerTools = [
  z.strictObject({
    type: z.literal("web_search_20250305"),
    name: z.literal("web_search"),
    description,
    max_uses: maxUses,
    cache_control: cacheControl,
  }),
  z.strictObject({
    type: z.literal("web_fetch_20250910"),
    name: z.literal("web_fetch"),
    description,
    max_uses: maxUses,
    max_content_tokens: z.int().min(1).nullish(),
    cache_control: cacheControl,
  }),
] as const;

const caller = z.strictObject({ type: z.literal("direct") }).optional();
const callId = z.string().regex(/^srvtoolu_[a-zA-Z0-9_]+$/);

/** A call of such a tool. */
export const ServerToolUse = z.strictObject({
  type: z.literal("server_tool_use"),
  id: callId,
  name: z.enum(["web_search", "web_fetch"]),
  input: z.record(z.string(), z.unknown()),
  caller,
});
type ServerToolUse = z.infer<typeof ServerToolUse>;

const FoundPage = z.strictObject({
  type: z.literal("web_search_result"),
  url: z.string(),
  title: z.string(),
  encrypted_content: z.string(),
  page_age: z.string().nullish(),
});
export type FoundPage = z.infer<typeof FoundPage>;

/** What a search found, or why it failed. */
export const WebSearchResult = z.strictObject({
  type: z.literal("web_search_tool_result"),
  tool_use_id: callId,
  content: z.union([
    z.strictObject({
      type: z.literal("web_search_tool_result_error"),
      error_code: z.enum(["invalid_tool_input", "unavailable", "max_uses_exceeded", "too_many_requests"]),
    }),
    z.array(FoundPage),
  ]),
  caller,
});
type WebSearchResult = z.infer<typeof WebSearchResult>;

/** A page that was read, or why it was not. */
export const WebFetchResult = z.strictObject({
  type: z.literal("web_fetch_tool_result"),
  tool_use_id: callId,
  content: z.union([
    z.strictObject({
      type: z.literal("web_fetch_tool_result_error"),
      error_code: z.enum(["url_not_accessible", "url_not_in_prior_context", "unavailable"]),
    }),
    z.strictObject({
      type: z.literal("web_fetch_result"),
      url: z.string(),
      retrieved_at: z.string().nullish(),
      content: z.strictObject({
        type: z.literal("document"),
        source: z.strictObject({ type: z.literal("text"), media_type: z.literal("text/plain"), data: z.string() }),
        title: z.string().nullish(),
        citations: z.strictObject({ enabled: z.boolean() }).nullish(),
      }),
    }),
  ]),
  caller,
});
type WebFetchResult = z.infer<typeof WebFetchResult>;

/** A passage that a text rests on. */
export const Citation = z.strictObject({
  type: z.literal("web_search_result_location"),
  url: z.string(),
  title: z.string().nullable(),
  cited_text: z.string(),
  encrypted_index: z.string(),
});
export type Citation = z.infer<typeof Citation>;

/** A block of the work of such a tool. */
export type ServerBlock = ServerToolUse | WebSearchResult | WebFetchResult;

function encrypt(...parts: string[]): string {
  return `Eo${createHash("sha256").update(parts.join("\n")).digest("base64")}`;
}

/** Returns a page that a search found, as the service sends it. */
export function foundPage(url: string, title: string): FoundPage {
  return { type: "web_search_result", url, title, encrypted_content: encrypt(url, title), page_age: "2 days ago" };
}

/** Returns a passage of a page that was found, as the service sends it. */
export function citation(url: string, title: string, text: string): Citation {
  const index = encrypt(url, title, text);
  return { type: "web_search_result_location", url, title, cited_text: text, encrypted_index: index };
}

interface SearchedTurn {
  role: "user" | "assistant";
  blocks: readonly { type: string }[];
}

/** Returns the problem with the work of the service's tools in a request; undefined if it is as the service sent it. */
export function checkServerBlocks(turns: readonly SearchedTurn[], tools: readonly { name: string }[]) {
  for (const [index, turn] of turns.entries()) {
    const problem = checkTurn(turn, { index, isLast: index === turns.length - 1, tools });
    if (problem !== undefined) return problem;
  }
  return undefined;
}

interface Place {
  index: number;
  isLast: boolean;
  tools: readonly { name: string }[];
}

function checkTurn({ role, blocks }: SearchedTurn, { index, isLast, tools }: Place): string | undefined {
  const open = new Map<string, string>();
  for (const [at, block] of blocks.entries()) {
    const place = `messages.${index}.content.${at}`;
    const use = ServerToolUse.safeParse(block).data;
    const result = WebSearchResult.safeParse(block).data ?? WebFetchResult.safeParse(block).data;
    if ((use ?? result) !== undefined && role === "user") return `${place}: not permitted in \`user\` messages`;
    if (use !== undefined) {
      if (!tools.some(({ name }) => name === use.name)) return `${place}: the tool ${use.name} is not declared`;
      open.set(use.id, use.name);
    }
    if (result === undefined) continue;
    const id = result.tool_use_id;
    if (!open.has(id)) return `${place}: unexpected \`tool_use_id\` found in \`${result.type}\` blocks: ${id}`;
    if (result.type !== `${open.get(id)}_tool_result`) return `${place}: a result of another tool`;
    open.delete(id);
    if (Array.isArray(result.content) && result.content.some(isForged)) {
      return `${place}: Invalid \`encrypted_content\` in \`search_result\` block`;
    }
  }
  const [lone] = open;
  if (lone === undefined || isLast) return undefined;
  return `messages.${index}: \`${lone[1]}\` tool use with id \`${lone[0]}\` was found without a corresponding \`${lone[1]}_tool_result\` block`;
}

function isForged({ url, title, encrypted_content: content }: FoundPage): boolean {
  return content !== encrypt(url, title);
}

/** Returns the problem with the citations of a text. */
export function checkCitations(citations: readonly Citation[] | null | undefined): string | undefined {
  const forged = citations?.some(
    ({ url, title, cited_text: text, encrypted_index: index }) => index !== encrypt(url, title ?? "", text),
  );
  return forged === true ? "Invalid `encrypted_index` in citation" : undefined;
}
