import * as vscode from "vscode";
import { type Problem, SEVERITIES, type Severity } from "./problem-words.ts";
import { describeUri } from "./workspace-files.ts";

interface WantedProblems {
  /** Of this file only. */
  readonly uri?: vscode.Uri | undefined;
  /** The mildest that counts, default warning. */
  readonly mildest?: Severity;
}

/** What the editor's language services complain about now, the worst first. */
export function editorProblems({ uri, mildest = "warning" }: WantedProblems = {}): Problem[] {
  const all: [vscode.Uri, readonly vscode.Diagnostic[]][] =
    uri === undefined ? vscode.languages.getDiagnostics() : [[uri, vscode.languages.getDiagnostics(uri)]];
  return all
    .flatMap(([file, diagnostics]) => diagnostics.map((diagnostic) => ({ file, diagnostic })))
    .filter(({ diagnostic }) => diagnostic.severity <= SEVERITIES.indexOf(mildest))
    .sort((a, b) => a.diagnostic.severity - b.diagnostic.severity)
    .map(({ file, diagnostic }) => toProblem(file, diagnostic));
}

function toProblem(uri: vscode.Uri, { severity, range, message, source, code }: vscode.Diagnostic): Problem {
  const plainCode = typeof code === "object" ? code.value : code;
  return {
    file: describeUri(uri),
    line: range.start.line + 1,
    column: range.start.character + 1,
    severity: SEVERITIES[severity] ?? "hint",
    message,
    origin: [source, plainCode].filter((part) => part !== undefined && part !== "").join(" "),
  };
}
