import * as vscode from "vscode";
import * as z from "zod";
import { describeUri } from "../../../editor/workspace-files.ts";
import { findFile } from "../find-file.ts";
import { HostToolFailed } from "../host-tool.ts";
import { wholeLines } from "../lines.ts";
import { askLanguage } from "./ask-language.ts";
import { openForLanguage } from "./language-ready.ts";
import { findName, isName, lastPart, plainName } from "./names.ts";
import { flatten } from "./symbol-words.ts";

const MAX_CANDIDATES = 20;
const MAX_SHOWN_CHARS = 200;
/** Keywords that may stand before a name. */
const KEYWORDS: ReadonlySet<string> = new Set(
  "abstract async await class const declare def default enum export extends extern final fn for from func function if impl import in inline interface let module mut namespace new of override package private protected pub public readonly return static struct trait type typedef typename use using val var void while with".split(
    " ",
  ),
);

/** Arguments that identify a symbol: by name, or by the place of one of its occurrences. */
export const placeArguments = {
  symbol: z.string().min(1).optional().describe("such as Store.load"),
  path: z.string().min(1).optional(),
  line: z.int().positive().optional().describe("from 1"),
  column: z.int().positive().optional(),
};

const Place = z.object(placeArguments);
export type PlaceArguments = z.infer<typeof Place>;

/** A symbol at one of its occurrences. */
export interface SymbolPlace {
  readonly document: vscode.TextDocument;
  readonly position: vscode.Position;
  /** The word at the position. */
  readonly name: string;
}

/** Finds a symbol by its name or position. @throws HostToolFailed with the candidates, or with what is missing. */
export async function findPlace(
  wanted: PlaceArguments,
  token: vscode.CancellationToken,
  folder: string,
): Promise<SymbolPlace> {
  const { symbol, path, line } = wanted;
  if (path !== undefined && line !== undefined) {
    return atPosition(await openForLanguage(await findFile(path, folder), token), wanted, line);
  }
  if (symbol === undefined) throw new HostToolFailed("Give either symbol, or path and line.");
  const found =
    path === undefined ? await inWorkspace(symbol, token) : await inFile(symbol, await findFile(path, folder), token);
  const [first, ...others] = found;
  if (first === undefined) {
    const where = path === undefined ? "the workspace" : path;
    throw new HostToolFailed(
      `No symbol named "${symbol}" found in ${where}. Check the name, or give the path and line of a use.`,
    );
  }
  if (others.length > 0) throw new HostToolFailed(ambiguous(symbol, found));
  const document = await openForLanguage(first.location.uri, token);
  return placeOf(document, nameStart(document, first));
}

/** Formats a position for people and models. */
export function placeText(uri: vscode.Uri, { line, character }: vscode.Position): string {
  return `${describeUri(uri)}:${line + 1}:${character + 1}`;
}

interface Candidate {
  readonly name: string;
  readonly kind: vscode.SymbolKind;
  readonly containerName: string;
  readonly location: vscode.Location;
}

function atPosition(
  document: vscode.TextDocument,
  { column, symbol }: Pick<PlaceArguments, "column" | "symbol">,
  line: number,
): SymbolPlace {
  const text = document.getText(wholeLines(document, line));
  const name = symbol === undefined ? undefined : plainName(lastPart(symbol));
  const start = column === undefined ? nameIn(text, name) : column - 1;
  const place = placeOf(document, new vscode.Position(line - 1, Math.min(Math.max(start, 0), text.length)));
  const where = `${describeUri(document.uri)}:${line}${column === undefined ? "" : `:${column}`}`;
  // Otherwise another symbol would be renamed, or mistaken for the requested one.
  if (name !== undefined && (start === -1 || (column !== undefined && !isName(place.name, name)))) {
    throw new HostToolFailed(
      `"${symbol}" isn't at ${where}; the line is: ${text.trim().slice(0, MAX_SHOWN_CHARS)}\nRead the file again, or give path and symbol without a line.`,
    );
  }
  if (place.name !== "") return place;
  throw new HostToolFailed(`There's no name at ${where}. Read the line, or give the symbol.`);
}

/** Returns the offset of the name, or without one of the first word that may be a name; -1 when it is not found. */
function nameIn(text: string, name: string | undefined): number {
  if (name !== undefined) return findName(text, name);
  const words = [...text.matchAll(/[\p{L}_$][\p{L}\p{N}_$]*/gu)];
  return (words.find(([word]) => !KEYWORDS.has(word)) ?? words[0])?.index ?? 0;
}

function placeOf(document: vscode.TextDocument, position: vscode.Position): SymbolPlace {
  const range = document.getWordRangeAtPosition(position);
  return { document, position: range?.start ?? position, name: range === undefined ? "" : document.getText(range) };
}

async function inWorkspace(symbol: string, token: vscode.CancellationToken): Promise<Candidate[]> {
  const name = lastPart(symbol);
  const all = await askLanguage<vscode.SymbolInformation[] | undefined>(
    token,
    "vscode.executeWorkspaceSymbolProvider",
    name,
  );
  return fitting(symbol, all ?? []);
}

async function inFile(symbol: string, uri: vscode.Uri, token: vscode.CancellationToken): Promise<Candidate[]> {
  await openForLanguage(uri, token);
  const all = await askLanguage<(vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined>(
    token,
    "vscode.executeDocumentSymbolProvider",
    uri,
  );
  const candidates = flatten(all ?? []).map(({ name, kind, container, range }) => ({
    name,
    kind,
    containerName: container,
    location: new vscode.Location(uri, range),
  }));
  return fitting(symbol, candidates);
}

/** Returns the candidates that match. Services append signatures, as in `load()`; imports of a name do not count as its place. */
function fitting(symbol: string, all: readonly Candidate[]): Candidate[] {
  const name = lastPart(symbol);
  const container = symbol.slice(0, -name.length).replace(/[.#:]+$/, "");
  const sameName = all.filter((candidate) => plainName(candidate.name) === name);
  const exact = sameName.filter(
    ({ containerName }) => container === "" || lastPart(containerName) === lastPart(container),
  );
  const places = new Map(exact.map((found) => [placeText(found.location.uri, found.location.range.start), found]));
  return [...places.values()];
}

/** Returns the position of the name itself, since services give the range of the whole declaration. */
function nameStart(document: vscode.TextDocument, { name, location }: Candidate): vscode.Position {
  const { start } = location.range;
  const at = findName(document.getText(location.range), plainName(name));
  return at === -1 ? start : document.positionAt(document.offsetAt(start) + at);
}

function ambiguous(symbol: string, found: readonly Candidate[]): string {
  const lines = found.slice(0, MAX_CANDIDATES).map(({ name, kind, containerName, location }) => {
    const inside = containerName === "" ? "" : ` in ${containerName}`;
    return `- ${vscode.SymbolKind[kind]} ${name}${inside} at ${placeText(location.uri, location.range.start)}`;
  });
  return [`There are ${found.length} symbols named "${symbol}". Give the path and line of one:`, ...lines].join("\n");
}
