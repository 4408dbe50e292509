import { randomBytes } from "node:crypto";
import { posix } from "node:path";
import { MAX_CONTENT_BYTES } from "./content-store.ts";
import type { FileContent } from "./file-content.ts";
import { modeInGit } from "./file-mode.ts";
import { inPieces } from "./pieces.ts";

const { basename, dirname } = posix;

/** Number of files read by one process. */
const ASKED_AT_ONCE = 100;

/** Names that a line of input cannot contain: git does not count leading blanks or a final carriage return, of a folder's name too, as part of it. */
const NEEDS_OWN_PROCESS = /\n|\r(?:\/|$)|^[ \t]/;

const HAS_BLANK = /[ \t]/;

/** Modes of files in git. */
const LINK = "120000";
const EXECUTABLE = "100755";
const PLAIN = "100644";

/** Runs git with arguments and input. Resolves to its output, or undefined when it fails. */
export type AskGit = (args: readonly string[], input?: string) => Promise<Buffer | undefined>;

/** A commit to read from. */
export interface CommitSource {
  /** Runs git in the folder with the attributes of the files. */
  readonly ask: AskGit;
  readonly commit: string;
  /** True when the executable bits on the disk are those in git. */
  readonly hasModes: boolean;
}

/**
 * Reads files of a commit as they would be checked out, and whether they are executable.
 * @param names relative to the root of the working tree, with slashes.
 * @returns contents by name, without files that the commit does not have.
 */
export async function readCommitted(
  source: CommitSource,
  names: readonly string[],
): Promise<ReadonlyMap<string, FileContent>> {
  const found = new Map<string, FileContent>();
  for (const some of inPieces(names, ASKED_AT_ONCE)) {
    const contents = await readTogether(
      source,
      some.filter((name) => !NEEDS_OWN_PROCESS.test(name)),
    );
    for (const [name, content] of contents ?? []) found.set(name, content);
    const alone = contents === undefined ? some : some.filter((name) => NEEDS_OWN_PROCESS.test(name));
    for (const name of alone) {
      const content = await readAlone(source, name);
      if (content !== undefined) found.set(name, content);
    }
  }
  return found;
}

/**
 * Reads all files with one process, and their folders, which tell links and executables. The process reports the size in git, which differs from the
 * size on the disk where line ends are converted. So after each file it is asked for a random name, and its reply to that marks the end.
 * @returns undefined when git fails, as with a failing filter, or the output exceeds the limit.
 */
async function readTogether(source: CommitSource, names: readonly string[]) {
  const objects = await nameObjects(source, [...new Set([...names, ...names.map(folderOf)])]);
  if (names.length === 0 || objects === undefined || objects.size === 0)
    return objects && new Map<string, FileContent>();
  const nobodys = `tiller..${randomBytes(16).toString("hex")}`; // no branch name has two dots, so git need not look for one
  const questions = [...objects].map(([name, object]) => `${object} ${name}\n${nobodys}\n`);
  const output = await source.ask(["cat-file", "--batch", "--filters"], questions.join(""));
  const answers = output && parseAnswers(output, [...objects.keys()], `\n${nobodys} missing\n`);
  if (answers === undefined) return undefined;
  const contents = new Map<string, FileContent>();
  for (const name of names) {
    const [answer, folder] = [answers.get(name), answers.get(folderOf(name))];
    if (answer?.kind !== "blob") continue;
    contents.set(name, toContent(source, answer.bytes, kindIn(folder?.bytes, basename(name))));
  }
  return contents;
}

/** Returns the git names of the objects, by file name. A request ends at its first blank, so names with blanks are resolved to ids first. */
async function nameObjects({ ask, commit }: CommitSource, names: readonly string[]) {
  const objects = new Map(names.map((name) => [name, `${commit}:${name}`]));
  const blank = names.filter((name) => HAS_BLANK.test(name));
  if (blank.length === 0) return objects;
  const questions = blank.map((name) => `${objects.get(name)}\n`);
  const output = await ask(["cat-file", "--batch-check=%(objectname)"], questions.join(""));
  if (output === undefined) return undefined;
  const ids = output.toString("utf8").split("\n");
  for (const [index, name] of blank.entries()) {
    const id = ids[index] ?? "";
    if (/^[0-9a-f]{40,64}$/.test(id)) objects.set(name, id);
    else objects.delete(name); // git does not have it
  }
  return objects;
}

/** Parses the output: for each name a line with id, kind and size and the content, or a line that it is missing; then `end`. */
function parseAnswers(output: Buffer, names: readonly string[], end: string) {
  const answers = new Map<string, { readonly kind: string; readonly bytes: Buffer }>();
  let at = 0;
  for (const name of names) {
    const endsAt = output.indexOf(end, at);
    if (endsAt === -1) return undefined;
    const answer = output.subarray(at, endsAt);
    const lineEndsAt = answer.indexOf("\n");
    const [, kind] = / (blob|tree) \d+$/.exec(answer.toString("utf8", 0, Math.max(lineEndsAt, 0))) ?? [];
    if (kind !== undefined) answers.set(name, { kind, bytes: answer.subarray(lineEndsAt + 1) });
    at = endsAt + end.length;
  }
  return answers;
}

/** Returns the mode of a file, by the tree object of its folder. */
function kindIn(folder: Buffer | undefined, name: string): string | undefined {
  return folder && [LINK, EXECUTABLE, PLAIN].find((kind) => folder.includes(`${kind} ${name}\0`));
}

async function readAlone(source: CommitSource, name: string): Promise<FileContent | undefined> {
  const { ask, commit } = source;
  const listed = await ask(["--literal-pathspecs", "ls-tree", "-z", "--full-tree", commit, "--", name]);
  if (listed === undefined) return { unknown: "unreadable" };
  const [, kind] = /^(\d+) blob /.exec(listed.toString("utf8")) ?? [];
  if (kind === undefined) return undefined;
  const content = await ask(["cat-file", "--filters", `${commit}:${name}`]);
  if (content !== undefined) return toContent(source, content, kind);
  const size = Number(await ask(["cat-file", "-s", `${commit}:${name}`]));
  return { unknown: size > MAX_CONTENT_BYTES ? "tooLarge" : "unreadable" };
}

/** Converts the content of an object. For a link git holds its target, which is not the content of a file. */
function toContent({ hasModes }: CommitSource, bytes: Buffer, kind: string | undefined): FileContent {
  if (kind === LINK) return { unknown: "unreadable" };
  if (bytes.length > MAX_CONTENT_BYTES) return { unknown: "tooLarge" };
  return { bytes, mode: hasModes && kind !== undefined ? modeInGit(kind === EXECUTABLE) : undefined };
}

/** Returns the folder of a file; "" for the root. */
function folderOf(name: string): string {
  return name.includes("/") ? dirname(name) : "";
}
