import { basename, dirname, isAbsolute } from "node:path";
import { realPath } from "../places.ts";
import { commandDangers } from "./command-dangers.ts";
import { CommandView, type Judge, type SimpleCommand } from "./command-view.ts";
import type { Folders } from "./folders.ts";
import { judgeGit } from "./git-command.ts";
import { judgeProgram } from "./programs.ts";
import { READERS } from "./readers.ts";
import { onlyOne } from "./script-parts.ts";
import type { Part } from "./verdict.ts";
import type { ShellWord } from "./words.ts";
import { WRAPPERS } from "./wrappers.ts";
import { WRITERS } from "./writers.ts";

const SYSTEM_FOLDERS = /^(\/usr\/local|\/usr|\/opt\/homebrew)?\/s?bin\//;
/** Programs that print their own version: a project can't decide which program answers. */
const TELLS_VERSION =
  /^(node|python3?|ruby|perl|php|java|javac|gcc|g\+\+|cc|clang|make|cmake|git|rg|curl|wget|tar|zip|unzip|jq|npm)$/;
/** Commands that can be judged without a folder. */
const NEEDS_NO_FOLDER =
  /^(echo|printf|true|false|:|exit|sleep|date|test|\[|read|pwd|whoami|uname|seq|break|continue|which|type|basename|dirname)$/;

/** Returns what a command with a name does. */
export function judgeCommand(command: SimpleCommand, judge: Judge): Part[] {
  const [first] = command.words;
  if (first === undefined) return [];
  const typed = first.value;
  // A rule can't name the values of a loop variable.
  const words = command.words.map(({ value, isGlob, source }) => (isGlob && source.includes("$") ? undefined : value));
  if (typed === undefined || typed === "" || first.isGlob || /^~|[=\n]/.test(typed)) {
    const reason = `can't be checked: the command ${first.source} is known only when it runs`;
    return [{ level: "never", words, reasons: [reason] }];
  }
  const name = isOfSystem(typed, command.folders) ? basename(typed) : typed;
  const view = new CommandView(name, command, judge);
  applyRule(view);
  judgeFolders(view);
  // A command that only runs another one is judged like that one.
  if (view.level === "reads" && view.inner.length > 0) return view.inner;
  const dangers = commandDangers(command.words.map(textOf), (path) => shownPath(path, view));
  return [{ level: view.level, words, reasons: view.reasons, dangers }, ...view.inner];
}

function textOf({ value, source }: ShellWord): string {
  return value ?? source.replace(/^["']|["']$/g, "");
}

/** Returns a path as people write it; as it was typed where it may be several. */
function shownPath(path: string, { folders, judge }: CommandView): string {
  const folder = onlyOne(folders);
  if (/[$`\0]/.test(path) || (folder === undefined && !isAbsolute(path))) return path;
  return judge.places.show(judge.places.locateEntry(isAbsolute(path) ? path : `${folder}/${path}`));
}

/** True for a program of the system, however its path is written. */
function isOfSystem(path: string, folders: Folders): boolean {
  if (!path.includes("/")) return false;
  const starts = folders === "unknown" ? ["/"] : [...folders];
  return starts.every((start) => {
    const absolute = isAbsolute(path) ? path : `${start}/${path}`;
    return SYSTEM_FOLDERS.test(`${realPath(dirname(absolute))}/`);
  });
}

function applyRule(view: CommandView): void {
  const { name, values } = view;
  const rule = READERS.get(name) ?? WRITERS.get(name) ?? WRAPPERS.get(name);
  const isVersion = TELLS_VERSION.test(name) && values.length === 1 && /^(--version|-v|-V)$/.test(values[0] ?? "");
  if (
    isVersion &&
    !(values[0] === "-v" && /^(python3?|tar|make|java|gcc|g\+\+|cc|clang|zip|unzip|curl|wget|perl|ruby)$/.test(name))
  )
    return;
  if (name === "cd") view.cannot("it changes the folder of the commands behind it");
  else if (name === "git") judgeGit(view);
  else if (rule === undefined) judgeProgram(view);
  else rule(view);
  if (/^(ba|da)?sh$/.test(name) && view.inner.length === 0 && view.level === "reads") judgeProgram(view);
}

/** A command acts in the folder that it runs in. */
function judgeFolders(view: CommandView): void {
  const { folders, judge } = view;
  if (view.inner.length > 0 || NEEDS_NO_FOLDER.test(view.name)) return;
  if (folders === "unknown") {
    view.cannot("where it runs is known only then");
    return;
  }
  for (const folder of folders) {
    const place = judge.places.locate(folder);
    const isTemporary = judge.places.locate(`${folder}/any`).kind === "temporary";
    if (view.isReading && (place.kind === "inside" || isTemporary)) continue;
    if (place.kind === "inside") continue;
    const shown = judge.places.show(place);
    if (view.isReading && place.kind !== "guarded")
      view.raise("reads-elsewhere", `reads outside the workspace: ${shown}`);
    else if (isTemporary) view.raise("temporary", `runs outside the workspace: ${shown}`);
    else
      view.never(
        place.kind === "guarded" ? `runs in a protected folder: ${shown}` : `runs outside the workspace: ${shown}`,
      );
  }
}
