import * as vscode from "vscode";
import * as z from "zod";
import { t } from "../../../../webview/l10n.ts";
import { findFile } from "../find-file.ts";
import { defineHostTool } from "../host-tool.ts";
import { count } from "../listing.ts";

/** Shows several comparisons in one tab. */
export const showChanges = defineHostTool({
  name: "vscode_show_changes",
  label: "Show changes",
  description: "Offers the user diffs of several pairs of files in one tab.",
  isReadOnly: true,
  paths: [
    { argument: "files[].before", access: "read" },
    { argument: "files[].after", access: "read" },
  ],
  input: z.object({
    title: z.string().min(1).max(200),
    files: z
      .array(z.object({ before: z.string().min(1), after: z.string().min(1) }))
      .min(1)
      .max(200)
      .describe("paths"),
  }),
  async run({ title, files }, { folder, failed }) {
    const pairs = files.map(async ({ before, after }): Promise<[vscode.Uri, vscode.Uri, vscode.Uri]> => {
      const [old, made] = [await findFile(before, folder), await findFile(after, folder)];
      return [made, old, made];
    });
    // The editor cannot show these without taking the keyboard focus, perhaps in the middle of a word.
    offer(title, await Promise.all(pairs)).catch(failed);
    return `A notification offers the user ${count(files.length, "comparison")}.`;
  },
});

async function offer(title: string, pairs: readonly [vscode.Uri, vscode.Uri, vscode.Uri][]): Promise<void> {
  const show = t("Show Changes");
  const chosen = await vscode.window.showInformationMessage(t("The agent wants to show you changes: {0}", title), show);
  if (chosen === show) await vscode.commands.executeCommand("vscode.changes", title, pairs);
}
