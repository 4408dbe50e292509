import * as vscode from "vscode";
import type { HostTool } from "../host-tool.ts";
import { languageModelTools } from "./language-model-tools.ts";

/** The editor tells nobody when tools come and go, so they are looked at in this interval, in milliseconds. */
const INTERVAL_MS = 1_000;

/** Tools of other extensions and of MCP servers of the editor, as they come and go. They are looked at only while an agent runs. */
export class LmToolWatch implements vscode.Disposable {
  readonly #timer: NodeJS.Timeout;
  #names = "";
  #tools: readonly HostTool[] = [];

  /** @param changed is called when there are others. */
  constructor(isNeeded: () => boolean, changed: () => void) {
    this.#timer = setInterval(() => {
      if (isNeeded() && this.#refresh()) changed();
    }, INTERVAL_MS);
  }

  get tools(): readonly HostTool[] {
    this.#refresh();
    return this.#tools;
  }

  dispose(): void {
    clearInterval(this.#timer);
  }

  #refresh(): boolean {
    const names = vscode.lm.tools.map(({ name }) => name).join(" ");
    if (names === this.#names) return false;
    this.#names = names;
    this.#tools = languageModelTools();
    return true;
  }
}
