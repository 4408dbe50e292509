import * as vscode from "vscode";

/** True when the user has a document in a tab, in a text editor or in one of another kind. */
export function hasTab(uri: vscode.Uri): boolean {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.some(({ input }) => uriOf(input)?.toString() === uri.toString());
}

/** Returns the URI of a tab that shows a single file. */
function uriOf(input: unknown): vscode.Uri | undefined {
  const { TabInputText, TabInputNotebook, TabInputCustom } = vscode;
  const isOfOne = input instanceof TabInputText || input instanceof TabInputNotebook || input instanceof TabInputCustom;
  return isOfOne ? input.uri : undefined;
}
