import * as vscode from "vscode";
import type { DialogRequest } from "../../../agent/protocol/dialogs.ts";
import { t } from "../../../webview/l10n.ts";
import type { Answer } from "../../core/connection/question-queue.ts";

type EditorRequest = Extract<DialogRequest, { method: "editor" }>;

/** URIs of the answer documents, for the `when` clauses of the buttons in the title bar. */
const CONTEXT_KEY = "tiller.answerDocuments";

interface OpenQuestion {
  readonly request: EditorRequest;
  readonly document: vscode.TextDocument;
  finish(answer: Answer | undefined): void;
}

/** Questions for a longer text: each opens an untitled document with Submit and Cancel in its title bar. */
export class EditorQuestions implements vscode.Disposable {
  readonly #open = new Map<string, OpenQuestion>();
  /** Unsubmitted texts of closed or replaced documents. Keyed by the request, not its id: the agents of two chats may use the same ids. */
  readonly #drafts = new WeakMap<EditorRequest, string>();
  readonly #lensesChanged = new vscode.EventEmitter<void>();
  readonly #subscriptions: vscode.Disposable[];
  readonly #failed: (error: unknown) => void;

  /** @param failed is called when a used document could not be closed. */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
    this.#subscriptions = [
      this.#lensesChanged,
      vscode.workspace.onDidCloseTextDocument((document) => this.#putOff(document.uri.toString())),
      vscode.languages.registerCodeLensProvider(
        { scheme: "untitled" },
        {
          onDidChangeCodeLenses: this.#lensesChanged.event,
          provideCodeLenses: (document) => this.#lenses(document),
        },
      ),
    ];
  }

  /** Opens a document and resolves to its text when it is submitted; to `undefined` when it is closed or `signal` aborts. */
  async ask(request: EditorRequest, signal: AbortSignal): Promise<Answer | undefined> {
    const content = (this.#drafts.get(request) || request.prefill) ?? "";
    const document = await vscode.workspace.openTextDocument({ language: "markdown", content });
    const key = document.uri.toString();
    const answer = new Promise<Answer | undefined>((resolve) => {
      this.#open.set(key, { request, document, finish: resolve });
    });
    const abort = () => this.#putOff(key);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    try {
      this.#openChanged();
      await vscode.window.showTextDocument(document, { preview: false });
      return await answer;
    } finally {
      signal.removeEventListener("abort", abort);
      this.#open.delete(key);
      this.#openChanged();
      // The agent does not wait for the cleanup.
      closeWithoutAsking(document).catch(this.#failed);
    }
  }

  /** Brings the document of an answer to the front. @returns false when there is none. */
  async reveal(request: DialogRequest): Promise<boolean> {
    const question = [...this.#open.values()].find((open) => open.request === request);
    if (question === undefined) return false;
    const { document } = question;
    const viewColumn = groupOf(document)?.viewColumn ?? vscode.ViewColumn.Active;
    await vscode.window.showTextDocument(document, { preview: false, viewColumn });
    return true;
  }

  /** Submits the text of `uri`, by default of the active editor. */
  submit(uri: vscode.Uri | undefined): void {
    const question = this.#find(uri);
    question?.finish({ type: "value", value: question.document.getText() });
  }

  cancel(uri: vscode.Uri | undefined): void {
    this.#find(uri)?.finish({ type: "cancelled" });
  }

  dispose(): void {
    for (const question of this.#open.values()) question.finish(undefined);
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #find(uri: vscode.Uri | undefined): OpenQuestion | undefined {
    const wanted = uri ?? vscode.window.activeTextEditor?.document.uri;
    return wanted === undefined ? undefined : this.#open.get(wanted.toString());
  }

  #putOff(key: string): void {
    const question = this.#open.get(key);
    if (question === undefined) return;
    this.#drafts.set(question.request, question.document.getText());
    question.finish(undefined);
  }

  #openChanged(): void {
    this.#lensesChanged.fire();
    void vscode.commands.executeCommand("setContext", CONTEXT_KEY, [...this.#open.keys()]);
  }

  #lenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const question = this.#open.get(document.uri.toString());
    if (question === undefined) return [];
    const top = new vscode.Range(0, 0, 0, 0);
    const args = [document.uri];
    return [
      new vscode.CodeLens(top, { title: question.request.title, command: "" }),
      new vscode.CodeLens(top, { title: t("$(check) Submit"), command: "tiller.submitEditor", arguments: args }),
      new vscode.CodeLens(top, { title: t("$(close) Cancel"), command: "tiller.cancelEditor", arguments: args }),
    ];
  }
}

/** Closes an untitled document; emptied first, so that the editor does not ask whether to save it. */
async function closeWithoutAsking(document: vscode.TextDocument): Promise<void> {
  if (document.isClosed) return;
  const edit = new vscode.WorkspaceEdit();
  edit.delete(document.uri, new vscode.Range(0, 0, document.lineCount, 0));
  await vscode.workspace.applyEdit(edit);
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter((tab) => isTabOf(tab, document));
  await vscode.window.tabGroups.close(tabs, true);
}

function groupOf(document: vscode.TextDocument): vscode.TabGroup | undefined {
  return vscode.window.tabGroups.all.find(({ tabs }) => tabs.some((tab) => isTabOf(tab, document)));
}

function isTabOf({ input }: vscode.Tab, { uri }: vscode.TextDocument): boolean {
  return input instanceof vscode.TabInputText && input.uri.toString() === uri.toString();
}
