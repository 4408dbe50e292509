import type * as vscode from "vscode";
import * as z from "zod";
import { defineHostTool } from "../host-tool.ts";
import { listText, nextArgument } from "../listing.ts";
import { askLanguage } from "./ask-language.ts";
import { findPlace, placeArguments } from "./place.ts";

/** Maximum time to wait for a project to load, in milliseconds; then the answer so far counts. */
const MAX_LOADING_MS = 15_000;
/** Interval between requests to the service, which doesn't say when it is done, in milliseconds. */
const INTERVAL_MS = 250;

/** Shows the type and documentation of a symbol. */
export const hover = defineHostTool({
  name: "vscode_hover",
  label: "Hover",
  description: "Returns a symbol's type, signature, and documentation.",
  isReadOnly: true,
  paths: [{ argument: "path", access: "read" }],
  input: z.object({ ...placeArguments, next: nextArgument }),
  async run({ next, ...wanted }, { token, folder }) {
    const { document, position, name } = await findPlace(wanted, token, folder);
    const text = await untilLoaded(() => hoversAt(document.uri, position, token), token);
    if (text.length === 0) return `The editor has no information about "${name}".`;
    return listText({ title: `About "${name}":`, lines: text.join("\n").split("\n"), next });
  },
});

async function hoversAt(
  uri: vscode.Uri,
  position: vscode.Position,
  token: vscode.CancellationToken,
): Promise<string[]> {
  const hovers = await askLanguage<vscode.Hover[] | undefined>(token, "vscode.executeHoverProvider", uri, position);
  return (hovers ?? []).flatMap(({ contents }) => contents.map(plainText)).filter((part) => part !== "");
}

/** Asks until TypeScript has loaded the project; until then it answers from the file alone, and marks that. */
async function untilLoaded(ask: () => Promise<string[]>, token: vscode.CancellationToken): Promise<string[]> {
  const endAt = Date.now() + MAX_LOADING_MS;
  for (;;) {
    const text = await ask();
    const isLoading = text.some((part) => part.startsWith("(loading...)"));
    if (!isLoading || Date.now() > endAt || token.isCancellationRequested) return text;
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  }
}

function plainText(content: vscode.MarkdownString | vscode.MarkedString): string {
  const text = typeof content === "string" ? content : content.value;
  return text.replace(/^```\S*\s*$/gm, "").trim();
}
