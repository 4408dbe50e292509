import * as vscode from "vscode";
import { BackgroundTabs, isWatched } from "../background-tabs.ts";
import { editorProblems } from "../editor-problems.ts";
import type { Problem } from "../problem-words.ts";
import { verdict } from "../verdict.ts";
import { askLanguage } from "./ask-language.ts";
import { openForLanguage } from "./language-ready.ts";

/** Maximum time to wait for language services, in milliseconds. */
const MAX_WAIT_MS = 2_000;
/** Without a report for this long, a service has nothing to report, in milliseconds. */
const SILENCE_MS = 1_000;
/** Time within which a language service checks a file that was not open, in milliseconds. */
const PATIENCE_MS = 5_000;
/** After one report, others and those of other files follow within this time, in milliseconds. */
const QUIET_MS = 300;
/** Maximum number of calls whose previous problems are kept. */
const MAX_REMEMBERED = 50;

/** Describes how the agent's edits change the problems that the editor knows of. */
export class ProblemWatch implements vscode.Disposable {
  readonly #tabs = new BackgroundTabs();
  readonly #before = new Map<string, readonly Problem[]>();

  /** Makes language services check a file. @returns true when they have only just begun. */
  warmUp(path: string): Promise<boolean> {
    return this.#tabs.open(path);
  }

  /** Does the same, and waits for the result. @param silenceMs without a report for this long, there are no problems. */
  async look(path: string, token: vscode.CancellationToken, silenceMs = SILENCE_MS): Promise<void> {
    if (await this.warmUp(path)) await settled(token, silenceMs);
  }

  /** Does the same for a file whose project may not be loaded yet. @throws HostToolFailed when its language service does not answer. */
  async lookThrough(uri: vscode.Uri, token: vscode.CancellationToken): Promise<void> {
    await openForLanguage(uri, token);
    // A service that answers this has loaded the project, which may take a while, and checks for problems next.
    await askLanguage(token, "vscode.executeHoverProvider", uri, new vscode.Position(0, 0));
    await this.look(uri.fsPath, token, PATIENCE_MS);
  }

  /** Must be called before a file is changed. */
  async before(toolCallId: string, path: string, token: vscode.CancellationToken): Promise<void> {
    await this.look(path, token);
    this.#before.set(toolCallId, editorProblems());
    for (const oldest of this.#before.keys()) {
      if (this.#before.size <= MAX_REMEMBERED) break;
      this.#before.delete(oldest);
    }
  }

  /** Waits until language services have seen the change. @returns its effect, for the model; empty when there is nothing to say. */
  async after(toolCallId: string, path: string, token: vscode.CancellationToken): Promise<string> {
    const before = this.#before.get(toolCallId);
    this.#before.delete(toolCallId);
    if (before === undefined) return "";
    await this.warmUp(path);
    if (!isWatched(path)) return "";
    await settled(token);
    return verdict(before, editorProblems());
  }

  dispose(): void {
    this.#tabs.dispose();
  }
}

/** Resolves when language services have finished reporting, or have reported nothing for `silenceMs`. */
export function settled(token: vscode.CancellationToken, silenceMs = SILENCE_MS): Promise<void> {
  return new Promise((resolve) => {
    let timer = setTimeout(end, silenceMs);
    const latest = setTimeout(end, Math.max(MAX_WAIT_MS, silenceMs));
    const subscriptions = [
      token.onCancellationRequested(end),
      vscode.languages.onDidChangeDiagnostics(() => {
        clearTimeout(timer);
        timer = setTimeout(end, QUIET_MS);
      }),
    ];
    function end(): void {
      clearTimeout(timer);
      clearTimeout(latest);
      for (const subscription of subscriptions) subscription.dispose();
      resolve();
    }
  });
}
