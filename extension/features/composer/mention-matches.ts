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

/** Returns the list for a query: the words that begin with it, then files and folders. Typed lines are kept for a file. */
export function mentionMatches(query: string, paths: readonly PathMatch[], lines?: LineRange): PanelMention[] {
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
    offered.push({ insert: `@${SYMBOL}`, label: `@${SYMBOL}`, detail: t("A symbol, by its name"), isFolder: true });
  }
  const files = paths.map(({ path, isFolder, isIgnored }) => ({
    insert: formatMention({ kind: "path", path, ...(isFolder || lines === undefined ? {} : { lines }) }),
    label: path,
    detail: isIgnored ? t("ignored") : "",
    isFolder,
  }));
  return [...offered, ...files];
}

function words(): { readonly word: ContextWord; readonly detail: string }[] {
  return [
    { word: "problems", detail: t("What the editor complains about") },
    { word: "selection", detail: t("What is selected in the editor") },
    { word: "terminal", detail: t("The last command of the terminal") },
    { word: "git", detail: t("What has changed since the last commit") },
    { word: "task", detail: t("How the last task ended") },
    { word: "debug", detail: t("Where the debugger stands") },
  ];
}
