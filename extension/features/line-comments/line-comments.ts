import { stat } from "node:fs/promises";
import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";
import { describeUri } from "../../editor/workspace-files.ts";
import type { ChangeTracker } from "../../host/changes/change-tracker.ts";
import type { Chats } from "../../window/chats.ts";
import { composeComments, type LineComment } from "./comment-message.ts";

const CONTROLLER = "tiller.lineComments";
/** The scheme of files before the agent's changes. */
const BASELINE = "tiller-baseline";

/** The lines of code that a comment is about. */
interface Subject {
  readonly startLine: number;
  readonly endLine: number;
  readonly quote: string;
}

/** Comments of the user on lines of changed files, which go to the agent of the focused chat in one message. */
export class LineComments implements vscode.Disposable {
  readonly #changes: ChangeTracker;
  readonly #chats: Chats;
  readonly #controller: vscode.CommentController;
  readonly #subscriptions: vscode.Disposable[];
  readonly #collected = new Map<vscode.CommentThread, Subject>();
  #changedPaths = "";
  #isSending = false;

  constructor(changes: ChangeTracker, chats: Chats) {
    this.#changes = changes;
    this.#chats = chats;
    this.#controller = vscode.comments.createCommentController(CONTROLLER, t("Comments for the Agent"));
    this.#controller.options = {
      prompt: t("Tell the Agent About This Line"),
      placeHolder: t("Describe what to change, or ask a question"),
    };
    this.#offer();
    this.#subscriptions = [
      this.#controller,
      changes.onDidChange(() => this.#offer()),
      chats.onDidChange(() => this.#tell()),
    ];
  }

  /** Opens the box for a comment on the lines at the cursor. */
  async begin(): Promise<void> {
    await vscode.commands.executeCommand("workbench.action.addComment");
  }

  /** Adds a comment to those that are sent together. */
  add({ thread, text }: vscode.CommentReply): void {
    if (text.trim() === "") return;
    const comment = { body: text, mode: vscode.CommentMode.Preview, author: { name: t("You") } };
    if (!this.#collected.has(thread)) this.#collected.set(thread, subjectOf(thread));
    thread.comments = [...thread.comments, comment];
    thread.label = t("Comment for the Agent");
    thread.contextValue = "collected";
    thread.collapsibleState = vscode.CommentThreadCollapsibleState.Collapsed;
    this.#tell();
  }

  /** Adds a comment, and sends it with those that were collected. */
  async addAndSend(reply: vscode.CommentReply): Promise<void> {
    this.add(reply);
    await this.send();
  }

  /** Sends all comments in one message, which waits for the end of a run, and removes them. */
  async send(): Promise<void> {
    if (this.#isSending || this.#collected.size === 0) return;
    this.#isSending = true;
    const sent = [...this.#collected.keys()].map((thread) => ({ thread, count: thread.comments.length }));
    try {
      const comments = (
        await Promise.all([...this.#collected].map(([thread, subject]) => read(thread, subject)))
      ).flat();
      const { focused } = this.#chats;
      await this.#chats.reveal(focused);
      await focused.prompt({ text: composeComments(comments), delivery: "followUp" });
      for (const { thread, count } of sent) this.#removeSent(thread, count);
    } finally {
      this.#isSending = false;
    }
  }

  /** Removes the comments on some lines. */
  remove(thread: vscode.CommentThread): void {
    this.#collected.delete(thread);
    thread.dispose();
    this.#tell();
  }

  /** Removes the first comments on some lines; one that was added meanwhile waits for the next message. */
  #removeSent(thread: vscode.CommentThread, count: number): void {
    const rest = thread.comments.slice(count);
    if (rest.length === 0) this.remove(thread);
    else thread.comments = rest;
    this.#tell();
  }

  /** Removes all comments, after a question. */
  async discard(): Promise<void> {
    const { size } = this.#collected;
    const yes = t("Discard");
    const question = size === 1 ? t("Discard your comment?") : t("Discard your {0} comments?", size);
    if (size === 0 || (await vscode.window.showWarningMessage(question, { modal: true }, yes)) !== yes) return;
    for (const thread of [...this.#collected.keys()]) this.remove(thread);
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  /** Offers comments in the files that the agent has changed; a new provider makes the editor ask again. */
  #offer(): void {
    const paths = (this.#changes.book?.files ?? []).map(({ path }) => path).join("\n");
    if (paths === this.#changedPaths && this.#controller.commentingRangeProvider !== undefined) return;
    this.#changedPaths = paths;
    this.#controller.commentingRangeProvider = {
      provideCommentingRanges: ({ uri, lineCount }) => {
        const isOffered =
          uri.scheme === BASELINE || (uri.scheme === "file" && this.#changes.book?.get(uri.fsPath) !== undefined);
        return isOffered ? [new vscode.Range(0, 0, lineCount - 1, 0)] : [];
      },
    };
  }

  /** Shows the number of comments on every page. */
  #tell(): void {
    const lineComments = [...this.#collected.keys()].reduce((count, { comments }) => count + comments.length, 0);
    for (const { transcript } of this.#chats.hub.chats) {
      if ((transcript.ui.lineComments ?? 0) !== lineComments) {
        transcript.dispatch({ type: "host_ui", ui: { lineComments } });
      }
    }
  }
}

function subjectOf({ uri, range }: vscode.CommentThread): Subject {
  const start = range?.start.line ?? 0;
  const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
  const quote = document !== undefined && start < document.lineCount ? document.lineAt(start).text : "";
  return { startLine: start + 1, endLine: (range?.end.line ?? start) + 1, quote };
}

async function read(thread: vscode.CommentThread, subject: Subject): Promise<LineComment[]> {
  const { uri, comments } = thread;
  const file = vscode.Uri.file(uri.path);
  const state = (await exists(file)) ? (uri.scheme === BASELINE ? "before" : "here") : "gone";
  const path = describeUri(file).replaceAll("\\", "/");
  return comments.map(({ body }) => ({
    path,
    ...subject,
    state,
    text: typeof body === "string" ? body : body.value,
  }));
}

async function exists(file: vscode.Uri): Promise<boolean> {
  return stat(file.fsPath).then(
    () => true,
    () => false,
  );
}
