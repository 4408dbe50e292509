import type { NoteKind } from "../protocol/content.ts";
import { oneLine } from "../util/one-line.ts";
import type { ProviderEvent } from "./provider.ts";
import { addDelta } from "./reply-stream.ts";

/** More sources are not listed. */
const MAX_SOURCES = 20;
const MAX_LENGTH = 200;

/** A page that an answer rests on. */
export interface Source {
  url: string;
  title?: string | null | undefined;
}

/** Returns a line that tells what a tool of the service does, as Markdown. */
export function workLine(words: string): string {
  return `\n\n> ${plain(words)}`;
}

/** Returns the links to the sources of an answer, as Markdown; undefined if there are none that its text doesn't link. */
export function sourceLinks(sources: readonly Source[], text: string): string | undefined {
  const titles = new Map<string, string>();
  for (const { url, title } of sources) {
    if (titles.has(url) || !/^https?:\/\/\S+$/i.test(url) || !URL.canParse(url) || text.includes(url)) continue;
    titles.set(url, plain(title || new URL(url).host));
  }
  if (titles.size === 0) return undefined;
  const links = [...titles].slice(0, MAX_SOURCES).map(([url, title]) => `[${title}](${linkable(url)})`);
  return `\n\nSources: ${links.join(", ")}`;
}

/** What a page or a model calls something is text, and no Markdown. */
function plain(text: string): string {
  const line = oneLine(text);
  const short = line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line;
  return short.replace(/[\\`*_[\]<>#|~!]/g, "\\$&");
}

function linkable(url: string): string {
  return url.replace(/[()<>\\]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}

/** Adds a note as a block of its own, at once. */
export function addNote(out: ProviderEvent[], index: number, note: NoteKind, text: string, signature?: string): void {
  out.push({ type: "text_start", index, note });
  addDelta(out, { type: "text_delta", index, delta: text });
  out.push({ type: "text_end", index, signature });
}
