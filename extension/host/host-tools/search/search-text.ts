import { homedir } from "node:os";
import type * as vscode from "vscode";
import * as z from "zod";
import { looksSecret } from "../../../../agent/util/secret-files.ts";
import { readSetting } from "../../../editor/settings.ts";
import { describeUri, workspaceFolders } from "../../../editor/workspace-files.ts";
import { defineHostTool, type HostToolContext } from "../host-tool.ts";
import { count, listText, nextArgument } from "../listing.ts";
import { EditorTexts } from "./editor-texts.ts";
import { filesLike, MAX_LOOKED_AT } from "./files-like.ts";
import { createLineSearch, type LineSearch } from "./line-search.ts";
import { searchablePaths } from "./searchable-paths.ts";

const MAX_LINES = 1_000;
const FILES_AT_ONCE = 16;
/** Number of files searched between two progress reports. */
const FILES_BETWEEN_REPORTS = 512;

/** Searches the lines of the workspace, as the editor would show them. */
export const searchText = defineHostTool({
  name: "vscode_search_text",
  label: "Search text",
  description: "Like grep, on text as the editor has it: unsaved, or in other encodings.",
  isReadOnly: true,
  input: z.object({
    text: z.string().min(1),
    isRegex: z.boolean().optional(),
    ignoreCase: z.boolean().optional(),
    glob: z.string().min(1).optional(),
    next: nextArgument,
  }),
  async run({ text, isRegex = false, ignoreCase = false, glob = "**/*", next }, context) {
    const search = createLineSearch({ text, isRegex, ignoreCase });
    const { files: all, isCut } = await filesLike(glob, {}, context.token);
    const files = await searchable(all);
    const hidden = all.length - files.length;
    const { lines, inFiles, tooLarge } = await searchFiles(files, search, context);
    const number = lines.length === MAX_LINES ? `The first ${MAX_LINES} lines` : count(lines.length, "line");
    const left = [
      ...(isCut ? [`searched only ${MAX_LOOKED_AT} files; name others by glob`] : []),
      ...(hidden === 0 ? [] : [`${count(hidden, "file")} left out: secret, outside the workspace, or denied`]),
      ...(tooLarge === 0 ? [] : [`${count(tooLarge, "file")} over 4 MiB left out`]),
    ];
    const title = [`${number} in ${inFiles} of ${count(files.length, "file")}`, ...left].join("; ");
    return listText({ title: `${title}${lines.length === 0 ? "." : ":"}`, lines, next });
  },
});

/** Returns the files that may be searched without asking. */
async function searchable(files: readonly vscode.Uri[]): Promise<vscode.Uri[]> {
  const paths = files.filter(({ scheme }) => scheme === "file").map(({ fsPath }) => fsPath);
  const limits = { folders: workspaceFolders(), home: homedir(), denyRead: readSetting("denyRead") };
  const free = await searchablePaths(paths, limits);
  return files.filter(({ scheme, path, fsPath }) => (scheme === "file" ? free.has(fsPath) : !looksSecret(path)));
}

interface Found {
  readonly lines: readonly string[];
  /** Number of files with a match. */
  readonly inFiles: number;
  /** Number of files skipped for their size. */
  readonly tooLarge: number;
}

/** Searches the files in the order of their names, so that a repeated search finds the same lines first. */
async function searchFiles(
  files: readonly vscode.Uri[],
  search: LineSearch,
  { token, update }: HostToolContext,
): Promise<Found> {
  const named = files.map((uri) => ({ uri, name: describeUri(uri) })).sort((a, b) => (a.name < b.name ? -1 : 1));
  const texts = new EditorTexts();
  const lines: string[] = [];
  let inFiles = 0;
  for (let from = 0; from < named.length && lines.length < MAX_LINES; from += FILES_AT_ONCE) {
    if (token.isCancellationRequested) break; // nobody waits for the result
    if (from > 0 && from % FILES_BETWEEN_REPORTS === 0) {
      update(`${from} of ${named.length} files: ${count(lines.length, "line")}`);
    }
    const some = named.slice(from, from + FILES_AT_ONCE);
    const read = await Promise.all(
      some.map(async ({ uri, name }) => ({ name, text: await texts.read(uri, search.mayBeIn) })),
    );
    for (const { name, text } of read) {
      const found = text === undefined ? [] : search.linesIn(text, MAX_LINES - lines.length, name);
      if (found.length > 0) inFiles += 1;
      lines.push(...found.map(({ line, text: shown }) => `${name}:${line}: ${shown}`));
    }
  }
  return { lines, inFiles, tooLarge: texts.tooLarge };
}
