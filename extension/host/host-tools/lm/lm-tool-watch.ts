import * as vscode from "vscode";
import type { HostTool } from "../host-tool.ts";
import { languageModelTools } from "./language-model-tools.ts";

/** Polling interval in milliseconds, since the editor has no event for added and removed tools. */
const INTERVAL_MS = 250;

/** Watches the tools of other extensions and of MCP servers of the editor. Polls only while an agent runs. */
export class LmToolWatch implements vscode.Disposable {
  readonly #timer: NodeJS.Timeout;
  readonly #extensions: vscode.Disposable;
  #listed: readonly vscode.LanguageModelToolInformation[] = [];
  #tools: readonly HostTool[] = [];
  /** True until `changed` is called for a change, even when a reader of the tools has seen it before. */
  #isNews = false;

  /** @param changed is called when the tools have changed. */
  constructor(isNeeded: () => boolean, changed: () => void) {
    this.#timer = setInterval(() => {
      if (!isNeeded()) return;
      this.#refresh();
      if (!this.#isNews) return;
      this.#isNews = false;
      changed();
    }, INTERVAL_MS);
    // The tools of an extension may be listed before its manifest is available.
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
    // The editor lists a new object for a tool of which anything has changed.
    const isSame = listed.length === this.#listed.length && listed.every((tool, at) => tool === this.#listed[at]);
    if (isSame) return;
    this.#listed = listed;
    this.#tools = languageModelTools(listed);
    this.#isNews = true;
  }
}
