import * as vscode from "vscode";
import * as z from "zod";
import { describeUri } from "../../../editor/workspace-files.ts";
import { findFile } from "../find-file.ts";
import { defineHostTool, type HostTool } from "../host-tool.ts";
import { hasTab } from "../tabs.ts";
import { applyAction, isApplicable } from "./apply-action.ts";
import { askLanguage } from "./ask-language.ts";
import { openForLanguage } from "./language-ready.ts";
import type { ProblemWatch } from "./problem-watch.ts";

const pathArgument = z.string().min(1);

const KINDS = {
  organizeImports: vscode.CodeActionKind.SourceOrganizeImports,
  fixAll: vscode.CodeActionKind.SourceFixAll,
} as const;

/** Applies the fixes that language services can make to a whole file without the user. */
export function createTidyTool(problems: ProblemWatch): HostTool {
  return defineHostTool({
    name: "vscode_tidy",
    label: "Clean up file",
    description: "Organizes imports, or applies all safe linter fixes.",
    isReadOnly: false,
    paths: [{ argument: "path", access: "write" }],
    approval: "edit",
    input: z.object({ path: pathArgument, what: z.enum(["organizeImports", "fixAll"]) }),
    async run({ path, what }, context) {
      const document = await openForLanguage(await findFile(path, context.folder), context.token);
      const { uri } = document;
      if (what === "fixAll") await problems.check(uri, context.token); // fixes belong to problems
      const offered = () =>
        askLanguage<vscode.CodeAction[] | undefined>(
          context.token,
          "vscode.executeCodeActionProvider",
          uri,
          new vscode.Range(0, 0, document.lineCount, 0),
          KINDS[what].value,
          MAX_RESOLVED,
        );
      const lines: string[] = [];
      const done = new Set<string>();
      for (;;) {
        // An applied fix moves the ranges of others, so services are asked again after each.
        const actions = ((await offered()) ?? []).filter(isApplicable);
        const next = actions.find(({ title }) => !done.has(title));
        if (next === undefined) break;
        done.add(next.title);
        lines.push(...(await applyAction(next, uri, context)));
      }
      if (lines.length > 0) return lines.join("\n");
      const isUnsure = what === "fixAll" && !hasTab(uri);
      return `${describeUri(uri)}: nothing to do.${isUnsure ? ONLY_IN_TABS : ""}`;
    },
  });
}

const MAX_RESOLVED = 20;
const ONLY_IN_TABS =
  " Problems not checked: some language services fix only files in a tab. vscode_open_file opens it in one.";
