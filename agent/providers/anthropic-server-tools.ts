import * as z from "zod";
import type { AssistantContent, TextContent } from "../protocol/content.ts";
import type { AgentMessage } from "../protocol/messages.ts";
import type { WireServerBlock, WireText, WireTool } from "./anthropic-wire.ts";
import type { ServerTool, ToolSpec } from "./provider.ts";
import { wellFormed } from "./well-formed.ts";

/** A page that is longer is cut by the service. */
const MAX_PAGE_TOKENS = 25_000;

const TOOLS = {
  search: { type: "web_search_20250305", name: "web_search" },
  fetch: { type: "web_fetch_20250910", name: "web_fetch", max_content_tokens: MAX_PAGE_TOKENS },
} as const satisfies Record<ServerTool, WireTool>;

/** Returns a tool of the service as a request declares it. */
export function toServerTool(tool: ServerTool): WireTool {
  return TOOLS[tool];
}

/** Returns the names of the tools of the service that a request declares. */
export function serverToolNames(tools: readonly ToolSpec[]): ReadonlySet<string> {
  return new Set(tools.flatMap(({ serverTool }) => (serverTool === undefined ? [] : [TOOLS[serverTool].name])));
}

const ServerBlock = z.looseObject({
  type: z.enum(["server_tool_use", "web_search_tool_result", "web_fetch_tool_result"]),
});

/** True for the work of a tool of the service. */
export function isServerBlock({ type }: { type: string }): boolean {
  return ServerBlock.shape.type.safeParse(type).success;
}

/** A part of a text, in UTF-16 units, with the passages that it rests on. */
const CitedPart = z.object({ length: z.int().nonnegative(), citations: z.array(z.unknown()).optional() });
export type CitedPart = z.infer<typeof CitedPart>;

/** What stands in the signature of a text: the blocks that a note stands for, or the parts of a text with citations. */
const Stored = z.union([z.object({ blocks: z.array(ServerBlock) }), z.object({ parts: z.array(CitedPart) })]);
type Stored = z.infer<typeof Stored>;

/** Returns the signature of a note or a text. */
export function store(stored: Stored): string {
  return JSON.stringify(stored);
}

const read = new WeakMap<TextContent, readonly (WireText | WireServerBlock)[]>();

/** Returns the blocks that a text with a signature goes back as; undefined if it is only a text. The same objects come out each time. */
export function storedBlocks(content: TextContent): readonly (WireText | WireServerBlock)[] | undefined {
  if (content.textSignature === undefined) return undefined;
  const known = read.get(content) ?? readBlocks(content);
  if (known !== undefined) read.set(content, known);
  return known;
}

function readBlocks({ text, textSignature = "" }: TextContent): (WireText | WireServerBlock)[] | undefined {
  const stored = parse(textSignature);
  if (stored === undefined) return undefined;
  return "blocks" in stored ? stored.blocks : citedTexts(text, stored.parts);
}

function parse(signature: string): Stored | undefined {
  try {
    return Stored.safeParse(JSON.parse(signature)).data;
  } catch {
    return undefined;
  }
}

/** Returns nothing if the parts belong to another text. */
function citedTexts(text: string, parts: readonly CitedPart[]): WireText[] | undefined {
  if (parts.reduce((sum, { length }) => sum + length, 0) !== text.length) return undefined;
  let from = 0;
  return parts.flatMap(({ length, citations }): WireText[] => {
    const part = text.slice(from, from + length);
    from += length;
    if (part.trim() === "") return [];
    return [{ type: "text", text: wellFormed(part), ...(citations === undefined ? {} : { citations }) }];
  });
}

const Use = z.looseObject({ type: z.literal("server_tool_use"), id: z.string(), name: z.string() });
const Result = z.looseObject({ tool_use_id: z.string() });

/**
 * Decides which blocks of the service's tools may go back: those of tools that the request declares, whose calls have their results. A
 * compaction or an abort may have taken one of them away.
 */
export class ServerBlocks {
  readonly #kept = new Set<string>();

  /** @param isResumed true if the last message goes on, so that the service still answers its calls. */
  constructor(messages: readonly AgentMessage[], tools: readonly ToolSpec[], isResumed: boolean) {
    const names = serverToolNames(tools);
    if (names.size === 0) return;
    const calls = new Set<string>();
    for (const message of messages) {
      if (message.role !== "assistant") continue;
      for (const block of message.content.flatMap(serverBlocksOf)) {
        const call = Use.safeParse(block).data;
        if (call !== undefined && names.has(call.name)) calls.add(call.id);
        const answered = Result.safeParse(block).data?.tool_use_id;
        if (answered !== undefined && calls.delete(answered)) this.#kept.add(answered);
      }
      if (!isResumed || message !== messages.at(-1)) continue;
      for (const id of calls) this.#kept.add(id);
    }
  }

  /** True for a block that goes back. */
  keeps(block: WireText | WireServerBlock): boolean {
    if (block.type === "text") return true;
    const id = Use.safeParse(block).data?.id ?? Result.safeParse(block).data?.tool_use_id;
    return id !== undefined && this.#kept.has(id);
  }
}

function serverBlocksOf(block: AssistantContent): readonly (WireText | WireServerBlock)[] {
  return block.type === "text" && block.note !== undefined ? (storedBlocks(block) ?? []) : [];
}
