import * as vscode from "vscode";
import * as z from "zod";
import { defineHostTool } from "../host-tool.ts";
import { count, listText, nextArgument } from "../listing.ts";
import { describeUri } from "../workspace-files.ts";

const MAX_FILES = 2_000;

/** Files by name, the way the editor sees the workspace. */
export const findFiles = defineHostTool({
  name: "vscode_find_files",
  label: "Find files",
  description: "Lists files by glob, as the editor's search sees them; also in virtual folders.",
  isReadOnly: true,
  input: z.object({
    glob: z.string().min(1).describe("such as **/*.test.ts"),
    exclude: z.string().min(1).optional(),
    next: nextArgument,
  }),
  async run({ glob, exclude, next }, { token }) {
    const hidden = [...excludedBySettings(), ...(exclude === undefined ? [] : [exclude])];
    const left = hidden.length === 0 ? undefined : `{${hidden.join(",")}}`;
    const found = await vscode.workspace.findFiles(glob, left, MAX_FILES + 1, token);
    const lines = found.slice(0, MAX_FILES).map(describeUri).sort();
    const title =
      found.length > MAX_FILES
        ? `More than ${MAX_FILES} files fit "${glob}":`
        : `${count(lines.length, "file")} fit "${glob}":`;
    return listText({ title, lines, next });
  },
});

/** Globs of the settings that keep files out of search, those with conditions left aside. */
function excludedBySettings(): string[] {
  return ["files.exclude", "search.exclude"].flatMap((name) => {
    const globs = vscode.workspace.getConfiguration().get<Record<string, unknown>>(name) ?? {};
    return Object.keys(globs).filter((glob) => globs[glob] === true && !/[{},]/.test(glob));
  });
}
