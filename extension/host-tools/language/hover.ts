import type * as vscode from "vscode";
import * as z from "zod";
import { defineHostTool } from "../host-tool.ts";
import { listText, nextArgument } from "../listing.ts";
import { askLanguage } from "./ask-language.ts";
import { findPlace, placeArguments } from "./place.ts";

/** Type and documentation of a symbol. */
export const hover = defineHostTool({
  name: "vscode_hover",
  label: "Hover",
  description: "Tells type, signature and documentation of a symbol.",
  isReadOnly: true,
  input: z.object({ ...placeArguments, next: nextArgument }),
  async run({ next, ...wanted }, { token, folder }) {
    const { document, position, name } = await findPlace(wanted, token, folder);
    const hovers = await askLanguage<vscode.Hover[] | undefined>(
      token,
      "vscode.executeHoverProvider",
      document.uri,
      position,
    );
    const text = (hovers ?? []).flatMap(({ contents }) => contents.map(plainText)).filter((part) => part !== "");
    if (text.length === 0) return `The editor has nothing to say about "${name}".`;
    return listText({ title: `About "${name}":`, lines: text.join("\n").split("\n"), next });
  },
});

function plainText(content: vscode.MarkdownString | vscode.MarkedString): string {
  const text = typeof content === "string" ? content : content.value;
  return text.replace(/^```\S*\s*$/gm, "").trim();
}
