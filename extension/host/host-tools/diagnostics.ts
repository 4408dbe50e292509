import type * as vscode from "vscode";
import * as z from "zod";
import { describeUri } from "../../editor/workspace-files.ts";
import { type CheckedFiles, editorProblems } from "./editor-problems.ts";
import { findFile, findFolder } from "./find-file.ts";
import { defineHostTool, type HostTool } from "./host-tool.ts";
import type { FileCheck } from "./language/file-check.ts";
import { linesOf } from "./language/locations.ts";
import type { ProblemWatch } from "./language/problem-watch.ts";
import { count, listText, nextArgument } from "./listing.ts";
import { countProblems, gapLine, type Problem, SEVERITIES, sortByFile, wholeProblemLine } from "./problem-words.ts";

const MAX_RELATED = 5;

/** Lists the problems that language services report. A file that is named is checked first, if its service can do so without a tab. */
export function createDiagnosticsTool(watch: ProblemWatch): HostTool {
  return defineHostTool({
    name: "vscode_get_diagnostics",
    label: "Get problems",
    description: "Lists errors and warnings from compilers and linters. Files that were never opened may be missing.",
    isReadOnly: true,
    paths: [{ argument: "path", access: "read" }],
    input: z.object({
      path: z.string().min(1).optional().describe("file or folder, default all"),
      severity: z.enum(SEVERITIES).default("warning"),
      source: z.string().optional().describe("such as ts or eslint"),
      next: nextArgument,
    }),
    async run({ path, severity, source, next }, { folder, token }) {
      const inFolder = path === undefined ? undefined : await findFolder(path, folder);
      const uri = path === undefined || inFolder !== undefined ? undefined : await findFile(path, folder);
      const hasHints = severity === "hint" || severity === "information";
      const check = uri === undefined ? undefined : await watch.check(uri, token, hasHints);
      const checked = uri === undefined ? await watch.recheck(token, hasHints) : checkedFile(uri, check);
      const problems = sortByFile(editorProblems({ uri, inFolder, mildest: severity, source, checked }));
      const place = uri ?? inFolder;
      const where = (place === undefined ? "" : describeUri(place)) || "the workspace";
      const of = source === undefined ? "" : ` of ${source}`;
      if (problems.length === 0 && check?.gap !== undefined) {
        const advice = check.gap === "onlyInTabs" ? " vscode_open_file opens it in one." : "";
        return `${gapLine(where, check.gap)}${advice}`;
      }
      if (problems.length === 0) return `No problems${of} of severity ${severity} or worse in ${where}.`;
      const files = new Set(problems.map(({ file }) => file)).size;
      const inFiles = uri === undefined ? `, in ${count(files, "file")}` : "";
      const text = uri === undefined ? [] : await linesOf(uri);
      const lines = problems.flatMap((problem) => describe(problem, text));
      return listText({ title: `${countProblems(problems)} in ${where}${inFiles}:`, lines, next });
    },
  });
}

function checkedFile(uri: vscode.Uri, check: FileCheck | undefined): CheckedFiles {
  return new Map(check?.asked === undefined ? [] : [[uri.toString(), { uri, diagnostics: check.asked }]]);
}

/** Describes a problem with its source line, where `text` has it, and with its related places. */
function describe(problem: Problem, text: readonly string[]): string[] {
  const { line, related = [] } = problem;
  const shown = text[line - 1];
  return [
    wholeProblemLine(problem),
    ...(shown === undefined || shown === "" ? [] : [`  > ${line}: ${shown}`]),
    ...related.slice(0, MAX_RELATED).map((place) => `  see ${place}`),
  ];
}
