import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";
import type { CodePlace } from "./code-place.ts";
import { linesOf } from "./lines-of.ts";

/** The kinds of the code actions. */
export const CODE_ACTION_KINDS = [vscode.CodeActionKind.QuickFix, vscode.CodeActionKind.RefactorRewrite];

/**
 * Offers *Fix with Tiller* and *Explain with Tiller* where the editor knows of a problem, and the commands for code where some is selected. Nothing
 * is read before one of them is chosen.
 */
export const codeActions: vscode.CodeActionProvider = {
  provideCodeActions(document, range, { diagnostics }) {
    return [...problemActions(document, diagnostics), ...selectionActions(document, range)];
  },
};

function problemActions({ uri }: vscode.TextDocument, diagnostics: readonly vscode.Diagnostic[]): vscode.CodeAction[] {
  if (diagnostics.length === 0) return [];
  const lines = diagnostics.map(({ range }) => range);
  const place: CodePlace = {
    uri: uri.toString(),
    startLine: Math.min(...lines.map(({ start }) => start.line)) + 1,
    endLine: Math.max(...lines.map(({ end }) => end.line)) + 1,
  };
  const action = (title: string, command: string) => {
    const made = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
    made.command = { title, command, arguments: [place] };
    made.diagnostics = [...diagnostics];
    return made;
  };
  return [action(t("Fix with Tiller"), "tiller.fixProblem"), action(t("Explain with Tiller"), "tiller.explainProblem")];
}

function selectionActions({ uri }: vscode.TextDocument, range: vscode.Range): vscode.CodeAction[] {
  if (range.isEmpty) return [];
  const place: CodePlace = { uri: uri.toString(), ...linesOf(range) };
  const action = (title: string, command: string) => {
    const made = new vscode.CodeAction(title, vscode.CodeActionKind.RefactorRewrite);
    made.command = { title, command, arguments: [place] };
    return made;
  };
  return [
    action(t("Edit Selection with Tiller…"), "tiller.editLines"),
    action(t("Explain Selection with Tiller"), "tiller.explain"),
    action(t("Fix Selection with Tiller"), "tiller.fix"),
    action(t("Add Tests with Tiller"), "tiller.addTests"),
    action(t("Document with Tiller"), "tiller.document"),
  ];
}
