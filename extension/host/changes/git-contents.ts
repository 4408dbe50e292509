import { randomBytes } from "node:crypto";
import { posix } from "node:path";
import { MAX_CONTENT_BYTES } from "./content-store.ts";
import type { FileContent } from "./file-content.ts";
import { modeInGit } from "./file-mode.ts";
import { inPieces } from "./pieces.ts";

const { basename, dirname } = posix;

/** Files of which one process is asked. */
const ASKED_AT_ONCE = 100;

/** Lines of questions cannot hold these, or their folders: git takes neither blanks before a name nor a carriage return at its end for a part of it. */
const NEEDS_OWN_PROCESS = /\n|\r(?:\/|$)|^[ \t]/;

const HAS_BLANK = /[ \t]/;

/** What git says that a file is. */
const LINK = "120000";
const EXECUTABLE = "100755";
const PLAIN = "100644";

/** Asks git, which answers with what it prints; undefined when it fails. */
export type AskGit = (args: readonly string[], input?: string) => Promise<Buffer | undefined>;

/** A commit to read. */
export interface CommitSource {
  /** Asks git in the folder in which it finds the attributes of the files. */
  readonly ask: AskGit;
  readonly commit: string;
  /** Whether files lie on the disk as executable as git has them. */
  readonly hasModes: boolean;
}

/**
 * Reads files of a commit as they would lie on the disk, and whether they can be executed.
 * @param names relative to the root of the working tree, with slashes.
 * @returns contents by name; those that the commit does not have are missing.
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
 * Asks one process for all, and for the folders that list them, which say what is a link and what can be executed. It tells how long a file is
 * as git keeps it, which is not how long it lies on the disk where ends of lines are converted. So after each answer it is asked for a name
 * that nobody can have chosen, and what it says to that ends the answer.
 * @returns undefined when git fails, as with a filter that fails, and when all of it is more than is taken at a time.
 */
async function readTogether(source: CommitSource, names: readonly string[]) {
  const objects = await nameObjects(source, [...new Set([...names, ...names.map(folderOf)])]);
  if (names.length === 0 || objects === undefined || objects.size === 0)
    return objects && new Map<string, FileContent>();
  const nobodys = `tiller..${randomBytes(16).toString("hex")}`; // two dots are in no name of a branch: git need not look for one
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

/** What to call the objects by, by name. A question ends at its first blank, so of names that have one the ids are asked first. */
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
    else objects.delete(name); // git says that it has none
  }
  return objects;
}

/** For each name git prints a line with id, kind and length, then what it holds, or a line that it has none; then `end`. */
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

/** What a folder, as git keeps it, says that one of its files is. */
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

/** Of a link git has where it leads, which is not what a file held. */
function toContent({ hasModes }: CommitSource, bytes: Buffer, kind: string | undefined): FileContent {
  if (kind === LINK) return { unknown: "unreadable" };
  if (bytes.length > MAX_CONTENT_BYTES) return { unknown: "tooLarge" };
  return { bytes, mode: hasModes && kind !== undefined ? modeInGit(kind === EXECUTABLE) : undefined };
}

/** The folder that lists a file; "" for the root. */
function folderOf(name: string): string {
  return name.includes("/") ? dirname(name) : "";
}
