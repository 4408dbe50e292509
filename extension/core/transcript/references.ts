import type { FooterItem, ToolItem } from "../../../webview/protocol/items.ts";
import { changeCounts, relative } from "./tool-presenters.ts";

/** References of an answer so far: files by absolute path, titles of links by URL, and the number of tool calls. */
export interface References {
  readonly files: ReadonlyMap<string, FileTouch>;
  readonly links: ReadonlyMap<string, string>;
  readonly tools: number;
}

interface FileTouch {
  readonly reads: number;
  readonly edits: number;
  readonly added: number;
  readonly removed: number;
  /** The item of the last change. */
  readonly change?: string;
}

export const NO_REFERENCES: References = { files: new Map(), links: new Map(), tools: 0 };

/** Maximum number of files and of links shown for one answer; maximum counted. */
const MAX_SHOWN_FILES = 30;
const MAX_SHOWN_LINKS = 20;
const MAX_COUNTED = 1_000;
/** Longer URLs and texts are skipped, in UTF-16 units. */
const MAX_LINK_CHARS = 2_000;
const MAX_TEXT_CHARS = 200_000;

const READERS: ReadonlySet<string> = new Set(["read"]);
const WRITERS: ReadonlySet<string> = new Set(["edit", "write"]);

/** Counts a finished tool call. */
export function noteCall(before: References, { id, toolName, path, state, diff, input }: ToolItem): References {
  const counted = { ...before, tools: before.tools + 1 };
  const isEdit = WRITERS.has(toolName);
  if (path === undefined || state !== "done" || !(isEdit || READERS.has(toolName))) return counted;
  const touch: FileTouch = before.files.get(path) ?? { reads: 0, edits: 0, added: 0, removed: 0 };
  if (touch.reads + touch.edits === 0 && before.files.size >= MAX_COUNTED) return counted;
  const changes = isEdit ? changeCounts(diff ?? (toolName === "edit" ? input : "")) : { added: 0, removed: 0 };
  const next = {
    reads: touch.reads + (isEdit ? 0 : 1),
    edits: touch.edits + (isEdit ? 1 : 0),
    added: touch.added + changes.added,
    removed: touch.removed + changes.removed,
    ...(isEdit ? { change: id } : touch.change !== undefined && { change: touch.change }),
  };
  return { ...counted, files: new Map(before.files).set(path, next) };
}

/** Adds the web URLs in a text of the model, except in code. */
export function noteLinks(before: References, text: string): References {
  const prose = text
    .slice(0, MAX_TEXT_CHARS)
    .replace(/^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\1[`~]*[ \t]*$|$(?![\s\S]))/gm, "")
    .replace(/`[^`\n]*`/g, "");
  const links = new Map(before.links);
  for (const [, label = "", named, bare] of prose.matchAll(LINKS)) {
    const href = cleaned(named ?? bare ?? "");
    if (href === undefined || links.size >= MAX_COUNTED) continue;
    if (!links.has(href)) links.set(href, named === undefined ? "" : label.replace(/[*_`]/g, "").trim().slice(0, 100));
  }
  return links.size === before.links.size ? before : { ...before, links };
}

/** Returns the references for the footer of an answer: changed files first, otherwise in the order of the first access. */
export function shownReferences(
  { files, links, tools }: References,
  cwd: string,
): Pick<FooterItem, "tools" | "files" | "links" | "moreReferences"> {
  const changedFirst = [...files].sort(([, one], [, other]) => Number(other.edits > 0) - Number(one.edits > 0));
  const shown = changedFirst.slice(0, MAX_SHOWN_FILES).map(([path, touch]) => ({
    path,
    name: relative(path, cwd),
    ...touch,
  }));
  const cited = [...links].slice(0, MAX_SHOWN_LINKS).map(([href, label]) => ({ href, label }));
  const more = files.size - shown.length + links.size - cited.length;
  return {
    ...(tools > 0 ? { tools } : {}),
    ...(shown.length > 0 ? { files: shown } : {}),
    ...(cited.length > 0 ? { links: cited } : {}),
    ...(more > 0 ? { moreReferences: more } : {}),
  };
}

/** `[label](url)` and bare URLs. The length of each part is limited, so that a text full of openings costs linear time. */
const LINKS =
  /\[([^\][\n]{1,200})\]\((https?:\/\/[^\s)]{1,2000})(?:\s[^)\n]{0,500})?\)|(https?:\/\/[^\s<>"'`\])}|]+)/gi;

function cleaned(address: string): string | undefined {
  const href = address.replace(/(?<![.,;:!?*_])[.,;:!?*_]+$/, "");
  return href.length <= MAX_LINK_CHARS && URL.canParse(href) ? href : undefined;
}
