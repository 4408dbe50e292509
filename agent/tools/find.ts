import { stat } from "node:fs/promises";
import { z } from "zod";
import { formatSize, MAX_BYTES, truncateHead } from "../util/truncate.ts";
import { walkFolder } from "./gitignore-walk.ts";
import { compileGlob } from "./glob.ts";
import { resolveExistingPath } from "./paths.ts";
import { defineTool, type ToolContext, type ToolOutput, textOutput } from "./tool.ts";

const DEFAULT_LIMIT = 1000;
const SKIPPED_NAMES: ReadonlySet<string> = new Set([".git", "node_modules"]);

const FindInput = z.object({
  pattern: z.string().min(1).describe("Glob, such as *.ts, **/*.json or src/**/test-*.ts"),
  path: z.string().optional().describe("Folder to search, the working directory when left out"),
  limit: z.int().min(1).optional().describe("Most results, 1000 when left out"),
});

/** Lists files and folders by a glob on their path. */
export const findTool = defineTool({
  name: "find",
  description:
    "Finds files by a glob. Paths are relative to the searched folder, folders end in a slash. Hidden files are included; what .gitignore names, .git and node_modules are not.",
  input: FindInput,
  concurrency: "shared",
  isReadOnly: true,
  promptSnippet: "Find files by name",
  summarize: ({ pattern, path }) => (path === undefined ? pattern : `${pattern} in ${path}`),
  run: runFind,
});

async function runFind(input: z.output<typeof FindInput>, context: ToolContext): Promise<ToolOutput> {
  const shownPath = input.path ?? ".";
  const root = await resolveExistingPath(context.cwd, shownPath);
  const stats = await stat(root).catch(() => undefined);
  if (stats === undefined) throw new Error(`Path not found: ${shownPath}`);
  if (!stats.isDirectory()) throw new Error(`Not a directory: ${shownPath}`);
  const matches = await compileGlob(input.pattern);
  const limit = input.limit ?? DEFAULT_LIMIT;
  const found: string[] = [];
  let isLimitReached = false;
  for await (const { path, kind } of walkFolder(root, { skip: SKIPPED_NAMES, signal: context.signal })) {
    if (!matches(path)) continue;
    isLimitReached = found.length === limit;
    if (isLimitReached) break;
    found.push(kind === "folder" ? `${path}/` : path);
  }
  if (found.length === 0) return textOutput("No files found matching pattern");
  return describeFound(found, isLimitReached ? limit : undefined);
}

function describeFound(found: readonly string[], limitReached: number | undefined): ToolOutput {
  const { content, truncation } = truncateHead(found.join("\n"), {
    maxLines: Number.MAX_SAFE_INTEGER,
    maxBytes: MAX_BYTES,
  });
  const notices: string[] = [];
  if (limitReached !== undefined) {
    notices.push(`${limitReached} results limit reached. Use limit=${limitReached * 2} for more, or refine pattern`);
  }
  if (truncation.truncated) notices.push(`${formatSize(MAX_BYTES)} limit reached`);
  const details = {
    ...(truncation.truncated ? { truncation } : {}),
    ...(limitReached === undefined ? {} : { resultLimitReached: limitReached }),
  };
  if (notices.length === 0) return textOutput(content);
  return textOutput(`${content}\n\n[${notices.join(". ")}]`, details);
}
