import * as vscode from "vscode";
import { describeUri } from "../../editor/workspace-files.ts";
import { type Problem, SEVERITIES, type Severity } from "./problem-words.ts";

/** Files whose language service was asked, by URI: its answer counts in place of what it has published. */
export type CheckedFiles = ReadonlyMap<
  string,
  { readonly uri: vscode.Uri; readonly diagnostics: readonly vscode.Diagnostic[] }
>;

interface WantedProblems {
  /** Only problems of this file. */
  readonly uri?: vscode.Uri | undefined;
  /** Only problems of files in this folder. */
  readonly inFolder?: vscode.Uri | undefined;
  /** The lowest severity to include; default warning. */
  readonly mildest?: Severity;
  /** A part of the source's name, such as eslint. */
  readonly source?: string | undefined;
  readonly checked?: CheckedFiles;
}

/** Lists the problems that language services report now, the worst first. */
export function editorProblems(wanted: WantedProblems = {}): Problem[] {
  const { uri, inFolder, mildest = "warning", source = "", checked = new Map() } = wanted;
  const published: [vscode.Uri, readonly vscode.Diagnostic[]][] =
    uri === undefined ? vscode.languages.getDiagnostics() : [[uri, vscode.languages.getDiagnostics(uri)]];
  return withChecked(published, checked)
    .filter(([file]) => inFolder === undefined || file.path.startsWith(`${inFolder.path.replace(/\/$/, "")}/`))
    .flatMap(([file, diagnostics]) => diagnostics.map((diagnostic) => ({ file, diagnostic })))
    .filter(({ diagnostic }) => diagnostic.severity <= SEVERITIES.indexOf(mildest))
    .filter(({ diagnostic }) => (diagnostic.source ?? "").toLowerCase().includes(source.toLowerCase()))
    .sort((a, b) => a.diagnostic.severity - b.diagnostic.severity)
    .map(({ file, diagnostic }) => toProblem(file, diagnostic));
}

/** True for a problem that the TypeScript server has published. */
function isOfTsServer({ source }: vscode.Diagnostic): boolean {
  return source === "ts" || source === "js";
}

function withChecked(
  published: readonly (readonly [vscode.Uri, readonly vscode.Diagnostic[]])[],
  checked: CheckedFiles,
): (readonly [vscode.Uri, readonly vscode.Diagnostic[]])[] {
  const kept = published.map(([uri, diagnostics]) => {
    const isAsked = checked.has(uri.toString());
    return [uri, isAsked ? diagnostics.filter((one) => !isOfTsServer(one)) : diagnostics] as const;
  });
  return [...kept, ...[...checked.values()].map(({ uri, diagnostics }) => [uri, diagnostics] as const)];
}

function toProblem(uri: vscode.Uri, diagnostic: vscode.Diagnostic): Problem {
  const { severity, range, message, source, code, relatedInformation = [] } = diagnostic;
  const plainCode = typeof code === "object" ? code.value : code;
  const related = relatedInformation.map(
    ({ location, message: why }) =>
      `${describeUri(location.uri)}:${location.range.start.line + 1}:${location.range.start.character + 1} ${why}`,
  );
  return {
    file: describeUri(uri),
    line: range.start.line + 1,
    column: range.start.character + 1,
    severity: SEVERITIES[severity] ?? "hint",
    message,
    origin: [source, plainCode].filter((part) => part !== undefined && part !== "").join(" "),
    ...(related.length === 0 ? {} : { related }),
  };
}
