import type { ContextKind, PanelMention } from "../../webview/protocol/to-panel.ts";
import { formatMention, type LineRange } from "../mentions/mention-text.ts";
import type { PathMatch } from "../mentions/path-search.ts";

const WORDS: readonly { readonly kind: ContextKind; readonly detail: string }[] = [
  { kind: "problems", detail: "What the editor complains about" },
  { kind: "selection", detail: "What is selected in the editor" },
  { kind: "git", detail: "What has changed since the last commit" },
];

/** What the list offers for a query: the words that begin with it, then files and folders. Lines that were written stay with a file. */
export function mentionMatches(query: string, paths: readonly PathMatch[], lines?: LineRange): PanelMention[] {
  const words = WORDS.filter(({ kind }) => kind.startsWith(query.toLowerCase())).map(({ kind, detail }) => ({
    insert: "",
    label: `@${kind}`,
    detail,
    isFolder: false,
    context: kind,
  }));
  const files = paths.map(({ path, isFolder, isIgnored }) => ({
    insert: formatMention({ kind: "path", path, ...(isFolder || lines === undefined ? {} : { lines }) }),
    label: path,
    detail: isIgnored ? "ignored" : "",
    isFolder,
  }));
  return [...words, ...files];
}
