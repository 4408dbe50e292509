import * as z from "zod";
import { editorProblems } from "./editor-problems.ts";
import { defineHostTool, type HostTool } from "./host-tool.ts";
import { listText, nextArgument } from "./listing.ts";
import type { ProblemWatch } from "./problem-watch.ts";
import { countProblems, SEVERITIES, wholeProblemLine } from "./problem-words.ts";
import { describeUri, findFile } from "./workspace-files.ts";

/** Lists what the editor's language services complain about. A file that is named is looked through first, whether or not it was ever open. */
export function createDiagnosticsTool(watch: ProblemWatch): HostTool {
  return defineHostTool({
    name: "vscode_get_diagnostics",
    label: "Get problems",
    description:
      "Lists errors and warnings of compilers, linters and language servers. Without path, files that were never opened may be missing.",
    isReadOnly: true,
    input: z.object({
      path: z.string().min(1).optional().describe("default all files"),
      severity: z.enum(SEVERITIES).default("warning"),
      next: nextArgument,
    }),
    async run({ path, severity, next }, { folder, token }) {
      const uri = path === undefined ? undefined : await findFile(path, folder);
      if (uri !== undefined) await watch.lookThrough(uri, token);
      const problems = editorProblems({ uri, mildest: severity });
      const where = uri === undefined ? "the workspace" : describeUri(uri);
      if (problems.length === 0) return `No problems of severity ${severity} or worse in ${where}.`;
      const lines = problems.map(wholeProblemLine);
      return listText({ title: `${countProblems(problems)} in ${where}:`, lines, next });
    },
  });
}
