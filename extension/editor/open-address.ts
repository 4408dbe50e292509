import * as vscode from "vscode";
import { t } from "../../webview/l10n.ts";

/** Opens a web or mail address. Others are refused, since links come from the model, and from servers. */
export async function openAddress(href: string): Promise<void> {
  const uri = vscode.Uri.parse(href);
  if (!["http", "https", "mailto"].includes(uri.scheme)) throw new Error(t('Can\'t open "{0}:" links.', uri.scheme));
  // The text itself, which the type leaves out: of a `Uri`, the editor opens a text whose query is decoded once.
  await Reflect.apply(vscode.env.openExternal, vscode.env, [href]);
}
