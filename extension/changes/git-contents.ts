import { randomBytes } from "node:crypto";
import { MAX_CONTENT_BYTES } from "./content-store.ts";
import type { FileContent } from "./file-content.ts";
import { inPieces } from "./pieces.ts";

/** Files of which one process is asked. */
const ASKED_AT_ONCE = 100;

/** Lines of questions cannot hold these: git takes neither blanks before a name nor a carriage return at its end for a part of it. */
const NEEDS_OWN_PROCESS = /\n|\r$|^[ \t]/;

/** More than any link leads through, in bytes. */
const MAX_LINK_BYTES = 4_096;

const HAS_BLANK = /[ \t]/;

/** Asks git, which answers with what it prints; undefined when it fails. */
export type AskGit = (args: readonly string[], input?: string) => Promise<Buffer | undefined>;

/**
 * Reads files of a commit as they would lie on the disk.
 * @param ask asks it in the folder in which it finds the attributes of the files.
 * @param names relative to the root of the working tree, with slashes.
 * @returns contents by name; those that the commit does not have are missing.
 */
export async function readCommitted(
  ask: AskGit,
  commit: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, FileContent>> {
  const found = new Map<string, FileContent>();
  for (const some of inPieces(names, ASKED_AT_ONCE)) {
    const together = some.filter((name) => !NEEDS_OWN_PROCESS.test(name));
    const contents = await readTogether(ask, commit, together);
    for (const [name, content] of contents ?? []) found.set(name, content);
    const alone = contents === undefined ? some : some.filter((name) => NEEDS_OWN_PROCESS.test(name));
    for (const name of alone) {
      const content = await readAlone(ask, commit, name);
      if (content !== undefined) found.set(name, content);
    }
    for (const name of await findLinks(ask, commit, found, some)) found.set(name, { unknown: "unreadable" });
  }
  return found;
}

/**
 * Asks one process for all. It tells how long a file is as git keeps it, which is not how long it lies on the disk where ends of lines are
 * converted. So after each file it is asked for a name that nobody can have chosen, and its answer to that ends the content.
 * @returns undefined when git fails, as with a filter that fails, and when all of it is more than is taken at a time.
 */
async function readTogether(ask: AskGit, commit: string, names: readonly string[]) {
  const objects = await nameObjects(ask, commit, names);
  if (objects === undefined || objects.size === 0) return objects && new Map<string, FileContent>();
  const nobodys = `tiller..${randomBytes(16).toString("hex")}`; // two dots are in no name of a branch: git need not look for one
  const questions = [...objects].map(([name, object]) => `${object} ${name}\n${nobodys}\n`);
  const output = await ask(["cat-file", "--batch", "--filters"], questions.join(""));
  return output && parseAnswers(output, [...objects.keys()], `\n${nobodys} missing\n`);
}

/** What to call the objects by, by name. A question ends at its first blank, so of names that have one the ids are asked first. */
async function nameObjects(ask: AskGit, commit: string, names: readonly string[]) {
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

/** For each name git prints a line with id, kind and length, then the content, or a line that it has none; then `end`. */
function parseAnswers(output: Buffer, names: readonly string[], end: string): Map<string, FileContent> | undefined {
  const contents = new Map<string, FileContent>();
  let at = 0;
  for (const name of names) {
    const endsAt = output.indexOf(end, at);
    if (endsAt === -1) return undefined;
    const answer = output.subarray(at, endsAt);
    const lineEndsAt = answer.indexOf("\n");
    if (lineEndsAt !== -1 && / blob \d+$/.test(answer.toString("utf8", 0, lineEndsAt))) {
      contents.set(name, limited(answer.subarray(lineEndsAt + 1)));
    }
    at = endsAt + end.length;
  }
  return contents;
}

async function readAlone(ask: AskGit, commit: string, name: string): Promise<FileContent | undefined> {
  const object = `${commit}:${name}`;
  const kind = await ask(["cat-file", "-t", object]);
  if (kind?.toString("utf8").trim() !== "blob") return undefined;
  const content = await ask(["cat-file", "--filters", object]);
  if (content !== undefined) return limited(content);
  const size = Number(await ask(["cat-file", "-s", object]));
  return { unknown: size > MAX_CONTENT_BYTES ? "tooLarge" : "unreadable" };
}

/** Those that are symbolic links: of them git has where they lead, which is not what a file held. Only for what may be one it is asked. */
async function findLinks(
  ask: AskGit,
  commit: string,
  contents: ReadonlyMap<string, FileContent>,
  names: readonly string[],
): Promise<string[]> {
  const asked = names.filter((name) => mayBeTarget(contents.get(name)));
  if (asked.length === 0) return [];
  const output = await ask(["--literal-pathspecs", "ls-tree", "-z", "--full-tree", commit, "--", ...asked]);
  const entries = output?.toString("utf8").split("\0") ?? [];
  return entries.flatMap((entry) => (entry.startsWith("120000 ") ? [entry.slice(entry.indexOf("\t") + 1)] : []));
}

function mayBeTarget(content: FileContent | undefined): boolean {
  if (!(content instanceof Uint8Array) || content.length === 0) return false;
  return content.length <= MAX_LINK_BYTES && !content.includes(10);
}

function limited(content: Buffer): FileContent {
  return content.length > MAX_CONTENT_BYTES ? { unknown: "tooLarge" } : content;
}
