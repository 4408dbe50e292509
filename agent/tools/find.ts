import { stat } from "node:fs/promises";
import * as z from "zod";
import { resolveExistingPath } from "../util/existing-path.ts";
import { formatSize, MAX_BYTES, truncateHead } from "../util/truncate.ts";
import { ordinaryPath } from "../util/windows-names.ts";
import { BUILTIN_PATHS } from "./builtin-paths.ts";
import { walkFolder } from "./gitignore-walk.ts";
import { compileGlob, globHint } from "./glob.ts";
import { PathNotFound } from "./path-not-found.ts";
import { type AnyTool, defineTool, type ToolOutput, textOutput } from "./tool.ts";

const DEFAULT_LIMIT = 1000;
const SKIPPED_NAMES: ReadonlySet<string> = new Set([".git", "node_modules"]);

const FindInput = z.object({
  pattern: z.string().min(1).describe("Glob, such as *.ts, **/*.json, or src/**/test-*.ts"),
  path: z.string().optional().describe("Folder to search; default: the working directory"),
  limit: z.int().min(1).optional().describe("Maximum number of results; default: 1000"),
});

/** The query. */
export interface FindQuery {
  cwd: string;
  shownPath: string;
  pattern: string;
  /** Most paths to give back. */
  limit: number;
  signal: AbortSignal;
}

/** Paths relative to the searched folder, with forward slashes; those of folders end in one. */
export interface FoundPaths {
  paths: string[];
  /** True if there are more. */
  isLimitReached: boolean;
}

/** Finds paths. @throws Error when the folder is not there. */
export type FindPaths = (query: FindQuery) => Promise<FoundPaths>;

/** Makes the tool that lists files and folders by a glob on their path. @param find where they are. */
export function findToolOver(find: FindPaths): AnyTool {
  return defineTool({
    name: "find",
    description:
      "Finds files and folders whose path matches a glob. Paths are relative to the searched folder; folders end with a slash. Hidden files are included; ignored files (.gitignore), .git, and node_modules are not.",
    input: FindInput,
    concurrency: "shared",
    isReadOnly: true,
    paths: BUILTIN_PATHS.find,
    promptSnippet: "Find files by name",
    summarize: ({ pattern, path }) => (path === undefined ? pattern : `${pattern} in ${path}`),
    async run({ pattern, path: shownPath = ".", limit = DEFAULT_LIMIT }, { cwd, signal }) {
      const { paths, isLimitReached } = await find({ cwd, shownPath, pattern, limit, signal });
      if (paths.length === 0)
        return textOutput(["No files found matching pattern", globHint(pattern) ?? []].flat().join("\n"));
      return describeFound(paths, isLimitReached ? limit : undefined);
    },
  });
}

/** Lists files and folders of this machine by a glob on their path. */
export const findTool = findToolOver(findLocalPaths);

async function findLocalPaths({ cwd, shownPath, pattern, limit, signal }: FindQuery): Promise<FoundPaths> {
  const root = ordinaryPath(await resolveExistingPath(cwd, shownPath));
  const stats = await stat(root).catch(() => undefined);
  if (stats === undefined) throw new PathNotFound(`Path not found: ${shownPath}`, shownPath);
  if (!stats.isDirectory()) throw new Error(`Not a directory: ${shownPath}`);
  const matches = await compileGlob(pattern);
  const paths: string[] = [];
  for await (const { path, kind } of walkFolder(root, { skip: SKIPPED_NAMES, signal })) {
    if (!matches(path)) continue;
    if (paths.length === limit) return { paths, isLimitReached: true };
    paths.push(kind === "folder" ? `${path}/` : path);
  }
  return { paths, isLimitReached: false };
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
