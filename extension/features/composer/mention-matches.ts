import { t } from "../../../webview/l10n.ts";
import type { ContextWord } from "../../../webview/protocol/context.ts";
import type { PanelMention } from "../../../webview/protocol/to-panel.ts";
import { formatMention, type LineRange } from "../../core/mentions/mention-text.ts";
import type { PathMatch } from "../../core/mentions/path-search.ts";

/** Prefix of a query for symbols. */
const SYMBOL = "symbol:";

/** Returns the part after the prefix if a query is for symbols. */
export function symbolQuery(query: string): string | undefined {
  return query.toLowerCase().startsWith(SYMBOL) ? query.slice(SYMBOL.length) : undefined;
}

/** The matches of a query besides words. For a file, they keep the typed line range. */
interface Found {
  readonly paths: readonly PathMatch[];
  readonly resources: readonly PanelMention[];
  readonly lines: LineRange | undefined;
}

/** Returns the matches of a query: words that begin with it, then resources of MCP servers, then files and folders. */
export function mentionMatches(query: string, { paths, resources, lines }: Found): PanelMention[] {
  const begin = query.toLowerCase();
  const known = words().filter(({ word }) => word.startsWith(begin));
  const offered: PanelMention[] = known.map(({ word, detail }) => ({
    insert: `@${word}`,
    label: `@${word}`,
    detail,
    isFolder: false,
    word,
  }));
  if (SYMBOL.startsWith(begin)) {
    // Like a folder, it is continued: the name follows.
    offered.push({ insert: `@${SYMBOL}`, label: `@${SYMBOL}`, detail: t("Symbol by name"), isFolder: true });
  }
  const files = paths.map(({ path, isFolder, isIgnored }) => ({
    insert: formatMention({ kind: "path", path, ...(isFolder || lines === undefined ? {} : { lines }) }),
    label: path,
    detail: isIgnored ? t("ignored") : "",
    isFolder,
  }));
  return [...offered, ...resources, ...files];
}

function words(): { readonly word: ContextWord; readonly detail: string }[] {
  return [
    { word: "problems", detail: t("Errors and warnings") },
    { word: "selection", detail: t("Selection in the editor") },
    { word: "terminal", detail: t("Last terminal command and its output") },
    { word: "git", detail: t("Uncommitted changes") },
    { word: "task", detail: t("Result of the last task") },
    { word: "debug", detail: t("Call stack and variables") },
  ];
}
