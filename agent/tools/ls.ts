import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { errorMessage } from "../protocol/errors.ts";
import { resolveExistingPath } from "../util/existing-path.ts";
import { formatSize, MAX_BYTES, truncateHead } from "../util/truncate.ts";
import { ordinaryPath } from "../util/windows-names.ts";
import { BUILTIN_PATHS } from "./builtin-paths.ts";
import { PathNotFound } from "./path-not-found.ts";
import { type AnyTool, defineTool, type ToolContext, type ToolOutput, textOutput } from "./tool.ts";

const DEFAULT_LIMIT = 500;

const LsInput = z.object({
  path: z.string().optional().describe("Folder to list; default: the working directory"),
  limit: z.int().min(1).optional().describe("Maximum number of entries; default: 500"),
});
type LsInput = z.output<typeof LsInput>;

/** A folder with what is in it. */
export interface ListedFolder {
  names: readonly string[];
  /** True if a name is that of a folder, or leads to one. */
  isFolder(name: string): Promise<boolean>;
}

/** Lists what a path means, seen from a folder. @throws Error when it is no folder that can be read. */
export type ListFolder = (cwd: string, shownPath: string) => Promise<ListedFolder>;

/** Makes the tool that lists one folder. @param list where the folders are. */
export function lsToolOver(list: ListFolder): AnyTool {
  return defineTool({
    name: "ls",
    description:
      "Lists the content of a folder in alphabetical order, hidden files included. Folders end with a slash.",
    input: LsInput,
    concurrency: "shared",
    isReadOnly: true,
    paths: BUILTIN_PATHS.ls,
    promptSnippet: "List folders",
    summarize: ({ path }) => path ?? ".",
    run: (input, context) => runLs(list, input, context),
  });
}

/** Lists one folder of this machine. */
export const lsTool = lsToolOver(listLocalFolder);

async function runLs(list: ListFolder, input: LsInput, context: ToolContext): Promise<ToolOutput> {
  if (context.signal.aborted) throw new Error("Operation aborted");
  const { names, isFolder } = await list(context.cwd, input.path ?? ".");
  if (names.length === 0) return textOutput("(empty directory)");
  const sorted = names
    .map((name) => ({ name, key: name.toLowerCase() }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const limit = input.limit ?? DEFAULT_LIMIT;
  const shown = sorted.slice(0, limit).map(async ({ name }) => ((await isFolder(name)) ? `${name}/` : name));
  return describeEntries(await Promise.all(shown), sorted.length > limit ? limit : undefined);
}

async function listLocalFolder(cwd: string, shownPath: string): Promise<ListedFolder> {
  const folder = ordinaryPath(await resolveExistingPath(cwd, shownPath));
  const stats = await stat(folder).catch(() => undefined);
  if (stats === undefined) throw new PathNotFound(`Path not found: ${shownPath}`, shownPath);
  if (!stats.isDirectory()) throw new Error(`Not a directory: ${shownPath}`);
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown): never => {
    throw new Error(`Cannot read directory: ${errorMessage(error)}`, { cause: error });
  });
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  return {
    names: [...byName.keys()],
    async isFolder(name) {
      const entry = byName.get(name);
      return entry?.isDirectory() === true || (entry?.isSymbolicLink() === true && leadsToFolder(join(folder, name)));
    },
  };
}

function leadsToFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

function describeEntries(names: readonly string[], limitReached: number | undefined): ToolOutput {
  const { content, truncation } = truncateHead(names.join("\n"), {
    maxLines: Number.MAX_SAFE_INTEGER,
    maxBytes: MAX_BYTES,
  });
  const notices: string[] = [];
  if (limitReached !== undefined)
    notices.push(`${limitReached} entries limit reached. Use limit=${limitReached * 2} for more`);
  if (truncation.truncated) notices.push(`${formatSize(MAX_BYTES)} limit reached`);
  if (notices.length === 0) return textOutput(content);
  return textOutput(`${content}\n\n[${notices.join(". ")}]`, {
    ...(truncation.truncated ? { truncation } : {}),
    ...(limitReached === undefined ? {} : { entryLimitReached: limitReached }),
  });
}
