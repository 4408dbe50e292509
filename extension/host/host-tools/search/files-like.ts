import * as vscode from "vscode";
import { workspaceFolders } from "../../../editor/workspace-files.ts";
import { globPlaces } from "./glob-places.ts";
import { ignoredIn, wantedBy } from "./ignored-files.ts";

/** Maximum number of files to look at. */
export const MAX_LOOKED_AT = 20_000;

interface WantedFiles {
  /** A glob of files to exclude in addition to those of the settings. */
  readonly exclude?: string | undefined;
  /** True to include files that git ignores. */
  readonly gitIgnored?: boolean | undefined;
}

interface FilesLike {
  /** At most `MAX_LOOKED_AT` of each folder that the glob applies to, unsorted. */
  readonly files: readonly vscode.Uri[];
  /** Number of further matches that git ignores. */
  readonly ignored: number;
  /** True when there are more matches than are looked at. */
  readonly isCut: boolean;
}

/** Finds the files that match a glob, except those that the search settings exclude and, unless the glob names them, those that git ignores. */
export async function filesLike(
  glob: string,
  { exclude, gitIgnored = false }: WantedFiles,
  token: vscode.CancellationToken,
): Promise<FilesLike> {
  const hidden = [...excludedBySettings(), ...(exclude === undefined ? [] : [exclude])];
  const left = hidden.length === 0 ? undefined : `{${hidden.join(",")}}`;
  const patterns = globPlaces(glob, workspaceFolders()).map((place) =>
    place.base === undefined ? place.glob : new vscode.RelativePattern(vscode.Uri.file(place.base), place.glob),
  );
  const found = await Promise.all(
    patterns.map((pattern) => vscode.workspace.findFiles(pattern, left, MAX_LOOKED_AT, token)),
  );
  const all = [...new Map(found.flat().map((uri) => [uri.toString(), uri])).values()];
  const files = gitIgnored ? all : await withoutIgnored(all, glob);
  const isCut = found.some(({ length }) => length === MAX_LOOKED_AT);
  return { files, ignored: all.length - files.length, isCut };
}

/** Removes the files that git ignores, unless the glob names them. */
async function withoutIgnored(files: readonly vscode.Uri[], glob: string): Promise<vscode.Uri[]> {
  if (files.length === 0) return [];
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
  const ignored = await Promise.all(folders.map(({ uri }) => ignoredIn(uri.fsPath)));
  const paths = files.filter(({ scheme }) => scheme === "file").map(({ fsPath }) => fsPath);
  const wanted = new Set(wantedBy(glob, paths, ignored.flat()));
  return files.filter(({ scheme, fsPath }) => scheme !== "file" || wanted.has(fsPath));
}

/** Returns the globs that the settings exclude from search, except conditional ones. */
function excludedBySettings(): string[] {
  return ["files.exclude", "search.exclude"].flatMap((name) => {
    const globs = vscode.workspace.getConfiguration().get<Record<string, unknown>>(name) ?? {};
    return Object.keys(globs).filter((glob) => globs[glob] === true && !/[{},]/.test(glob));
  });
}
