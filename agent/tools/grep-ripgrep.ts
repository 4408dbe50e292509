import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { isExecutable, pathCandidates } from "./find-shell.ts";
import type { GrepLine, GrepSearch } from "./grep-search.ts";

/** Bytes after which ripgrep cuts a line; more than any line that is shown in full can have. */
const MAX_COLUMNS = 4000;
const MAX_ERROR_CHARACTERS = 4000;
const LINE = /^(.*?)\0(\d+)([:-])([\s\S]*)$/;

/** The ripgrep to use: the one named by TILLER_RG_PATH, else the first on the PATH. */
export async function findRipgrep(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const named = env.TILLER_RG_PATH;
  const name = process.platform === "win32" ? "rg.exe" : "rg";
  for (const path of named ? [named, ...pathCandidates(name, env)] : pathCandidates(name, env)) {
    if (await isExecutable(path)) return path;
  }
  return undefined;
}

/**
 * Searches with ripgrep. Ending the iteration ends the process.
 * @throws Error with ripgrep's own text, when it does not take the pattern for example; `Operation aborted`.
 */
export async function* searchWithRipgrep(ripgrep: string, search: GrepSearch): AsyncGenerator<GrepLine> {
  let matches = 0;
  for await (const text of linesOf(ripgrep, searchArguments(search), search, () => matches > 0)) {
    const line = parseLine(text);
    if (line === undefined || !search.isWanted(line.path)) continue;
    if (line.isMatch) matches++;
    yield line;
  }
}

/** Lists the files that a search looks into, by their paths below the folder. @throws as `searchWithRipgrep` does. */
export async function* listWithRipgrep(ripgrep: string, search: GrepSearch): AsyncGenerator<string> {
  for await (const path of linesOf(ripgrep, [...FILE_ARGUMENTS, "--files", "./"], search, () => true)) {
    yield path.replace(/^\.\//, "");
  }
}

/** Runs ripgrep and returns its lines. @param isFine true when an error that it ends with may be ignored. */
async function* linesOf(
  ripgrep: string,
  args: readonly string[],
  { root, signal }: GrepSearch,
  isFine: () => boolean,
): AsyncGenerator<string> {
  const child = spawn(ripgrep, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"], windowsHide: true });
  const kill = () => child.kill("SIGKILL");
  signal.addEventListener("abort", kill, { once: true });
  const errorText = readErrors(child.stderr);
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  exited.catch(() => undefined); // reported below, unless the iteration ends before
  try {
    yield* splitLines(child.stdout);
    const code = await exited;
    if (signal.aborted) throw new Error("Operation aborted");
    const problem = await errorText;
    if (code !== 0 && code !== 1 && !isFine() && problem !== "") throw new Error(problem);
  } finally {
    signal.removeEventListener("abort", kill);
    kill();
  }
}

/** Options that decide which files are searched. */
const FILE_ARGUMENTS = [
  "--no-config",
  "--no-messages",
  "--hidden",
  "--no-require-git",
  "--no-ignore-dot",
  "--no-ignore-exclude",
  "--no-ignore-global",
  "--sort=path",
  "--path-separator=/",
  "--glob=!.git",
];

function searchArguments(search: GrepSearch): string[] {
  return [
    ...FILE_ARGUMENTS,
    "--color=never",
    "--no-heading",
    "--with-filename",
    "--line-number",
    "--null",
    "--crlf",
    `--max-columns=${MAX_COLUMNS}`,
    "--max-columns-preview",
    "--no-context-separator",
    `--context=${search.context}`,
    search.ignoreCase ? "--ignore-case" : "--case-sensitive",
    ...(search.isLiteral ? ["--fixed-strings"] : []),
    "-e",
    search.pattern,
    "--",
    search.onlyFile === undefined ? "./" : `./${search.onlyFile}`,
  ];
}

function parseLine(text: string): GrepLine | undefined {
  const match = LINE.exec(text);
  if (match === null) return undefined;
  const [, path = "", number = "", mark, rest = ""] = match;
  return {
    path: path.replace(/^\.\//, ""),
    line: Number(number),
    text: rest.replace(/\r$/, ""),
    isMatch: mark === ":",
  };
}

async function* splitLines(stream: Readable): AsyncGenerator<string> {
  stream.setEncoding("utf8");
  let rest = "";
  for await (const chunk of stream) {
    const parts = (rest + String(chunk)).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
  if (rest !== "") yield rest;
}

async function readErrors(stream: Readable): Promise<string> {
  stream.setEncoding("utf8");
  let text = "";
  try {
    for await (const chunk of stream) {
      if (text.length < MAX_ERROR_CHARACTERS) text += String(chunk);
    }
  } catch {
    // The pipe broke because the process was ended; what it said before is enough.
  }
  return text.slice(0, MAX_ERROR_CHARACTERS).replace(/^rg: /, "").trim();
}
