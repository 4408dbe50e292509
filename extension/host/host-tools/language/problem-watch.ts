import * as vscode from "vscode";
import { BackgroundTabs, isWatched } from "../background-tabs.ts";
import { editorProblems } from "../editor-problems.ts";
import type { Problem } from "../problem-words.ts";
import { verdict } from "../verdict.ts";
import { askLanguage } from "./ask-language.ts";
import { openForLanguage } from "./language-ready.ts";

/** Nobody waits longer for language services, in milliseconds. */
const MAX_WAIT_MS = 2_000;
/** A service that says nothing for so long has nothing to say. */
const SILENCE_MS = 1_000;
/** A file that nobody had open is looked through by its language service within this time. */
const PATIENCE_MS = 5_000;
/** After a service has spoken, others and other files follow within this time. */
const QUIET_MS = 300;
/** Calls whose problems from before are remembered. */
const MAX_REMEMBERED = 50;

/** Tells what edits of the agent's do to the problems that the editor knows of. */
export class ProblemWatch implements vscode.Disposable {
  readonly #tabs = new BackgroundTabs();
  readonly #before = new Map<string, readonly Problem[]>();

  /** Lets language services look for problems in a file. @returns whether they have only begun to. */
  warmUp(path: string): Promise<boolean> {
    return this.#tabs.open(path);
  }

  /** The same, and waits until they have found what there is. @param silenceMs without a word for so long they have found nothing. */
  async look(path: string, token: vscode.CancellationToken, silenceMs = SILENCE_MS): Promise<void> {
    if (await this.warmUp(path)) await settled(token, silenceMs);
  }

  /** The same for a file whose project may not be loaded yet. @throws HostToolFailed when its language service does not answer. */
  async lookThrough(uri: vscode.Uri, token: vscode.CancellationToken): Promise<void> {
    await openForLanguage(uri, token);
    // Whoever answers this has loaded the project, which may take a while, and looks for problems next.
    await askLanguage(token, "vscode.executeHoverProvider", uri, new vscode.Position(0, 0));
    await this.look(uri.fsPath, token, PATIENCE_MS);
  }

  /** Call it before a file is changed. */
  async before(toolCallId: string, path: string, token: vscode.CancellationToken): Promise<void> {
    await this.look(path, token);
    this.#before.set(toolCallId, editorProblems());
    for (const oldest of this.#before.keys()) {
      if (this.#before.size <= MAX_REMEMBERED) break;
      this.#before.delete(oldest);
    }
  }

  /** Waits until language services have seen the change. @returns what it did, for the model; empty when there is nothing to say. */
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

/** Resolves when language services have come to rest, or have nothing to say for `silenceMs`. */
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
