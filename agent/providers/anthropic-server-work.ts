import * as z from "zod";
import { parseObject } from "../util/partial-json.ts";
import { addNote, type Source, sourceLinks, workLine } from "./answer-notes.ts";
import { type CitedPart, isServerBlock, store } from "./anthropic-server-tools.ts";
import type { WireEvent, WireServerBlock } from "./anthropic-wire.ts";
import type { ProviderEvent } from "./provider.ts";
import { addDelta } from "./reply-stream.ts";

type StartedBlock = Extract<WireEvent, { type: "content_block_start" }>["content_block"];
type Delta = Extract<WireEvent, { type: "content_block_delta" }>["delta"];

const Citation = z.object({ url: z.string(), title: z.string().nullish() });
const Failure = z.object({ content: z.object({ error_code: z.string() }) });
const Asked = z.object({ query: z.string().optional(), url: z.string().optional() }).catch({});

/** The name of the tool that a result belongs to. */
const TOOL_OF_RESULT: Readonly<Record<string, string>> = {
  web_search_tool_result: "web_search",
  web_fetch_tool_result: "web_fetch",
};

/** A block of the stream that is part of a text or of a note. */
export interface OpenWork {
  add(delta: Delta, out: ProviderEvent[]): void;
  end(out: ProviderEvent[]): void;
}

interface OpenText {
  index: number;
  parts: CitedPart[];
}

interface OpenNote {
  index: number;
  blocks: WireServerBlock[];
}

/**
 * The work of the service's tools in one message. What they do is told in a note that keeps their blocks; texts that citations cut into pieces
 * stay whole, and links to what they rest on stand behind them.
 */
export class ServerWork {
  readonly #names: ReadonlySet<string>;
  readonly #takeIndex: () => number;
  readonly #sources: Source[] = [];
  #said = "";
  #text: OpenText | undefined;
  #note: OpenNote | undefined;

  /** @param names those of the tools that the request declares. */
  constructor(names: ReadonlySet<string>, takeIndex: () => number) {
    this.#names = names;
    this.#takeIndex = takeIndex;
  }

  /** Takes the start of a block. @returns undefined if the block is neither a text nor the work of a tool, or there are no tools. */
  begin(block: StartedBlock, out: ProviderEvent[]): { index: number; work: OpenWork } | undefined {
    if (this.#names.size === 0) return undefined;
    if (block.type === "text") return this.#beginText(block.text ?? "", out);
    if (isOwn(block, this.#names)) return this.#beginWork(block, out);
    this.#close(out);
    return undefined;
  }

  /** The message is complete. */
  finish(out: ProviderEvent[]): void {
    this.#close(out);
    const links = sourceLinks(this.#sources, this.#said);
    if (links !== undefined) addNote(out, this.#takeIndex(), "sources", links);
  }

  #beginText(first: string, out: ProviderEvent[]): { index: number; work: OpenWork } {
    if (this.#text === undefined) this.#close(out);
    const text = this.#text ?? this.#openText(out);
    const part: CitedPart = { length: 0 };
    text.parts.push(part);
    const grow = (delta: string, to: ProviderEvent[]) => {
      if (delta === "") return;
      part.length += delta.length;
      this.#said += delta;
      addDelta(to, { type: "text_delta", index: text.index, delta });
    };
    grow(first, out);
    const add: OpenWork["add"] = (delta, to) => {
      if (delta.type === "text_delta") grow(delta.text ?? "", to);
      if (delta.type !== "citations_delta") return;
      part.citations = [...(part.citations ?? []), delta.citation];
      const source = Citation.safeParse(delta.citation).data;
      if (source !== undefined) this.#sources.push(source);
    };
    return { index: text.index, work: { add, end: () => undefined } };
  }

  #openText(out: ProviderEvent[]): OpenText {
    const text = { index: this.#takeIndex(), parts: [] };
    this.#text = text;
    out.push({ type: "text_start", index: text.index });
    return text;
  }

  #beginWork(block: WireServerBlock, out: ProviderEvent[]): { index: number; work: OpenWork } {
    if (this.#note === undefined) this.#close(out);
    const note = this.#note ?? this.#openNote(out);
    const { index } = note;
    note.blocks.push(block);
    const failure = Failure.safeParse(block).data?.content.error_code;
    if (failure !== undefined) tell(out, index, failureWords(block, failure));
    let json = "";
    return {
      index,
      work: {
        add: (delta) => {
          if (delta.type === "input_json_delta") json += delta.partial_json ?? "";
        },
        end: (to) => {
          if (block.type !== "server_tool_use") return;
          if (json !== "") block.input = parseObject(json) ?? {};
          tell(to, index, useWords(block));
        },
      },
    };
  }

  #openNote(out: ProviderEvent[]): OpenNote {
    const note = { index: this.#takeIndex(), blocks: [] };
    this.#note = note;
    out.push({ type: "text_start", index: note.index, note: "search" });
    return note;
  }

  /** Another block begins, or the message ends. */
  #close(out: ProviderEvent[]): void {
    if (this.#text !== undefined) {
      const { index, parts } = this.#text;
      const isCited = parts.some(({ citations }) => citations !== undefined);
      out.push({ type: "text_end", index, signature: isCited ? store({ parts }) : undefined });
    }
    if (this.#note !== undefined) {
      const { index, blocks } = this.#note;
      out.push({ type: "text_end", index, signature: store({ blocks }) });
    }
    this.#text = undefined;
    this.#note = undefined;
  }
}

function isOwn(block: StartedBlock, names: ReadonlySet<string>): block is StartedBlock & WireServerBlock {
  return isServerBlock(block) && names.has(TOOL_OF_RESULT[block.type] ?? block.name ?? "");
}

function tell(out: ProviderEvent[], index: number, words: string): void {
  addDelta(out, { type: "text_delta", index, delta: workLine(words) });
}

function useWords({ name, input }: WireServerBlock): string {
  const { query = "", url = "" } = Asked.parse(input);
  return name === "web_fetch" ? `Read ${url}` : `Searched the web: ${query}`;
}

function failureWords({ type }: WireServerBlock, code: string): string {
  const what = type === "web_fetch_tool_result" ? "The page couldn't be read" : "The search failed";
  return `${what}: ${code.replaceAll("_", " ")}.`;
}
