import * as vscode from "vscode";
import { type Problem, verdict } from "./verdict.ts";
import { describeUri } from "./workspace-files.ts";

/** Nobody waits longer for language services, in milliseconds. */
const MAX_WAIT_MS = 2_000;
/** A service that says nothing for so long has nothing to say. */
const SILENCE_MS = 1_000;
/** After a service has spoken, others and other files follow within this time. */
const QUIET_MS = 300;
/** Larger files are not opened for language services, in bytes. */
const MAX_OPENED_BYTES = 1_000_000;
/** Calls whose problems from before are remembered. */
const MAX_REMEMBERED = 50;
const NO_SERVICE: ReadonlySet<string> = new Set(["plaintext", "log", "markdown", "binary"]);

/** Tells what edits of the agent's do to the problems that the editor knows of. */
export class ProblemWatch {
  readonly #before = new Map<string, readonly Problem[]>();

  /** Lets language services know a file, so that its problems are known when it is changed. */
  async warmUp(path: string): Promise<void> {
    const uri = vscode.Uri.file(path);
    try {
      const { size, type } = await vscode.workspace.fs.stat(uri);
      if (type === vscode.FileType.File && size <= MAX_OPENED_BYTES) await vscode.workspace.openTextDocument(uri);
    } catch {
      // There is no such file yet, or it is no text: there are no problems in it to know of.
    }
  }

  /** Call it before a file is changed. */
  async before(toolCallId: string, path: string): Promise<void> {
    await this.warmUp(path);
    this.#before.set(toolCallId, listProblems());
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
    if (!hasService(path)) return "";
    await settled(token);
    return verdict(before, listProblems());
  }
}

function hasService(path: string): boolean {
  const open = vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === "file" && uri.fsPath === path);
  return open !== undefined && !NO_SERVICE.has(open.languageId);
}

function listProblems(): Problem[] {
  return vscode.languages
    .getDiagnostics()
    .flatMap(([uri, diagnostics]) => diagnostics.flatMap((diagnostic) => toProblem(uri, diagnostic)))
    .sort((a, b) => (a.severity < b.severity ? -1 : a.severity > b.severity ? 1 : 0));
}

function toProblem(uri: vscode.Uri, { severity, range, message, source, code }: vscode.Diagnostic): Problem[] {
  if (severity > vscode.DiagnosticSeverity.Warning) return [];
  const plainCode = typeof code === "object" ? code.value : code;
  const origin = [source, plainCode].filter((part) => part !== undefined && part !== "").join(" ");
  return [
    {
      file: describeUri(uri),
      line: range.start.line + 1,
      column: range.start.character + 1,
      severity: severity === vscode.DiagnosticSeverity.Error ? "error" : "warning",
      message,
      origin,
    },
  ];
}

/** Resolves when language services have come to rest, or have nothing to say for a second. */
export function settled(token: vscode.CancellationToken): Promise<void> {
  return new Promise((resolve) => {
    let timer = setTimeout(end, SILENCE_MS);
    const latest = setTimeout(end, MAX_WAIT_MS);
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
