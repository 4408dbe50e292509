import * as vscode from "vscode";
import * as z from "zod";
import { defineHostTool } from "../host-tool.ts";
import { count, listText, nextArgument } from "../listing.ts";
import { describeUri } from "../workspace-files.ts";
import { askLanguage } from "./ask-language.ts";
import { showSpot, toSpot } from "./locations.ts";
import { findPlace, placeArguments } from "./place.ts";

const MAX_CONTEXT = 10;
const contextArgument = z.int().min(0).max(MAX_CONTEXT).default(2).describe("lines around each");

const COMMANDS = {
  definition: "vscode.executeDefinitionProvider",
  type: "vscode.executeTypeDefinitionProvider",
  implementation: "vscode.executeImplementationProvider",
  declaration: "vscode.executeDeclarationProvider",
} as const;

/** Where a symbol comes from. */
export const findDefinition = defineHostTool({
  name: "vscode_find_definition",
  label: "Find definition",
  description:
    "Finds where a symbol is defined, by its name or by path and line of a use. Follows imports and overloads.",
  isReadOnly: true,
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
    if (spots.length === 0) return `The editor knows no ${what} of "${name}".`;
    const lines = (await Promise.all(spots.map((spot) => showSpot(spot, context)))).flat();
    return listText({ title: `${count(spots.length, what)} of "${name}":`, lines, next });
  },
});

/** Everywhere a symbol is used. */
export const findReferences = defineHostTool({
  name: "vscode_find_references",
  label: "Find references",
  description: "Finds all uses of a symbol by file, and leaves out other things of the same name.",
  isReadOnly: true,
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
    const byFile = new Map<string, vscode.Location[]>();
    for (const reference of references) {
      const file = describeUri(reference.uri);
      byFile.set(file, [...(byFile.get(file) ?? []), reference]);
    }
    const blocks = [...byFile].map(async ([file, locations]) => {
      const shown = await Promise.all(locations.map((location) => showSpot(location, context)));
      return [`${file}: ${await writesAndReads(locations, token)}`, ...shown.flatMap((lines) => lines.slice(1))];
    });
    const title = `${count(references.length, "reference")} of "${name}" in ${count(byFile.size, "file")}:`;
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

/** How often a file writes and reads what it refers to. */
async function writesAndReads(locations: readonly vscode.Location[], token: vscode.CancellationToken): Promise<string> {
  const [first] = locations;
  const highlights =
    first === undefined
      ? undefined
      : await askLanguage<vscode.DocumentHighlight[] | undefined>(
          token,
          "vscode.executeDocumentHighlights",
          first.uri,
          first.range.start,
        );
  const isWrite = ({ range }: vscode.Location) =>
    highlights?.some(
      ({ kind, range: marked }) => kind === vscode.DocumentHighlightKind.Write && marked.start.isEqual(range.start),
    ) === true;
  const writes = locations.filter(isWrite).length;
  const total = count(locations.length, "reference");
  return writes === 0 ? total : `${total}, ${count(writes, "write")}`;
}
