import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { errorMessage } from "../protocol/errors.ts";
import { formatSize, MAX_BYTES, truncateHead } from "../util/truncate.ts";
import { resolveExistingPath } from "./paths.ts";
import { defineTool, type ToolContext, type ToolOutput, textOutput } from "./tool.ts";

const DEFAULT_LIMIT = 500;

const LsInput = z.object({
  path: z.string().optional().describe("Folder to list, the working directory when left out"),
  limit: z.int().min(1).optional().describe("Most entries, 500 when left out"),
});

/** Lists one folder. */
export const lsTool = defineTool({
  name: "ls",
  description: "Lists a folder in alphabetical order, dotfiles included. Folders end in a slash.",
  input: LsInput,
  concurrency: "shared",
  isReadOnly: true,
  promptSnippet: "List folders",
  summarize: ({ path }) => path ?? ".",
  run: runLs,
});

async function runLs(input: z.output<typeof LsInput>, context: ToolContext): Promise<ToolOutput> {
  if (context.signal.aborted) throw new Error("Operation aborted");
  const shownPath = input.path ?? ".";
  const folder = await resolveExistingPath(context.cwd, shownPath);
  const stats = await stat(folder).catch(() => undefined);
  if (stats === undefined) throw new Error(`Path not found: ${shownPath}`);
  if (!stats.isDirectory()) throw new Error(`Not a directory: ${shownPath}`);
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown): never => {
    throw new Error(`Cannot read directory: ${errorMessage(error)}`, { cause: error });
  });
  if (entries.length === 0) return textOutput("(empty directory)");
  const sorted = entries
    .map((entry) => ({ entry, key: entry.name.toLowerCase() }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const limit = input.limit ?? DEFAULT_LIMIT;
  const names = await Promise.all(sorted.slice(0, limit).map(({ entry }) => nameEntry(folder, entry)));
  return describeEntries(names, sorted.length > limit ? limit : undefined);
}

async function nameEntry(folder: string, entry: Dirent): Promise<string> {
  const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && (await leadsToFolder(join(folder, entry.name))));
  return isFolder ? `${entry.name}/` : entry.name;
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
