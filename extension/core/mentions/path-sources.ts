import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { access, constants } from "node:fs/promises";
import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { t } from "../../../webview/l10n.ts";

/** Maximum length of the tail of stderr that is repeated in an error, in UTF-16 units. */
const STDERR_TAIL_CHARS = 500;

/**
 * Lists the files of a folder: paths relative to it, with forward slashes, in any order, in batches of any size.
 * An abort ends the list with an error or early. A consumer that stops reading ends the process behind it.
 */
export type PathSource = (signal: AbortSignal) => AsyncIterable<readonly string[]>;

/** Options for a listing by ripgrep. */
export interface RipgrepOptions {
  /** The absolute path of the executable. */
  rgPath: string;
  /** Absolute. */
  folder: string;
  /** Includes ignored files. Default false. */
  withIgnored?: boolean;
  /** Names of folders and files that are excluded everywhere, besides `.git`. */
  skip?: readonly string[];
}

/**
 * Lists files with ripgrep: hidden and untracked ones too, without those that `.gitignore`, `.ignore` and git's own excludes name, in a
 * repository or not. Links are not followed.
 */
export function ripgrepFiles({ rgPath, folder, withIgnored = false, skip = [] }: RipgrepOptions): PathSource {
  const globs = [".git", ...skip].flatMap((name) => ["--glob", `!${name}`]);
  const ignores = withIgnored ? ["--no-ignore"] : ["--no-require-git"];
  const args = [
    "--no-config",
    "--files",
    "--hidden",
    "--null",
    "--no-messages",
    "--path-separator",
    "/",
    ...ignores,
    ...globs,
  ];
  // 1: no files. 2: some folders could not be read; the list of the others is kept.
  return (signal) =>
    programOutput({ command: rgPath, args, folder, isGood: (code, some) => code < 2 || (code === 2 && some) }, signal);
}

/** Lists files with git: tracked ones and untracked ones that are not ignored, or only the ignored ones. Fails outside a repository. */
export function gitFiles(folder: string, { onlyIgnored = false } = {}): PathSource {
  const which = onlyIgnored ? ["--others", "--ignored"] : ["--cached", "--others", "--deduplicate"];
  // The config of a repository may name a program as its file monitor.
  const args = ["-c", "core.fsmonitor=false", "ls-files", "-z", "--exclude-standard", ...which];
  return (signal) => programOutput({ command: "git", args, folder, isGood: (code) => code === 0 }, signal);
}

/** Wraps a call that lists all files, such as the editor's own search. */
export function listedFiles(list: (signal: AbortSignal) => PromiseLike<readonly string[]>): PathSource {
  return async function* (signal) {
    yield await list(signal);
  };
}

/** Finds an executable ripgrep in an installation of VS Code, below its `appRoot`. */
export async function findRipgrep(appRoot: string, { platform, arch } = process): Promise<string | undefined> {
  const name = platform === "win32" ? "rg.exe" : "rg";
  const inPackages = [
    ["ripgrep", "bin", name],
    ["ripgrep-universal", "bin", `${platform}-${arch}`, name],
  ];
  for (const modules of ["node_modules", "node_modules.asar.unpacked"]) {
    for (const parts of inPackages) {
      const path = join(appRoot, modules, "@vscode", ...parts);
      const isThere = await access(path, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (isThere) return path;
    }
  }
  return undefined;
}

interface Listing {
  command: string;
  args: readonly string[];
  folder: string;
  /** True when an exit code means that the list is complete. `some` is true when anything was listed. */
  isGood(code: number, some: boolean): boolean;
}

async function* programOutput(listing: Listing, signal: AbortSignal): AsyncGenerator<readonly string[]> {
  signal.throwIfAborted();
  const { command, args, folder } = listing;
  const env = { ...process.env, GIT_OPTIONAL_LOCKS: "0" };
  const child = spawn(command, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"], windowsHide: true });
  const ended = waitForEnd(child);
  const stop = () => child.kill("SIGKILL");
  signal.addEventListener("abort", stop, { once: true });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-STDERR_TAIL_CHARS);
  });
  let hasSome = false;
  try {
    for await (const batch of splitAtNul(child.stdout)) {
      hasSome = true;
      yield batch;
    }
    const end = await ended;
    signal.throwIfAborted();
    if (end.code !== null && listing.isGood(end.code, hasSome)) return;
    const how = end.error?.message ?? (end.code === null ? t("stopped") : t("exited with code {0}", end.code));
    throw new Error(t("{0} couldn't list the files in {1}: {2}. {3}", command, folder, how, stderr).trim(), {
      cause: end.error,
    });
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
    await ended;
  }
}

/** Resolves when the process has exited, or failed to start. */
async function waitForEnd(child: ChildProcess): Promise<{ code: number | null; error?: Error }> {
  let error: Error | undefined;
  child.once("error", (cause) => {
    error = cause;
  });
  // Not "exit": a list is complete only when its pipe has ended, too; and a program that failed to start emits only "close".
  await once(child, "close").catch(() => undefined);
  return { code: error === undefined ? child.exitCode : null, ...(error && { error }) };
}

/** Yields the complete names in each piece of output; a name never ends within a character. */
async function* splitAtNul(output: AsyncIterable<unknown>): AsyncGenerator<readonly string[]> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  for await (const chunk of output) {
    if (!Buffer.isBuffer(chunk)) continue;
    const names = (rest + decoder.write(chunk)).split("\0");
    rest = names.pop() ?? "";
    if (names.length > 0) yield names;
  }
  if (rest !== "") yield [rest];
}
