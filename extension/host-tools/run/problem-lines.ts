import * as vscode from "vscode";
import { describeUri } from "../workspace-files.ts";

const MAX_LINES = 50;

/** The errors and warnings that the editor knows of now, as lines for the model. */
export function describeProblems(): string[] {
  const lines = vscode.languages
    .getDiagnostics()
    .flatMap(([uri, diagnostics]) => diagnostics.map((diagnostic) => ({ uri, diagnostic })))
    .filter(({ diagnostic }) => diagnostic.severity <= vscode.DiagnosticSeverity.Warning)
    .sort((a, b) => a.diagnostic.severity - b.diagnostic.severity)
    .map(({ uri, diagnostic: { range, severity, message } }) => {
      const kind = severity === vscode.DiagnosticSeverity.Error ? "error" : "warning";
      return `${describeUri(uri)}:${range.start.line + 1}:${range.start.character + 1} ${kind}: ${message.split("\n")[0]}`;
    });
  if (lines.length === 0) return ["The editor knows of no problems."];
  const rest = lines.length - MAX_LINES;
  return ["Problems:", ...lines.slice(0, MAX_LINES), ...(rest > 0 ? [`(${rest} more)`] : [])];
}
