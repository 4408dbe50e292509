import * as vscode from "vscode";
import * as z from "zod";
import { describeUri } from "../../../editor/workspace-files.ts";
import { findFile } from "../find-file.ts";
import { defineHostTool } from "../host-tool.ts";
import { count, listText, nextArgument } from "../listing.ts";
import { askLanguage } from "./ask-language.ts";
import { openForLanguage } from "./language-ready.ts";
import { outsideMark } from "./locations.ts";
import { placeText } from "./place.ts";
import { flatten, kindName } from "./symbol-words.ts";

const MAX_DEPTH = 10;

/** Lists the symbols of a file. */
export const documentSymbols = defineHostTool({
  name: "vscode_document_symbols",
  label: "Outline",
  description: "Lists a file's symbols with line ranges. Faster than reading a long file.",
  isReadOnly: true,
  paths: [{ argument: "path", access: "read" }],
  input: z.object({
    path: z.string().min(1),
    depth: z.int().min(1).max(MAX_DEPTH).default(3),
    next: nextArgument,
  }),
  async run({ path, depth, next }, { token, folder }) {
    const uri = await findFile(path, folder);
    await openForLanguage(uri, token);
    const symbols = await askLanguage<(vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined>(
      token,
      "vscode.executeDocumentSymbolProvider",
      uri,
    );
    const all = flatten(symbols ?? []);
    if (all.length === 0) return `The editor knows of no symbols in ${describeUri(uri)}. Read the file instead.`;
    const shown = all.filter((symbol) => symbol.depth < depth);
    const lines = shown.map((symbol) => {
      const { start, end } = symbol.fullRange;
      const detail = symbol.detail === "" ? "" : ` ${symbol.detail}`;
      const indent = "  ".repeat(symbol.depth);
      return `${indent}${kindName(symbol.kind)} ${symbol.name}${detail} [${start.line + 1}-${end.line + 1}]`;
    });
    const deeper = all.length - shown.length;
    const rest = deeper === 0 ? "" : `, ${deeper} more below depth ${depth}`;
    return listText({ title: `${count(shown.length, "symbol")} in ${describeUri(uri)}${rest}:`, lines, next });
  },
});

const KINDS = Object.values(vscode.SymbolKind)
  .filter((name) => typeof name === "string")
  .map((name) => name.toLowerCase());

/** Finds symbols in the whole workspace by name. */
export const workspaceSymbols = defineHostTool({
  name: "vscode_workspace_symbols",
  label: "Find symbols",
  description: "Finds symbol declarations by part of their name.",
  isReadOnly: true,
  input: z.object({
    query: z.string().min(1),
    kind: z.string().toLowerCase().pipe(z.enum(KINDS)).optional().describe("such as class"),
    next: nextArgument,
  }),
  async run({ query, kind, next }, { token }) {
    const found = await askLanguage<vscode.SymbolInformation[] | undefined>(
      token,
      "vscode.executeWorkspaceSymbolProvider",
      query,
    );
    const fitting = (found ?? []).filter((symbol) => kind === undefined || kindName(symbol.kind) === kind);
    if (fitting.length === 0) {
      return `No symbol named like "${query}". Language services know a file's symbols once one of its language is open; grep finds text anywhere.`;
    }
    const lines = fitting.map(({ name, kind: of, containerName, location }) => {
      const inside = containerName === "" ? "" : ` in ${containerName}`;
      return `${kindName(of)} ${name}${inside} at ${placeText(location.uri, location.range.start)}${outsideMark(location.uri)}`;
    });
    return listText({ title: `${count(fitting.length, "symbol")} named like "${query}":`, lines, next });
  },
});
