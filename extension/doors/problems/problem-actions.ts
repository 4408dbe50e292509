import * as vscode from "vscode";
import * as z from "zod";
import { t } from "../../../webview/l10n.ts";

/** Lines of a file with problems, 1-based, both inclusive; the argument of the commands. */
export const ProblemPlace = z.object({ uri: z.string(), startLine: z.int().positive(), endLine: z.int().positive() });
export type ProblemPlace = z.infer<typeof ProblemPlace>;

/** Offers *Fix with Tiller* and *Explain with Tiller* where the editor knows of a problem. Nothing is read before one of them is chosen. */
export const problemActions: vscode.CodeActionProvider = {
  provideCodeActions(document, _range, { diagnostics }) {
    const [first] = diagnostics;
    if (first === undefined) return [];
    const lines = diagnostics.map(({ range }) => range);
    const place: ProblemPlace = {
      uri: document.uri.toString(),
      startLine: Math.min(...lines.map(({ start }) => start.line)) + 1,
      endLine: Math.max(...lines.map(({ end }) => end.line)) + 1,
    };
    return [
      action(t("Fix with Tiller"), "tiller.fixProblem", place, diagnostics),
      action(t("Explain with Tiller"), "tiller.explainProblem", place, diagnostics),
    ];
  },
};

function action(
  title: string,
  command: string,
  place: ProblemPlace,
  diagnostics: readonly vscode.Diagnostic[],
): vscode.CodeAction {
  const made = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  made.command = { title, command, arguments: [place] };
  made.diagnostics = [...diagnostics];
  return made;
}
