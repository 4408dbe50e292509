import * as vscode from "vscode";
import * as z from "zod";
import { describeUri } from "../../../editor/workspace-files.ts";
import { defineHostTool } from "../host-tool.ts";
import { count, grouped, listText, nextArgument } from "../listing.ts";
import { askLanguage } from "./ask-language.ts";
import { linesOf, outsideMark, showSpot, toSpot } from "./locations.ts";
import { findPlace, placeArguments } from "./place.ts";
import { useLines } from "./use-lines.ts";

const MAX_CONTEXT = 10;
/** The maximum number of files in which writes are distinguished from reads; each of them is opened. */
const MAX_MARKED = 50;
const contextArgument = z.int().min(0).max(MAX_CONTEXT).default(2).describe("lines around each");

const COMMANDS = {
  definition: "vscode.executeDefinitionProvider",
  type: "vscode.executeTypeDefinitionProvider",
  implementation: "vscode.executeImplementationProvider",
  declaration: "vscode.executeDeclarationProvider",
} as const;

/** Finds the definition of a symbol. */
export const findDefinition = defineHostTool({
  name: "vscode_find_definition",
  label: "Find definition",
  description: "Finds a symbol's definition by its name, or by the path and line of a use.",
  isReadOnly: true,
  paths: [{ argument: "path", access: "read" }],
  input: z.object({
    ...placeArguments,
    what: z.enum(["definition", "type", "implementation", "declaration"]).default("definition"),
    context: contextArgument,
    next: nextArgument,
  }),
  async run({ what, context, next, ...wanted }, { token, folder }) {
    const { document, position, name } = await findPlace(wanted, token, folder);
    const found = await askLanguage<(vscode.Location | vscode.LocationLink)[] | undefined>(
      token,
      COMMANDS[what],
      document.uri,
      position,
    );
    const spots = (found ?? []).map(toSpot);
    if (spots.length === 0) return `The editor knows no ${what} for "${name}".`;
    const lines = (await Promise.all(spots.map((spot) => showSpot(spot, context)))).flat();
    return listText({ title: `${count(spots.length, what)} of "${name}":`, lines, next });
  },
});

/** Finds all uses of a symbol. */
export const findReferences = defineHostTool({
  name: "vscode_find_references",
  label: "Find references",
  description: "Finds all uses of a symbol by file, without other things that share its name.",
  isReadOnly: true,
  paths: [{ argument: "path", access: "read" }],
  input: z.object({
    ...placeArguments,
    includeDeclaration: z.boolean().default(false),
    context: contextArgument.default(0),
    next: nextArgument,
  }),
  async run({ includeDeclaration, context, next, ...wanted }, { token, folder }) {
    const { document, position, name } = await findPlace(wanted, token, folder);
    const found = await askLanguage<vscode.Location[] | undefined>(
      token,
      "vscode.executeReferenceProvider",
      document.uri,
      position,
    );
    const isDeclaration = includeDeclaration ? () => false : await declarationTest(document.uri, position, token);
    const references = (found ?? []).filter((location) => !isDeclaration(location));
    if (references.length === 0) return `Nothing uses "${name}", as far as the editor knows.`;
    const byFile = [...grouped(references, ({ uri }) => uri.toString()).values()];
    const blocks = byFile.map((locations, index) =>
      showUses(locations, { context, token, isMarked: index < MAX_MARKED }),
    );
    const unmarked = byFile.length > MAX_MARKED ? ` (writes are told of the first ${MAX_MARKED} files)` : "";
    const title = `${count(references.length, "reference")} of "${name}" in ${count(byFile.length, "file")}${unmarked}:`;
    return listText({ title, lines: (await Promise.all(blocks)).flat(), next });
  },
});

async function declarationTest(uri: vscode.Uri, position: vscode.Position, token: vscode.CancellationToken) {
  const found = await askLanguage<(vscode.Location | vscode.LocationLink)[] | undefined>(
    token,
    COMMANDS.definition,
    uri,
    position,
  );
  const spots = (found ?? []).map(toSpot);
  return (location: vscode.Location) =>
    spots.some(
      (spot) => spot.uri.toString() === location.uri.toString() && spot.range.start.isEqual(location.range.start),
    );
}

interface UseOptions {
  readonly context: number;
  readonly token: vscode.CancellationToken;
  /** True when uses that write are marked. */
  readonly isMarked: boolean;
}

/** Formats the uses in one file. */
async function showUses(locations: readonly vscode.Location[], options: UseOptions): Promise<string[]> {
  const [first] = locations;
  if (first === undefined) return [];
  const { uri } = first;
  const isWrite = options.isMarked ? await writeTest(first, options.token) : () => false;
  const uses = locations.map((location) => ({ line: location.range.start.line, isWrite: isWrite(location) }));
  const writes = uses.filter((use) => use.isWrite).length;
  const lines = await linesOf(uri);
  const title = `${describeUri(uri)}${outsideMark(uri)}: ${count(uses.length, "reference")}`;
  const text = { lineCount: lines.length, textOf: (line: number) => lines[line] ?? "" };
  return [writes === 0 ? title : `${title}, ${count(writes, "write")}`, ...useLines(uses, text, options.context)];
}

/** Returns a test for the uses in the file of `uri` that write. */
async function writeTest({ uri, range }: vscode.Location, token: vscode.CancellationToken) {
  const highlights = await askLanguage<vscode.DocumentHighlight[] | undefined>(
    token,
    "vscode.executeDocumentHighlights",
    uri,
    range.start,
  );
  const writes = highlights?.filter(({ kind }) => kind === vscode.DocumentHighlightKind.Write) ?? [];
  return (location: vscode.Location) => writes.some((marked) => marked.range.start.isEqual(location.range.start));
}
