import * as vscode from "vscode";
import type { ContextBlock } from "../../../webview/protocol/context.ts";
import { gitBlock } from "../../core/mentions/context-blocks.ts";
import { isSecretLooking } from "../../editor/secret-files.ts";

/** The part of the git extension's API that is used here. */
interface GitExtension {
  getAPI(version: 1): { getRepository(uri: vscode.Uri): { diffWithHEAD(path: string): Promise<string> } | null };
}

/** Returns the changes of some files since the last commit, or undefined when git knows nothing about them. */
export async function changesOf(uris: readonly vscode.Uri[]): Promise<ContextBlock | undefined> {
  const extension = vscode.extensions.getExtension<GitExtension>("vscode.git");
  const git = (await extension?.activate())?.getAPI(1);
  if (git === undefined) return undefined;
  const diffs = await Promise.all(
    uris
      .filter((uri) => !isSecretLooking(uri.path))
      // An untracked file has no diff.
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
