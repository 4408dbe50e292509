import * as vscode from "vscode";
import type { HostTool } from "../host-tool.ts";
import { languageModelTools } from "./language-model-tools.ts";

/** The editor tells nobody when tools come and go, so they are looked at in this interval, in milliseconds. */
const INTERVAL_MS = 250;

/** Tools of other extensions and of MCP servers of the editor, as they come and go. They are looked at only while an agent runs. */
export class LmToolWatch implements vscode.Disposable {
  readonly #timer: NodeJS.Timeout;
  readonly #extensions: vscode.Disposable;
  #listed: readonly vscode.LanguageModelToolInformation[] = [];
  #tools: readonly HostTool[] = [];
  /** Whoever reads the tools may see a change first; all the same everybody is told of it. */
  #isNews = false;

  /** @param changed is called when there are others. */
  constructor(isNeeded: () => boolean, changed: () => void) {
    this.#timer = setInterval(() => {
      if (!isNeeded()) return;
      this.#refresh();
      if (!this.#isNews) return;
      this.#isNews = false;
      changed();
    }, INTERVAL_MS);
    // The tools of an extension may be listed before its manifest is known.
    this.#extensions = vscode.extensions.onDidChange(() => {
      this.#listed = [];
    });
  }

  get tools(): readonly HostTool[] {
    this.#refresh();
    return this.#tools;
  }

  dispose(): void {
    clearInterval(this.#timer);
    this.#extensions.dispose();
  }

  #refresh(): void {
    const listed = vscode.lm.tools;
    // Where anything about a tool has changed, the editor lists another object.
    const isSame = listed.length === this.#listed.length && listed.every((tool, at) => tool === this.#listed[at]);
    if (isSame) return;
    this.#listed = listed;
    this.#tools = languageModelTools(listed);
    this.#isNews = true;
  }
}
