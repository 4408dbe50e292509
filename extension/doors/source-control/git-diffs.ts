import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { git } from "../../../agent/changes/git-process.ts";
import { t } from "../../../webview/l10n.ts";
import type { ContextBlock } from "../../../webview/protocol/context.ts";
import { gitBlock } from "../../core/mentions/context-blocks.ts";
import { keepStart } from "../../core/mentions/cut-text.ts";
import { isSecretLooking } from "../../editor/secret-files.ts";

/** Maximum number of new files whose content is shown, and maximum size of each, in bytes. */
const MAX_NEW_FILES = 50;
const MAX_NEW_FILE_BYTES = 64 * 1024;
/** Maximum part of one file in a report, in bytes, so that a long one does not push out the others. */
const MAX_PART_BYTES = 12 * 1024;
const RECENT_COMMITS = 10;
const DIFF = ["diff", "--no-ext-diff", "--no-textconv", "--no-color"];

/** Changes in a repository. */
export interface Changes {
  /** The changed paths, from the root of the repository. */
  readonly paths: readonly string[];
  /** The unified diff, without files that look like secrets. */
  readonly diff: string;
  /** Changed files whose content is left out, since they look like secrets. */
  readonly secrets: readonly string[];
}

/** Returns the staged changes of a repository. */
export function stagedChanges(root: string): Promise<Changes> {
  return changesBy(root, [...DIFF, "--cached"]);
}

/** Returns all uncommitted changes of a repository, new files included. */
export async function uncommittedChanges(root: string): Promise<Changes> {
  const isBorn = (await git(root, ["rev-parse", "--verify", "--quiet", "HEAD"])) !== undefined;
  const tracked = await changesBy(root, [...DIFF, isBorn ? "HEAD" : "--cached"]);
  const listed = names(await read(root, ["ls-files", "--others", "--exclude-standard", "-z"]));
  const files = listed.filter((path) => !isSecretLooking(path));
  const contents = await Promise.all(files.slice(0, MAX_NEW_FILES).map((path) => newFile(root, path)));
  return {
    paths: [...tracked.paths, ...listed],
    diff: tracked.diff + contents.join(""),
    secrets: [...tracked.secrets, ...listed.filter(isSecretLooking)],
  };
}

/** Returns the branch that the present one is compared with: the default branch of `origin`, or else `main` or `master`. */
export async function baseOf(root: string): Promise<string | undefined> {
  const say = async (...args: string[]) => (await git(root, args))?.toString().trim();
  const current = await say("rev-parse", "--abbrev-ref", "HEAD");
  const standard = await say("rev-parse", "--abbrev-ref", "origin/HEAD");
  const candidates = [standard, "origin/main", "origin/master", "main", "master"];
  for (const name of candidates) {
    if (name === undefined || name === current || name === "origin/HEAD") continue;
    if ((await git(root, ["merge-base", name, "HEAD"])) !== undefined) return name;
  }
  return undefined;
}

/** Returns the changes of the present branch since it left `base`. Uncommitted changes are not part of it. */
export function branchChanges(root: string, base: string): Promise<Changes> {
  return changesBy(root, [...DIFF, `${base}...HEAD`]);
}

/** Returns the messages of the branch's commits since it left `base`, the oldest first. */
export async function commitsSince(root: string, base: string): Promise<string> {
  return read(root, ["log", "--reverse", "--no-color", "--format=- %s%n%w(0,2,2)%b", `${base}..HEAD`]);
}

/** Lists the subjects of the last commits for the model, the newest first; empty before the first commit. */
export async function recentMessages(root: string): Promise<string> {
  const log = await git(root, ["log", "--no-color", `--max-count=${RECENT_COMMITS}`, "--format=- %s"]);
  return log === undefined ? "" : `Recent messages:\n${log.toString()}\n`;
}

/** Writes changes for the model, cut to the limits of an attachment with notes about what is left out. @param head lines that come first. */
export function changesBlock({ paths, diff, secrets }: Changes, head = ""): ContextBlock {
  const parts = diff.split(/^(?=diff --git )/m).map(cutPart);
  const leftOut = secrets.length === 0 ? "" : `[Left out, files look like secrets: ${secrets.join(", ")}]\n`;
  const list = `Changed files:\n${paths.map((path) => `- ${path}\n`).join("")}`;
  return gitBlock(`${head}${list}${leftOut}\n${parts.join("")}`);
}

function cutPart(part: string): string {
  const kept = keepStart(part, MAX_PART_BYTES);
  return kept.isCut ? `${kept.text}[The rest of this file's changes is left out.]\n` : part;
}

async function changesBy(root: string, diff: readonly string[]): Promise<Changes> {
  const paths = names(await read(root, [...diff, "--name-only", "--no-renames", "-z"]));
  const secrets = paths.filter(isSecretLooking);
  const leftOut = secrets.map((path) => `:(top,exclude,literal)${path}`);
  return { paths, secrets, diff: await read(root, [...diff, "--", ":(top)", ...leftOut]) };
}

async function read(root: string, args: readonly string[]): Promise<string> {
  const output = await git(root, args);
  if (output === undefined) throw new Error(t("Git couldn't list the changes in {0}.", root));
  return output.toString();
}

function names(list: string): string[] {
  return list.split("\0").filter((name) => name !== "");
}

/** Writes a file that git does not know as a diff. */
async function newFile(root: string, path: string): Promise<string> {
  const head = `diff --git a/${path} b/${path}\nnew file\n`;
  const file = join(root, path);
  try {
    const { size } = await stat(file);
    if (size > MAX_NEW_FILE_BYTES) return `${head}[${size} bytes]\n`;
    const text = await readFile(file, "utf8");
    if (text.includes("\0")) return `${head}[binary]\n`;
    const lines = text.replace(/\n$/, "").split("\n");
    return `${head}--- /dev/null\n+++ b/${path}\n${lines.map((line) => `+${line}\n`).join("")}`;
  } catch {
    return head; // deleted meanwhile, or out of reach
  }
}
