import * as vscode from "vscode";
import { z } from "zod";
import { defineHostTool } from "../host-tool.ts";
import { count } from "../listing.ts";
import { findFile } from "../workspace-files.ts";

/** Shows several comparisons in one tab. */
export const showChanges = defineHostTool({
  name: "vscode_show_changes",
  label: "Show changes",
  description: "Shows the user how several pairs of files differ, in one tab.",
  isReadOnly: true,
  input: z.object({
    title: z.string().min(1).max(200),
    files: z
      .array(z.object({ before: z.string().min(1), after: z.string().min(1) }))
      .min(1)
      .max(200)
      .describe("paths"),
  }),
  async run({ title, files }, { folder }) {
    const pairs = files.map(async ({ before, after }): Promise<[vscode.Uri, vscode.Uri, vscode.Uri]> => {
      const [old, made] = [await findFile(before, folder), await findFile(after, folder)];
      return [made, old, made];
    });
    await vscode.commands.executeCommand("vscode.changes", title, await Promise.all(pairs));
    return `The user sees ${count(files.length, "comparison")}.`;
  },
});
