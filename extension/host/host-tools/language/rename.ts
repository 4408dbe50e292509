import type * as vscode from "vscode";
import * as z from "zod";
import { errorMessage } from "../../../../agent/protocol/errors.ts";
import { applyEdit } from "../files/apply-edit.ts";
import { defineHostTool, HostToolFailed } from "../host-tool.ts";
import { count, reportText } from "../listing.ts";
import { askLanguage } from "./ask-language.ts";
import { findPlace, placeArguments, type SymbolPlace } from "./place.ts";

/** Renames a symbol in all files. */
export const renameSymbol = defineHostTool({
  name: "vscode_rename_symbol",
  label: "Rename symbol",
  description: "Renames a symbol in all files, without other things that share its name.",
  isReadOnly: false,
  paths: [{ argument: "path", access: "write" }],
  approval: "edit",
  input: z.object({ ...placeArguments, newName: z.string().min(1) }),
  async run({ newName, ...wanted }, context) {
    const place = await findPlace(wanted, context.token, context.folder);
    const edit = await findRename(place, newName, context.token);
    const lines = await applyEdit(edit, context);
    if (lines.length === 0) throw new HostToolFailed(`Nothing refers to "${place.name}", so nothing changed.`);
    const title = `Renamed "${place.name}" to "${newName}" in ${count(lines.length, "file")}:`;
    return reportText(title, lines);
  },
});

async function findRename({ document, position, name }: SymbolPlace, newName: string, token: vscode.CancellationToken) {
  try {
    const edit = await askLanguage<vscode.WorkspaceEdit | undefined>(
      token,
      "vscode.executeDocumentRenameProvider",
      document.uri,
      position,
      newName,
    );
    if (edit !== undefined && edit.size > 0) return edit;
  } catch (error) {
    if (error instanceof HostToolFailed) throw error;
    throw new HostToolFailed(`"${name}" can't be renamed: ${errorMessage(error)}`, { cause: error });
  }
  throw new HostToolFailed(
    `The language service can't rename "${name}" there. Give the path, line, and column of the name itself, or use edit.`,
  );
}
