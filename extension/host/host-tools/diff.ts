import * as vscode from "vscode";
import * as z from "zod";
import { describeUri } from "../../editor/workspace-files.ts";
import { findFile } from "./find-file.ts";
import { defineHostTool, type HostTool, HostToolFailed } from "./host-tool.ts";
import { showingColumn } from "./showing-column.ts";

const SCHEME = "tiller-diff";
/** Number of texts kept. The diffs of older ones become empty when the editor reads them again. */
const MAX_KEPT_TEXTS = 40;

/** Shows two texts or files side by side. The texts live in memory and are never written anywhere. */
export function createDiffTool(subscriptions: vscode.Disposable[]): HostTool {
  const texts = new Map<string, string>();
  let lastId = 0;
  subscriptions.push(
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      provideTextDocumentContent: (uri) => texts.get(uri.query) ?? "",
    }),
  );
  const keep = (text: string, name: string): vscode.Uri => {
    lastId += 1;
    texts.set(String(lastId), text);
    texts.delete(String(lastId - MAX_KEPT_TEXTS));
    return vscode.Uri.from({ scheme: SCHEME, path: `/${name}`, query: String(lastId) });
  };
  const side = async (
    { path, text }: { path: string | undefined; text: string | undefined },
    name: string,
    folder: string,
  ): Promise<vscode.Uri> => {
    if (path !== undefined && text === undefined) return findFile(path, folder);
    if (text !== undefined && path === undefined) return keep(text, name);
    throw new HostToolFailed("Give each side as either a path or text: leftPath or leftText, rightPath or rightText.");
  };
  return defineHostTool({
    name: "vscode_show_diff",
    label: "Show diff",
    description: "Shows the user a diff of two files or texts.",
    isReadOnly: true,
    paths: [
      { argument: "leftPath", access: "read" },
      { argument: "rightPath", access: "read" },
    ],
    input: z.object({
      leftPath: z.string().min(1).optional().describe("the old side"),
      leftText: z.string().optional().describe("instead of leftPath"),
      rightPath: z.string().min(1).optional(),
      rightText: z.string().optional(),
      title: z.string().optional(),
    }),
    async run({ leftPath, leftText, rightPath, rightText, title }, context) {
      // The name decides the highlighting, so a text gets the name of the file that it is compared with.
      const name = (leftPath ?? rightPath ?? "text").split(/[\\/]/).at(-1) ?? "text";
      const left = await side({ path: leftPath, text: leftText }, name, context.folder);
      const right = await side({ path: rightPath, text: rightText }, name, context.folder);
      const heading = title ?? `${name}: before and after`;
      const options = { preserveFocus: true, preview: true, viewColumn: showingColumn(context) };
      await vscode.commands.executeCommand("vscode.diff", left, right, heading, options);
      const named = (uri: vscode.Uri) => (uri.scheme === SCHEME ? "the given text" : describeUri(uri));
      return `The user sees a diff of ${named(left)} and ${named(right)}.`;
    },
  });
}
