import * as vscode from "vscode";
import { describeUri } from "../../../editor/workspace-files.ts";
import { type CheckedFiles, editorProblems } from "../editor-problems.ts";
import { gapLine, type Problem } from "../problem-words.ts";
import { hasTab } from "../tabs.ts";
import { verdict } from "../verdict.ts";
import { checkFile, type FileCheck } from "./file-check.ts";
import { settled } from "./settled.ts";

/** Maximum time for the check of an edited file, in milliseconds. It ends with the answer, and takes long only on a busy machine. */
const EDIT_LIMIT_MS = 5_000;
/** Maximum time for the first check, in milliseconds: it starts the language service and loads the project. */
const FIRST_LIMIT_MS = 10_000;
/** Maximum time for a check that the agent asked for, in milliseconds. */
const ASKED_LIMIT_MS = 20_000;
/** Maximum number of calls whose previous problems are kept. */
const MAX_REMEMBERED = 50;
/** Maximum number of checked files that are asked about again when problems of the workspace are listed. */
const MAX_CHECKED = 20;

interface Before {
  readonly problems: readonly Problem[];
  readonly gap: FileCheck["gap"];
}

/** Describes how the agent's edits change the problems that the editor knows of. Shows nothing to the user for that. */
export class ProblemWatch implements vscode.Disposable {
  readonly #before = new Map<string, Before>();
  /** Files whose service was asked, the latest last. */
  readonly #checked = new Map<string, vscode.Uri>();
  /** Problems of files without a tab, while quick fixes are looked for. */
  readonly #lent = vscode.languages.createDiagnosticCollection("tiller");
  #hasAnswer = false;

  /** Finds the problems of a file, whose project may not be loaded yet. */
  check(uri: vscode.Uri, token: vscode.CancellationToken, hasHints = false): Promise<FileCheck> {
    return this.#look(uri, { token, limitMs: ASKED_LIMIT_MS, hasHints });
  }

  /** Asks again about files that were checked, whose services publish nothing about them. */
  async recheck(token: vscode.CancellationToken, hasHints: boolean): Promise<CheckedFiles> {
    const uris = [...this.#checked.values()];
    const found = new Map<string, { uri: vscode.Uri; diagnostics: readonly vscode.Diagnostic[] }>();
    for (const uri of uris) {
      const { asked } = await this.check(uri, token, hasHints);
      if (asked !== undefined) found.set(uri.toString(), { uri, diagnostics: asked });
    }
    return found;
  }

  /** Runs `work` while providers of quick fixes see the problems of a file, as they would if it were in a tab. */
  async withProblems<T>(uri: vscode.Uri, token: vscode.CancellationToken, work: () => Promise<T>): Promise<T> {
    const { asked = [] } = await this.check(uri, token, true);
    if (!hasTab(uri)) this.#lent.set(uri, asked);
    try {
      return await work();
    } finally {
      this.#lent.delete(uri);
    }
  }

  /** Must be called before a file is changed. */
  async before(toolCallId: string, path: string, token: vscode.CancellationToken): Promise<void> {
    this.#before.set(toolCallId, await this.#problems(vscode.Uri.file(path), token));
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
    const uri = vscode.Uri.file(path);
    const others = hasTabs() ? settled(token) : undefined;
    const after = await this.#problems(uri, token, others);
    const gap = after.gap ?? before.gap;
    const lines = [verdict(before.problems, after.problems), gap === undefined ? "" : gapLine(describeUri(uri), gap)];
    return lines.filter((line) => line !== "").join("\n");
  }

  dispose(): void {
    this.#lent.dispose();
  }

  /** @param others resolves when the problems of other files are up to date. */
  async #problems(uri: vscode.Uri, token: vscode.CancellationToken, others?: Promise<void>): Promise<Before> {
    const limitMs = this.#hasAnswer ? EDIT_LIMIT_MS : FIRST_LIMIT_MS;
    const { asked, gap } = await this.#look(uri, { token, limitMs });
    await others;
    const checked: CheckedFiles = new Map(asked === undefined ? [] : [[uri.toString(), { uri, diagnostics: asked }]]);
    return { problems: editorProblems({ checked }), gap };
  }

  async #look(uri: vscode.Uri, options: Parameters<typeof checkFile>[1]): Promise<FileCheck> {
    const check = await checkFile(uri, options);
    const key = uri.toString();
    this.#checked.delete(key);
    if (check.asked !== undefined) {
      this.#hasAnswer = true;
      this.#checked.set(key, uri);
    }
    for (const oldest of this.#checked.keys()) {
      if (this.#checked.size <= MAX_CHECKED) break;
      this.#checked.delete(oldest);
    }
    return check;
  }
}

function hasTabs(): boolean {
  return vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(({ input }) => input instanceof vscode.TabInputText));
}
