import * as vscode from "vscode";
import type { ContextBlock } from "../../../webview/protocol/context.ts";
import { gitBlock } from "../../core/mentions/context-blocks.ts";
import { isSecretLooking } from "../../editor/secret-files.ts";

/** What is used of the interface that the editor's own git extension offers. */
interface GitExtension {
  getAPI(version: 1): { getRepository(uri: vscode.Uri): { diffWithHEAD(path: string): Promise<string> } | null };
}

/** What has changed in some files since the last commit; undefined where git has nothing to tell of them. */
export async function changesOf(uris: readonly vscode.Uri[]): Promise<ContextBlock | undefined> {
  const extension = vscode.extensions.getExtension<GitExtension>("vscode.git");
  const git = (await extension?.activate())?.getAPI(1);
  if (git === undefined) return undefined;
  const diffs = await Promise.all(
    uris
      .filter((uri) => !isSecretLooking(uri.path))
      // A file that git does not know yet has no difference to tell.
      .map(
        async (uri) =>
          (await git
            .getRepository(uri)
            ?.diffWithHEAD(uri.fsPath)
            .catch(() => "")) ?? "",
      ),
  );
  const report = diffs.filter((diff) => diff.trim() !== "").join("\n");
  return report === "" ? undefined : gitBlock(report);
}
