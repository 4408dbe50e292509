import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";

const SCHEME = "tiller-preview";
/** Maximum number of previews; older ones can no longer be applied. */
const MAX_PREVIEWS = 20;

interface Preview {
  readonly target: vscode.Uri;
  /** The file for which the change was computed; undefined for a file that does not exist yet. */
  readonly before: string | undefined;
  readonly after: string;
}

/** Changes that are shown in a diff before they are made. The texts are kept in memory. */
export class Previews implements vscode.Disposable {
  readonly #previews = new Map<string, Preview>();
  readonly #provider: vscode.Disposable;
  #lastId = 0;

  constructor() {
    this.#provider = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      provideTextDocumentContent: (uri) => {
        const preview = this.#previews.get(idOf(uri));
        return (uri.fragment === "before" ? preview?.before : preview?.after) ?? "";
      },
    });
  }

  /** Opens the diff; the button in its title applies the change. */
  async show(preview: Preview): Promise<void> {
    this.#lastId += 1;
    this.#previews.set(String(this.#lastId), preview);
    this.#previews.delete(String(this.#lastId - MAX_PREVIEWS));
    const address = { scheme: SCHEME, path: preview.target.path, query: String(this.#lastId) };
    const after = vscode.Uri.from(address);
    const left = preview.before === undefined ? vscode.Uri.from({ ...address, fragment: "before" }) : preview.target;
    const name = vscode.workspace.asRelativePath(preview.target);
    const title = preview.before === undefined ? t("{0} (new file)", name) : t("{0} (proposed change)", name);
    await vscode.commands.executeCommand("vscode.diff", left, after, title, { preview: true });
  }

  /** Applies the shown change in the editor, where it can be undone. @throws Error when the file has changed since. */
  async apply(uri: vscode.Uri | undefined): Promise<void> {
    const shown = uri ?? vscode.window.activeTextEditor?.document.uri;
    const preview = shown?.scheme === SCHEME ? this.#previews.get(idOf(shown)) : undefined;
    if (preview === undefined) throw new Error(t("This proposed change is no longer available. Apply the code again."));
    const edit = new vscode.WorkspaceEdit();
    if (preview.before === undefined) {
      edit.createFile(preview.target, { contents: Buffer.from(preview.after), overwrite: false });
    } else {
      const document = await vscode.workspace.openTextDocument(preview.target);
      if (document.getText() !== preview.before)
        throw new Error(t("The file changed after this preview opened. Apply the code again."));
      const end = document.lineAt(document.lineCount - 1).range.end;
      edit.replace(preview.target, new vscode.Range(new vscode.Position(0, 0), end), preview.after);
    }
    if (!(await vscode.workspace.applyEdit(edit))) throw new Error(t("Couldn't apply the change in the editor."));
    await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
    await vscode.window.showTextDocument(preview.target);
  }

  dispose(): void {
    this.#provider.dispose();
  }
}

function idOf(uri: vscode.Uri): string {
  return uri.query;
}
