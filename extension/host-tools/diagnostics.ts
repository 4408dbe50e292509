import * as vscode from "vscode";
import { z } from "zod";
import { defineHostTool } from "./host-tool.ts";
import { describeUri, findFile } from "./workspace-files.ts";

const MAX_LISTED = 100;
const SEVERITIES = ["error", "warning", "information", "hint"] as const;

/** Lists what the editor's language services complain about. */
export const getDiagnostics = defineHostTool({
  name: "vscode_get_diagnostics",
  label: "Get problems",
  description:
    "Lists errors and warnings of compilers, linters and language servers. Files that were never opened may be missing.",
  isReadOnly: true,
  input: z.object({
    path: z.string().min(1).optional().describe("default all files"),
    severity: z.enum(SEVERITIES).default("warning"),
  }),
  async run({ path, severity }, { folder }) {
    const uri = path === undefined ? undefined : await findFile(path, folder);
    const all: [vscode.Uri, readonly vscode.Diagnostic[]][] =
      uri === undefined ? vscode.languages.getDiagnostics() : [[uri, vscode.languages.getDiagnostics(uri)]];
    const mildest = SEVERITIES.indexOf(severity);
    const problems = all
      .flatMap(([file, diagnostics]) => diagnostics.map((diagnostic) => ({ file, diagnostic })))
      .filter(({ diagnostic }) => diagnostic.severity <= mildest)
      .sort((a, b) => a.diagnostic.severity - b.diagnostic.severity);
    const where = uri === undefined ? "the workspace" : describeUri(uri);
    if (problems.length === 0) return `No problems of severity ${severity} or worse in ${where}.`;
    const lines = problems.slice(0, MAX_LISTED).map(({ file, diagnostic }) => describeProblem(file, diagnostic));
    const rest = problems.length - lines.length;
    if (rest > 0) lines.push(`[${rest} more. Ask for one file, or for severity "error".]`);
    return [`${countBySeverity(problems.map((problem) => problem.diagnostic))} in ${where}:`, ...lines].join("\n");
  },
});

function describeProblem(file: vscode.Uri, diagnostic: vscode.Diagnostic): string {
  const { line, character } = diagnostic.range.start;
  const code = typeof diagnostic.code === "object" ? diagnostic.code.value : diagnostic.code;
  const origin = [diagnostic.source, code].filter((part) => part !== undefined && part !== "").join(" ");
  const place = `${describeUri(file)}:${line + 1}:${character + 1}`;
  return `${place} ${SEVERITIES[diagnostic.severity]}: ${diagnostic.message}${origin === "" ? "" : ` [${origin}]`}`;
}

function countBySeverity(diagnostics: readonly vscode.Diagnostic[]): string {
  return SEVERITIES.map((name, severity) => ({
    name,
    count: diagnostics.filter((d) => d.severity === severity).length,
  }))
    .filter(({ count }) => count > 0)
    .map(({ name, count }) => `${count} ${name}${count === 1 ? "" : "s"}`)
    .join(", ");
}
