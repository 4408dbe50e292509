import * as vscode from "vscode";
import type { PanelMention } from "../../../webview/protocol/to-panel.ts";
import { fuzzyScore, readQuery } from "../../core/mentions/fuzzy.ts";
import { formatMention } from "../../core/mentions/mention-text.ts";
import { isSecretLooking } from "../../editor/secret-files.ts";
import { editorsInOrder, nameOf } from "./places.ts";

const MAX_SYMBOLS = 50;
/** Maximum time to wait for a language server, in milliseconds. */
const ANSWER_LIMIT_MS = 5_000;

interface FoundSymbol {
  readonly name: string;
  readonly kind: vscode.SymbolKind;
  readonly uri: vscode.Uri;
  readonly range: vscode.Range;
}

/** Finds the symbols of the workspace and of the active document that match a query, the best first. */
export async function symbolMatches(query: string): Promise<PanelMention[]> {
  const [editor] = editorsInOrder();
  const [own, all] = await Promise.all([
    editor === undefined ? [] : documentSymbols(editor.document.uri),
    workspaceSymbols(query),
  ]);
  const wanted = readQuery(query);
  const seen = new Set<string>();
  const ranked = [...own, ...all].flatMap((symbol) => {
    const key = `${symbol.uri.toString()} ${symbol.name} ${symbol.range.start.line}`;
    const score = fuzzyScore(wanted, symbol.name, Number.MIN_SAFE_INTEGER);
    if (seen.has(key) || score === undefined || isSecretLooking(symbol.uri.path)) return [];
    seen.add(key);
    return [{ symbol, score }];
  });
  // The sort is stable: with equal scores, the active document's own come first.
  ranked.sort((a, b) => b.score - a.score);
  return ranked.slice(0, MAX_SYMBOLS).map(({ symbol }) => mentionOf(symbol));
}

/** Finds the present range of a symbol: of those with its name, the one that begins nearest to its old line. */
export async function currentRange(
  uri: vscode.Uri,
  { name, startLine }: { readonly name: string; readonly startLine: number },
): Promise<vscode.Range | undefined> {
  const named = (await documentSymbols(uri)).filter((symbol) => symbol.name === name);
  const distance = ({ range }: FoundSymbol) => Math.abs(range.start.line + 1 - startLine);
  return named.sort((a, b) => distance(a) - distance(b))[0]?.range;
}

function mentionOf({ name, kind, uri, range }: FoundSymbol): PanelMention {
  const startLine = range.start.line + 1;
  const insert = formatMention({ kind: "symbol", name });
  const where = `${nameOf(uri)}:${startLine}`;
  const source = {
    kind: "symbol" as const,
    name,
    uri: uri.toString(),
    startLine,
    endLine: Math.max(startLine, range.end.line + 1),
  };
  return {
    insert,
    label: name,
    detail: `${vscode.SymbolKind[kind]?.toLowerCase() ?? ""} ${where}`,
    isFolder: false,
    attachment: { kind: "context", id: `${where} ${name}`, mark: insert, source, label: name, detail: where, note: "" },
  };
}

async function workspaceSymbols(query: string): Promise<FoundSymbol[]> {
  const found = await inTime(
    vscode.commands.executeCommand<vscode.SymbolInformation[] | undefined>(
      "vscode.executeWorkspaceSymbolProvider",
      query,
    ),
  );
  return (found ?? []).map(({ name, kind, location }) => ({
    name: plainName(name),
    kind,
    uri: location.uri,
    range: location.range,
  }));
}

async function documentSymbols(uri: vscode.Uri): Promise<FoundSymbol[]> {
  const found = await inTime(
    vscode.commands.executeCommand<(vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined>(
      "vscode.executeDocumentSymbolProvider",
      uri,
    ),
  );
  return (found ?? []).flatMap((symbol) => flatten(symbol, uri));
}

function flatten(symbol: vscode.DocumentSymbol | vscode.SymbolInformation, uri: vscode.Uri): FoundSymbol[] {
  const { kind } = symbol;
  const name = plainName(symbol.name);
  if (!("children" in symbol)) return [{ name, kind, uri: symbol.location.uri, range: symbol.location.range }];
  return [{ name, kind, uri, range: symbol.range }, ...symbol.children.flatMap((child) => flatten(child, uri))];
}

/** Removes the parameters that some languages append to the name. */
function plainName(name: string): string {
  return name.replace(/\(.*\)$/s, "");
}

/** Resolves to undefined when a language server fails or does not answer in time. */
async function inTime<T>(answer: Thenable<T | undefined>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ANSWER_LIMIT_MS, undefined);
  });
  try {
    return await Promise.race([Promise.resolve(answer).catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}
