import { basename, resolve } from "node:path";
import { CommandView, type Judge, type SimpleCommand } from "./command-view.ts";
import type { Folders } from "./folders.ts";
import { judgeGit } from "./git-command.ts";
import { judgeInterpreter } from "./interpreters.ts";
import { isTelling, judgeTool } from "./known-tools.ts";
import { READING } from "./reading-commands.ts";
import { judgeDeclaration, judgeReader } from "./shell-builtins.ts";
import type { Part } from "./verdict.ts";
import { WRAPPERS } from "./wrapper-commands.ts";
import { WRITING } from "./writing-commands.ts";

const SYSTEM_FOLDERS = /^(\/usr\/local|\/usr|\/opt\/homebrew)?\/s?bin\//;
const DECLARATIONS = new Set(["export", "declare", "typeset", "local", "readonly", "unset"]);
/** Commands that read, but have options for more: a word that is not known may be one. */
const HAS_RISKY_OPTIONS = new Set(
  "sort sed rg tree less more man date file yq awk gawk mawk uniq xxd base64 base32 lsof tar bsdtar hostname".split(
    " ",
  ),
);
/** Words behind the program of awk are no options. */
const PROGRAM_FIRST = new Set(["awk", "gawk", "mawk"]);

/** Judges one command that has a name. */
export function judgeCommand(command: SimpleCommand, judge: Judge): Part[] {
  const [first] = command.words;
  if (first === undefined) return [];
  const typed = first.value;
  if (typed === undefined || typed === "" || first.isGlob) {
    const reason = `cannot be judged: which command ${first.source} is, is known only when it runs`;
    return [{ level: "never", words: command.words.map(({ value }) => value), reasons: [reason] }];
  }
  const name = isOfSystem(typed, command.folders) ? basename(typed) : typed;
  const view = new CommandView(name, command, judge);
  applyRule(view);
  judgeFolders(view);
  return partsOf(view, command);
}

/** Programs of the system are known by their name, however the way to them is written. */
function isOfSystem(path: string, folders: Folders): boolean {
  if (!path.includes("/")) return false;
  const starts = folders === "unknown" ? ["/"] : [...folders];
  return starts.some((start) => SYSTEM_FOLDERS.test(resolve(start, path)));
}

function applyRule(view: CommandView): void {
  const { name } = view;
  if (HAS_RISKY_OPTIONS.has(name)) judgeUnknownOptions(view);
  const rule = READING.get(name) ?? WRITING.get(name) ?? WRAPPERS.get(name);
  if (rule !== undefined) {
    rule(view);
    return;
  }
  if (name === "git") {
    judgeGit(view);
    return;
  }
  if (DECLARATIONS.has(name)) {
    judgeDeclaration(view);
    return;
  }
  if (name === "read" || name === "mapfile" || name === "readarray" || name === "getopts") {
    judgeReader(view);
    return;
  }
  if (name === "source" || name === ".") {
    judgeSource(view);
    return;
  }
  if (name === "let") {
    view.cannot("let calculates, which may run a command");
    return;
  }
  if (/^mkfs/.test(name)) {
    view.never("changes the system");
    return;
  }
  if (isTelling(view)) return;
  judgeProgram(view);
  if (!judgeInterpreter(view)) judgeTool(view);
  if (view.level !== "never") view.hidden();
}

/** A word that is not known, or a file that is called like an option, may make a command write or run something. */
function judgeUnknownOptions(view: CommandView): void {
  const end = view.args.findIndex(
    ({ value }, index) =>
      (value === "--" && !/^-[^=]*$/.test(view.args[index - 1]?.value ?? "")) ||
      (PROGRAM_FIRST.has(view.name) && /^[^-]/.test(value ?? "")),
  );
  const word = view.args.slice(0, end === -1 ? undefined : end).find((one) => view.mayBeOption(one));
  if (word !== undefined) view.cannot(`${word.source} may be an option of ${view.name}`);
}

/** A program in the folder for temporary files may be another one the next time. */
function judgeProgram(view: CommandView): void {
  const { name, judge, folders } = view;
  if (!name.includes("/") || folders === "unknown") return;
  for (const folder of folders) {
    const place = judge.places.locate(name.startsWith("/") ? name : `${folder}/${name}`);
    if (place.kind === "temporary") view.raise("temporary", `runs a file outside the workspace: ${place.real}`);
  }
}

function judgeSource(view: CommandView): void {
  view.raise("changes");
  const [file] = view.args;
  if (file?.value === undefined || view.input.kind !== "none") {
    view.cannot(`what ${view.name} runs is known only when it runs`);
    return;
  }
  if (view.folders === "unknown") return;
  for (const folder of view.folders) {
    const path = file.value.startsWith("/") ? file.value : `${folder}/${file.value}`;
    const { kind, real } = view.judge.places.locate(path);
    if (kind === "device") view.cannot(`what ${view.name} runs is known only when it runs`);
    if (kind === "temporary") view.raise("temporary", `runs a file outside the workspace: ${real}`);
  }
}

/** What a command does, it does where it runs. */
function judgeFolders(view: CommandView): void {
  const { folders, judge, level } = view;
  if (WRAPPERS.has(view.name) && view.inner.length > 0) return;
  const isReading = level === "reads" || level === "reads-elsewhere";
  if (folders === "unknown") {
    isReading ? view.raise("reads-elsewhere") : view.cannot("where it runs is known only then");
    return;
  }
  for (const folder of folders) {
    const place = judge.places.locate(folder);
    const isTemporary = judge.places.locate(`${folder}/any`).kind === "temporary";
    if (isReading && !judge.places.isWorkspace(place.real)) view.raise("reads-elsewhere");
    if (isReading || place.kind === "inside") continue;
    const shown = judge.places.show(place);
    if (isTemporary) view.raise("temporary", `runs outside the workspace: ${shown}`);
    else
      view.never(
        place.kind === "guarded" ? `runs in a protected folder: ${shown}` : `runs outside the workspace: ${shown}`,
      );
  }
}

function partsOf(view: CommandView, { words }: SimpleCommand): Part[] {
  const own: Part = { level: view.level, words: words.map(({ value }) => value), reasons: view.reasons };
  // A command that only runs another one is as good as that one.
  const isEmpty = view.level === "reads" && view.inner.length > 0;
  return isEmpty ? view.inner : [own, ...view.inner];
}
