import * as z from "zod";
import { addNote, type Source, sourceLinks, workLine } from "./answer-notes.ts";
import { type Part, SearchPart } from "./google-wire.ts";
import type { ProviderEvent } from "./provider.ts";

const Stored = z.object({ search: z.array(SearchPart) });

/** True for the work of the service's search. */
export function isSearchPart(part: Part): boolean {
  return part.toolCall !== undefined || part.toolResponse !== undefined;
}

const WithId = z.object({ id: z.string().optional() }).catch({});
const Asked = z.object({ args: z.object({ queries: z.array(z.string()) }) });

/** Returns the parts that a note stands for. A call goes back only with its result. */
export function searchParts(signature = ""): SearchPart[] {
  const parts = read(signature);
  const called = new Set(parts.map(({ toolCall }) => idOf(toolCall)));
  const answered = new Set(parts.map(({ toolResponse }) => idOf(toolResponse)));
  return parts.filter(({ toolCall, toolResponse }) =>
    toolCall === undefined ? called.has(idOf(toolResponse)) : answered.has(idOf(toolCall)),
  );
}

/** Returns nothing for what isn't there. */
function idOf(work: unknown): string | undefined {
  return work === undefined ? undefined : (WithId.parse(work).id ?? "");
}

function read(signature: string): SearchPart[] {
  try {
    return Stored.safeParse(JSON.parse(signature)).data?.search ?? [];
  } catch {
    return [];
  }
}

/** The searches of the service in one response, told in notes that keep their parts, and its sources. */
export class SearchNotes {
  readonly #takeIndex: () => number;
  readonly #sources: Source[] = [];
  #parts: SearchPart[] = [];

  constructor(takeIndex: () => number) {
    this.#takeIndex = takeIndex;
  }

  /** Takes a part of a search. */
  take(part: Part): void {
    const search = SearchPart.safeParse(part).data;
    if (search !== undefined) this.#parts.push(search);
  }

  /** The answer rests on this page. */
  rests(page: { uri: string; title?: string | null | undefined } | undefined): void {
    if (page !== undefined) this.#sources.push({ url: page.uri, title: page.title });
  }

  /** Another part begins: what was searched is told. */
  end(out: ProviderEvent[]): void {
    if (this.#parts.length === 0) return;
    const queries = this.#parts.flatMap(({ toolCall }) => Asked.safeParse(toolCall).data?.args.queries ?? []);
    const lines = queries.map((query) => workLine(`Searched the web: ${query}`)).join("");
    addNote(out, this.#takeIndex(), "search", lines, JSON.stringify({ search: this.#parts }));
    this.#parts = [];
  }

  /** The response is complete. */
  finish(out: ProviderEvent[]): void {
    this.end(out);
    const links = sourceLinks(this.#sources, "");
    if (links !== undefined) addNote(out, this.#takeIndex(), "sources", links);
  }
}
