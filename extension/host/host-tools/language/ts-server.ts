import * as vscode from "vscode";
import * as z from "zod";
import { askLanguage } from "./ask-language.ts";

/** The languages of the editor's own TypeScript service, and the source that it gives their problems. */
const SOURCES: Readonly<Record<string, string>> = {
  typescript: "ts",
  typescriptreact: "ts",
  javascript: "js",
  javascriptreact: "js",
};

/** A place as the server names it, 1-based. */
const Place = z.object({ line: z.number(), offset: z.number() });
const Span = z.object({ file: z.string(), start: Place, end: Place });
const Problem = z.object({
  start: Place,
  end: Place,
  text: z.string(),
  category: z.string(),
  code: z.number().optional(),
  source: z.string().optional(),
  relatedInformation: z.array(z.object({ message: z.string(), span: Span.optional() })).optional(),
});
const Response = z.object({ type: z.literal("response"), body: z.array(Problem) });

const REQUESTS = ["syntacticDiagnosticsSync", "semanticDiagnosticsSync"] as const;
const HINT_REQUEST = "suggestionDiagnosticsSync";

/** True if the TypeScript server can be asked about a document, and the user wants its problems. */
export function hasTsServer({ languageId, uri }: vscode.TextDocument): boolean {
  if (SOURCES[languageId] === undefined) return false;
  const language = languageId.startsWith("typescript") ? "typescript" : "javascript";
  return vscode.workspace.getConfiguration(language, uri).get("validate.enable", true);
}

/**
 * Asks the TypeScript server for the problems of an open document. It publishes only those of files in a tab.
 * @returns undefined when the server cannot be asked. @throws HostToolFailed when it takes too long or the call is cancelled.
 */
export async function askTsServer(
  { uri, languageId }: vscode.TextDocument,
  token: vscode.CancellationToken,
  hasHints: boolean,
): Promise<vscode.Diagnostic[] | undefined> {
  const found: vscode.Diagnostic[] = [];
  for (const request of hasHints ? [...REQUESTS, HINT_REQUEST] : REQUESTS) {
    const answer = await askLanguage<unknown>(token, "typescript.tsserverRequest", request, { file: uri.fsPath });
    const { data } = Response.safeParse(answer);
    if (data === undefined) return undefined;
    found.push(...data.body.map((problem) => toDiagnostic(problem, SOURCES[languageId])));
  }
  return found;
}

function toDiagnostic(problem: z.infer<typeof Problem>, source: string | undefined): vscode.Diagnostic {
  const { text, category, code, relatedInformation = [] } = problem;
  const diagnostic = new vscode.Diagnostic(toRange(problem), text, severityOf(category));
  diagnostic.source = problem.source ?? source ?? "ts";
  if (code !== undefined) diagnostic.code = code;
  diagnostic.relatedInformation = relatedInformation.flatMap(({ message, span }) =>
    span === undefined
      ? []
      : [
          new vscode.DiagnosticRelatedInformation(
            new vscode.Location(vscode.Uri.file(span.file), toRange(span)),
            message,
          ),
        ],
  );
  return diagnostic;
}

function toRange({ start, end }: { start: z.infer<typeof Place>; end: z.infer<typeof Place> }): vscode.Range {
  const from = (one: number) => Math.max(0, one - 1);
  return new vscode.Range(from(start.line), from(start.offset), from(end.line), from(end.offset));
}

function severityOf(category: string): vscode.DiagnosticSeverity {
  if (category === "warning") return vscode.DiagnosticSeverity.Warning;
  if (category === "message") return vscode.DiagnosticSeverity.Information;
  return category === "suggestion" ? vscode.DiagnosticSeverity.Hint : vscode.DiagnosticSeverity.Error;
}
