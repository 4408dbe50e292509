import { isAbsolute, relative, resolve } from "node:path";
import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";
import type { Finding } from "./findings.ts";

const HAS_FINDINGS = "tiller.hasFindings";

/** The findings of the last review: a problem and a comment for each. */
export class FindingMarks implements vscode.Disposable {
  readonly #problems = vscode.languages.createDiagnosticCollection("tiller-review");
  readonly #comments: vscode.CommentController;
  #threads: readonly vscode.CommentThread[] = [];

  constructor() {
    this.#comments = vscode.comments.createCommentController("tiller.review", t("Tiller Review"));
  }

  /** Replaces the marks. Findings in files that do not exist, or are outside of `root`, get none. @returns the number of findings with marks. */
  async show(root: string, findings: readonly Finding[]): Promise<number> {
    this.clear();
    const placed = (await Promise.all(findings.map((finding) => placeOf(root, finding)))).flatMap((one) => one ?? []);
    for (const uri of new Map(placed.map((one) => [one.uri.toString(), one.uri])).values()) {
      const here = placed.filter((one) => one.uri.toString() === uri.toString());
      this.#problems.set(uri, here.map(problemOf));
    }
    this.#threads = placed.map((one) => this.#comment(one));
    setHasFindings(placed.length > 0);
    return placed.length;
  }

  clear(): void {
    this.#problems.clear();
    for (const thread of this.#threads) thread.dispose();
    this.#threads = [];
    setHasFindings(false);
  }

  dispose(): void {
    this.clear();
    this.#problems.dispose();
    this.#comments.dispose();
  }

  #comment({ uri, range, finding }: Placed): vscode.CommentThread {
    const body = new vscode.MarkdownString(finding.message);
    const author = { name: "Tiller" };
    const comment = { body, author, mode: vscode.CommentMode.Preview };
    const thread = this.#comments.createCommentThread(uri, range, [comment]);
    thread.canReply = false;
    thread.label = wordSeverity(finding.severity);
    return thread;
  }
}

interface Placed {
  readonly uri: vscode.Uri;
  readonly range: vscode.Range;
  readonly finding: Finding;
}

async function placeOf(root: string, finding: Finding): Promise<Placed | undefined> {
  const file = resolve(root, finding.path);
  const inside = relative(root, file);
  if (inside === "" || inside.startsWith("..") || isAbsolute(inside)) return undefined;
  const uri = vscode.Uri.file(file);
  try {
    await vscode.workspace.fs.stat(uri);
  } catch {
    return undefined; // the model named a file that is not there
  }
  return { uri, finding, range: new vscode.Range(finding.startLine - 1, 0, finding.endLine - 1, 1_000) };
}

function problemOf({ range, finding }: Placed): vscode.Diagnostic {
  const severities = {
    error: vscode.DiagnosticSeverity.Error,
    warning: vscode.DiagnosticSeverity.Warning,
    note: vscode.DiagnosticSeverity.Information,
  };
  const problem = new vscode.Diagnostic(range, finding.message, severities[finding.severity]);
  problem.source = "Tiller";
  return problem;
}

function wordSeverity(severity: Finding["severity"]): string {
  if (severity === "error") return t("Error");
  return severity === "warning" ? t("Warning") : t("Note");
}

function setHasFindings(isTrue: boolean): void {
  void vscode.commands.executeCommand("setContext", HAS_FINDINGS, isTrue);
}
