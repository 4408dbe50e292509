import { basename } from "node:path";
import type { CommandView } from "./command-view.ts";
import { pathsOf } from "./folders.ts";
import { type OptionSpec, readOptions } from "./options.ts";
import type { Rule } from "./readers.ts";
import { findSecret } from "./secret-search.ts";
import type { ShellWord } from "./words.ts";

/** Commands that change the files that their arguments name. */
export const WRITERS: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["mkdir", (view) => writeAll(view, { letters: "pv", valued: "m", long: "parents verbose mode=" })],
  ["touch", (view) => writeAll(view, { letters: "acm", valued: "dt", long: "no-create" })],
  ["tee", (view) => writeAll(view, { letters: "ai", long: "append" })],
  ["truncate", (view) => writeAll(view, { letters: "c", valued: "s", long: "size= no-create" })],
  ["rm", remove],
  ["rmdir", remove],
  ["unlink", remove],
  [
    "cp",
    (view) =>
      copy(view, { letters: "abdfHiLnpPrRuv", long: "recursive archive verbose force no-clobber update preserve" }),
  ],
  ["mv", (view) => copy(view, { letters: "finuv", long: "force no-clobber verbose update" })],
  ["ln", link],
  ["chmod", changeMode],
  ["mktemp", makeTemporary],
]);

function makeTemporary(view: CommandView): void {
  view.raise("temporary");
  const { operands } = readOptions(view, { letters: "dqt" });
  for (const word of operands) if (word.value?.includes("/") !== false) view.write(word);
}

function writeAll(view: CommandView, spec: OptionSpec): void {
  view.raise("changes");
  for (const word of readOptions(view, spec).operands) if (word.value !== "-") view.write(word);
}

function remove(view: CommandView): void {
  const { operands, options } = readOptions(view, { letters: "dfiIprRv", long: "recursive force verbose dir parents" });
  const isRecursive = view.name === "rmdir" || options.some((name) => /^(r|R|recursive)$/.test(name));
  view.raise("changes");
  for (const word of operands) view.remove(word, isRecursive);
}

/** Judges the copy or move of files, which keep their names in a target folder. */
function copy(view: CommandView, spec: OptionSpec): void {
  view.raise("changes");
  const { operands } = readOptions(view, spec);
  const target = operands.at(-1);
  for (const word of operands.slice(0, -1)) {
    if (view.name === "mv") view.remove(word, true);
    else view.read(word);
    keepLinksInside(view, word);
    if (target !== undefined) writeInto(view, target, word);
  }
}

/** Puts a file with the name of `source` into `target`, or writes `target`. */
function writeInto(view: CommandView, target: ShellWord, source: ShellWord): void {
  view.write(target);
  if (target.isGlob) view.cannot(`${target.source} may be several files`);
  for (const path of pathsOf(source, view.folders) ?? []) {
    if (target.value !== undefined) view.write({ ...target, value: `${target.value}/${basename(path)}` });
  }
}

/** A moved link that leads outside would allow writing through its new name. */
function keepLinksInside(view: CommandView, word: ShellWord): void {
  const { places } = view.judge;
  for (const path of pathsOf(word, view.folders) ?? []) {
    const { kind } = places.locate(path);
    const isLink = places.locateEntry(path).kind === "inside" && kind !== "inside";
    if (
      isLink ||
      findSecret([path], { places, followsLinks: true, isFound: () => false, findsLinksOut: true }) !== "nothing"
    )
      view.never("takes along a link that leads outside the workspace");
  }
}

/** Writing through a link changes its target, so both ends have to be in the workspace. */
function link(view: CommandView): void {
  view.raise("changes");
  const { operands } = readOptions(view, { letters: "fnsv", long: "symbolic force no-dereference" });
  const [source, target, ...others] = operands;
  if (source === undefined || target === undefined || others.length > 0) view.cannot("what ln links is not clear");
  else {
    view.write(source);
    // A relative link starts from its own folder, which is the target or a folder above it.
    const way = target.value;
    if (source.value?.startsWith("/") === false && way !== undefined) {
      view.write({ ...source, value: `${way}/${source.value}` });
      view.write({ ...source, value: `${way}/../${source.value}` });
    }
    writeInto(view, target, source);
  }
}

/** A mode such as `-x` looks like an option. */
function changeMode(view: CommandView): void {
  view.raise("changes");
  const isMode = (word: ShellWord) =>
    /^([ugoa]*[-+=][rwxXst]*)(,[ugoa]*[-+=][rwxXst]*)*$|^[0-7]{3,4}$/.test(word.value ?? "");
  const mode = view.args.findIndex(isMode);
  if (mode === -1) view.cannot("the mode of chmod is not known");
  const { operands } = readOptions(
    view,
    { letters: "Rvcf", long: "recursive verbose" },
    view.args.filter((_, index) => index !== mode),
  );
  for (const word of operands) view.write(word);
}
