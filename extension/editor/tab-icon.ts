import * as vscode from "vscode";

/** Returns the icon of Tiller for tabs, which the editor does not color itself, in the forms for light and dark themes. */
export function tabIcon(extensionUri: vscode.Uri): { readonly light: vscode.Uri; readonly dark: vscode.Uri } {
  const media = (name: string) => vscode.Uri.joinPath(extensionUri, "media", name);
  return { light: media("tiller-light.svg"), dark: media("tiller-dark.svg") };
}
