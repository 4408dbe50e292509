import * as vscode from "vscode";
import * as z from "zod";
import { defineHostTool } from "../host-tool.ts";
import { count, listText, nextArgument } from "../listing.ts";
import { describeUri, workspaceFolders } from "../workspace-files.ts";
import { globPlaces } from "./glob-places.ts";
import { ignoredIn, wantedBy } from "./ignored-files.ts";

const MAX_FILES = 2_000;
/** Of more, those that git ignores are not told from the others. */
const MAX_LOOKED_AT = 20_000;

/** Files by name, the way the editor sees the workspace. */
export const findFiles = defineHostTool({
  name: "vscode_find_files",
  label: "Find files",
  description: "Lists files by glob, as the editor's search sees them; also in virtual folders.",
  isReadOnly: true,
  input: z.object({
    glob: z.string().min(1).describe("such as **/*.test.ts"),
    exclude: z.string().min(1).optional(),
    gitIgnored: z.boolean().optional(),
    next: nextArgument,
  }),
  async run({ glob, exclude, gitIgnored = false, next }, { token }) {
    const hidden = [...excludedBySettings(), ...(exclude === undefined ? [] : [exclude])];
    const left = hidden.length === 0 ? undefined : `{${hidden.join(",")}}`;
    const patterns = globPlaces(glob, workspaceFolders()).map((place) =>
      place.base === undefined ? place.glob : new vscode.RelativePattern(vscode.Uri.file(place.base), place.glob),
    );
    const found = await Promise.all(
      patterns.map((pattern) => vscode.workspace.findFiles(pattern, left, MAX_LOOKED_AT, token)),
    );
    const all = [...new Map(found.flat().map((uri) => [uri.toString(), uri])).values()];
    const wanted = gitIgnored ? all : await withoutIgnored(all, glob);
    const lines = wanted.slice(0, MAX_FILES).map(describeUri).sort();
    const number = wanted.length > MAX_FILES ? `More than ${MAX_FILES} files` : count(lines.length, "file");
    const ignored = all.length - wanted.length;
    const rest = ignored === 0 ? "" : `, without ${ignored} that git ignores (gitIgnored lists them)`;
    return listText({ title: `${number} fit "${glob}"${rest}:`, lines, next });
  },
});

/** Without those that git ignores, unless the glob names them. */
async function withoutIgnored(files: readonly vscode.Uri[], glob: string): Promise<vscode.Uri[]> {
  if (files.length === 0) return [];
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
  const ignored = await Promise.all(folders.map(({ uri }) => ignoredIn(uri.fsPath)));
  const paths = files.filter(({ scheme }) => scheme === "file").map(({ fsPath }) => fsPath);
  const wanted = new Set(wantedBy(glob, paths, ignored.flat()));
  return files.filter(({ scheme, fsPath }) => scheme !== "file" || wanted.has(fsPath));
}

/** Globs of the settings that keep files out of search, those with conditions left aside. */
function excludedBySettings(): string[] {
  return ["files.exclude", "search.exclude"].flatMap((name) => {
    const globs = vscode.workspace.getConfiguration().get<Record<string, unknown>>(name) ?? {};
    return Object.keys(globs).filter((glob) => globs[glob] === true && !/[{},]/.test(glob));
  });
}
