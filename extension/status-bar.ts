import * as vscode from "vscode";
import type { PanelUi } from "../webview/protocol/ui.ts";

interface AllChats {
  readonly pendingQuestions: number;
  readonly runningElsewhere: number;
}

/** Two short items: what the agent does and whether it waits for the user, and what it may do without asking. */
export class StatusBar implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem("tiller.status", vscode.StatusBarAlignment.Right, 100);
  readonly #mode = vscode.window.createStatusBarItem("tiller.mode", vscode.StatusBarAlignment.Right, 99);

  constructor() {
    this.#item.name = "Tiller";
    this.#item.command = "tiller.focusChat";
    this.#mode.name = "Tiller Permission Mode";
    this.#mode.command = "tiller.pickPermissionMode";
  }

  /**
   * @param ui of the chat that the user is in.
   * @param all.pendingQuestions how many questions of all chats wait for the user; all.runningElsewhere how many other chats are at work.
   */
  show(ui: PanelUi, { pendingQuestions, runningElsewhere }: AllChats): void {
    const isWaiting = pendingQuestions > 0;
    const { icon, text } = isWaiting ? { icon: "bell-dot", text: "Tiller waits for you" } : FACES[ui.status];
    this.#item.text = `$(${icon}) ${text}`;
    this.#item.command = isWaiting ? "tiller.answerQuestion" : "tiller.focusChat";
    this.#item.backgroundColor = isWaiting
      ? new vscode.ThemeColor("statusBarItem.warningBackground")
      : ui.status === "crashed"
        ? new vscode.ThemeColor("statusBarItem.errorBackground")
        : undefined;
    this.#item.tooltip = tooltip(ui, { pendingQuestions, runningElsewhere });
    this.#item.show();
    this.#showMode(ui);
  }

  dispose(): void {
    this.#item.dispose();
    this.#mode.dispose();
  }

  #showMode({ mode, status }: PanelUi): void {
    if (mode.label === "" || status === "untrusted" || status === "noFolder") {
      this.#mode.hide();
      return;
    }
    this.#mode.text = `$(${mode.icon}) ${mode.label}`;
    this.#mode.tooltip = `${mode.hint} Click to change.`;
    this.#mode.accessibilityInformation = { label: `Tiller permission mode: ${mode.label}. ${mode.hint}` };
    this.#mode.show();
  }
}

const FACES: { readonly [S in PanelUi["status"]]: { readonly icon: string; readonly text: string } } = {
  untrusted: { icon: "workspace-untrusted", text: "Tiller: not trusted" },
  noFolder: { icon: "circle-slash", text: "Tiller: no folder" },
  stopped: { icon: "circle-outline", text: "Tiller" },
  starting: { icon: "loading~spin", text: "Tiller starts" },
  idle: { icon: "circle-filled", text: "Tiller" },
  running: { icon: "loading~spin", text: "Tiller works" },
  stopping: { icon: "loading~spin", text: "Tiller stops" },
  crashed: { icon: "error", text: "Tiller is down" },
};

function tooltip(ui: PanelUi, { pendingQuestions, runningElsewhere }: AllChats): string {
  const lines = [ui.modelLabel === "" ? "Open the chat" : `Model: ${ui.modelLabel}`];
  if (pendingQuestions > 0) lines.push(`Questions that wait for you: ${pendingQuestions}`);
  if (runningElsewhere > 0) lines.push(`Other chats at work: ${runningElsewhere}`);
  if (ui.costUsd !== undefined) lines.push(`This session has cost $${ui.costUsd.toFixed(2)}`);
  const queued = ui.steering.length + ui.followUp.length;
  if (queued > 0) lines.push(`Queued messages: ${queued}`);
  for (const status of ui.statuses) lines.push(status.text);
  return lines.join("\n");
}
