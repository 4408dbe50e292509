import * as vscode from "vscode";
import * as z from "zod";
import { describeUri } from "../../../editor/workspace-files.ts";
import { findFile } from "../find-file.ts";
import { defineHostTool, type HostTool, HostToolFailed } from "../host-tool.ts";
import { wholeLines } from "../lines.ts";
import { count, reportText } from "../listing.ts";
import { applyAction, isApplicable } from "./apply-action.ts";
import { askLanguage } from "./ask-language.ts";
import type { ProblemWatch } from "./problem-watch.ts";

/** Maximum number of code actions that are listed and can be applied. */
const MAX_KEPT = 200;
const MAX_RESOLVED = 50;

interface Kept {
  readonly action: vscode.CodeAction;
  readonly document: vscode.TextDocument;
  /** The version of the document that the action is for. */
  readonly version: number;
}

/** Creates the tools for quick fixes and refactorings: one lists them, the other applies one by the id in that list. */
export function createCodeActionTools(problems: ProblemWatch): HostTool[] {
  const kept = new Map<string, Kept>();
  let lastId = 0;
  const keep = (entry: Kept): string => {
    const id = `a${++lastId}`;
    kept.set(id, entry);
    kept.delete(`a${lastId - MAX_KEPT}`);
    return id;
  };
  return [listTool(keep, problems), applyTool((id) => kept.get(id))];
}

function listTool(keep: (entry: Kept) => string, problems: ProblemWatch): HostTool {
  return defineHostTool({
    name: "vscode_list_code_actions",
    label: "List code actions",
    description: "Lists quick fixes and refactorings for lines, with IDs to apply.",
    isReadOnly: true,
    paths: [{ argument: "path", access: "read" }],
    input: z.object({
      path: z.string().min(1),
      startLine: z.int().positive().describe("from 1"),
      endLine: z.int().positive().optional(),
      kind: z.string().optional().describe("such as quickfix or refactor.extract"),
    }),
    async run({ path, startLine, endLine, kind }, { token, folder }) {
      const document = await vscode.workspace.openTextDocument(await findFile(path, folder));
      const range = wholeLines(document, startLine, endLine);
      // Fixes belong to problems.
      const { version, actions } = await problems.withProblems(document.uri, token, async () => ({
        version: document.version,
        actions: await askLanguage<vscode.CodeAction[] | undefined>(
          token,
          "vscode.executeCodeActionProvider",
          document.uri,
          range,
          kind,
          MAX_RESOLVED,
        ),
      }));
      const usable = (actions ?? []).filter(isApplicable);
      const where = `${describeUri(document.uri)}:${startLine}`;
      if (usable.length === 0) return `The editor offers nothing for ${where}.`;
      const lines = usable.map((action) => {
        const id = keep({ action, document, version });
        const preferred = action.isPreferred === true ? ", preferred" : "";
        return `${id}: ${action.title} (${action.kind?.value ?? "no kind"}${preferred})`;
      });
      return reportText(`${count(usable.length, "action")} for ${where}:`, lines);
    },
  });
}

function applyTool(find: (id: string) => Kept | undefined): HostTool {
  return defineHostTool({
    name: "vscode_apply_code_action",
    label: "Apply code action",
    description: "Applies a quick fix or refactoring.",
    isReadOnly: false,
    approval: "edit",
    input: z.object({ id: z.string() }),
    async run({ id }, context) {
      const entry = find(id);
      if (entry === undefined) throw new HostToolFailed(`There's no action "${id}". List the actions again.`);
      const { action, document, version } = entry;
      if (document.isClosed || document.version !== version) {
        throw new HostToolFailed(
          `${describeUri(document.uri)} has changed since "${action.title}" was listed. List the actions again.`,
        );
      }
      const lines = await applyAction(action, document.uri, context);
      if (lines.length === 0) return `Applied "${action.title}"; no file changed.`;
      return reportText(`Applied "${action.title}".`, lines);
    },
  });
}
