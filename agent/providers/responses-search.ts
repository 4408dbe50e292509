import { addNote, type Source, sourceLinks, workLine } from "./answer-notes.ts";
import type { ProviderEvent, TokenCounts } from "./provider.ts";
import { type Item, SearchCall } from "./responses-wire.ts";

/** The searches of the service in one response, told in notes that keep their items, and the sources of its texts. */
export class SearchNotes {
  readonly #takeIndex: () => number;
  readonly #sources: Source[] = [];
  #said = "";
  #searches = 0;

  constructor(takeIndex: () => number) {
    this.#takeIndex = takeIndex;
  }

  /** What the service charges for. */
  get counts(): Pick<TokenCounts, "webSearches"> {
    return this.#searches === 0 ? {} : { webSearches: this.#searches };
  }

  /** Takes a finished item. @returns true if it was a search. */
  take(item: Item, out: ProviderEvent[]): boolean {
    for (const { text, annotations } of item.content ?? []) {
      this.#said += text ?? "";
      for (const { url, title } of annotations ?? []) if (url) this.#sources.push({ url, title });
    }
    const search = SearchCall.safeParse(item).data;
    if (search === undefined) return false;
    if (isCharged(search)) this.#searches += 1;
    addNote(out, this.#takeIndex(), "search", workLine(words(search)), JSON.stringify(search));
    return true;
  }

  /** The response is complete. */
  finish(out: ProviderEvent[]): void {
    const links = sourceLinks(this.#sources, this.#said);
    if (links !== undefined) addNote(out, this.#takeIndex(), "sources", links);
  }
}

function isCharged({ status, action }: SearchCall): boolean {
  return status === "completed" && (action === undefined || action.type === "search");
}

function words({ status, action }: SearchCall): string {
  const done = action?.url ? `Read ${action.url}` : `Searched the web: ${action?.query ?? ""}`;
  return status === "failed" ? `${done} (failed)` : done;
}
