import { basename } from "node:path";
import { judgeScript } from "../../agent/bundled/approvals/shell/judge-script.ts";
import { judgeShellCall } from "../../agent/bundled/approvals/shell-call.ts";
import type { Recorded, ScriptRecorder } from "./recorded-scripts.ts";

/** A command that the judge says to know: its words, where undefined is what is known only when it runs. */
type JudgedWords = readonly (string | undefined)[];

/** A script that runs without a question, or by a rule. */
export interface Accepted {
  script: string;
  isFree: boolean;
  commands: readonly JudgedWords[];
}

/** Programs that run the program named after them; the judge may know only the latter. */
const WRAPPERS =
  /^(env|nice|timeout|nohup|stdbuf|xargs|command|time|builtin|exec|setsid|ionice|flock|watch|sudo|bash|sh)$/;

/** Says what the judge knows of a script that it accepts; undefined when it does not accept it. */
export async function acceptedAs(script: string, { cwd, places }: ScriptRecorder): Promise<Accepted | undefined> {
  const { isFree, scopes } = await judgeShellCall({ command: script }, { cwd, places });
  if (!isFree && scopes.length === 0) return undefined;
  return { script, isFree, commands: judgeScript(script, cwd, places).map(({ words }) => withoutAssignments(words)) };
}

/** The variables that a command is given count with its words. */
function withoutAssignments(words: JudgedWords): JudgedWords {
  const start = words.findIndex((word) => word === undefined || !/^[A-Za-z_]\w*=/.test(word));
  return start === -1 ? [] : words.slice(start);
}

/** Compares what the judge knows of a script with what bash did. @returns what the judge does not know of; undefined when it knows all. */
export function unforeseen(
  { script, isFree, commands }: Accepted,
  { programs, changed }: Recorded,
): string | undefined {
  for (const program of programs) {
    if (isCodeOfShell(program)) continue; // it is recorded as what it runs
    if (program.join() === "cat" && /\$\(\s*cat\s*<</.test(script)) continue; // a text and nothing else
    const isKnown = waysToRead(program).some((words) => commands.some((judged) => isSame(judged, words)));
    if (!isKnown) return `runs ${JSON.stringify(program)}`;
  }
  const targets = commands.filter(([name]) => name === ">").map(([, target]) => basename(target ?? ""));
  for (const path of changed) {
    if (isFree) return `changes ${path}, and is free`;
    if (!targets.includes(basename(path))) return `changes ${path}`;
  }
  return undefined;
}

function isCodeOfShell(program: readonly string[]): boolean {
  return program.some((word, index) => /^(sh|bash|dash)$/.test(word) && /^-\w*c$/.test(program[index + 1] ?? ""));
}

function waysToRead(program: readonly string[]): (readonly string[])[] {
  const [name = "", ...others] = program;
  return WRAPPERS.test(name) ? [program, ...others.map((_, index) => others.slice(index))] : [program];
}

/** True when words may become a program with its arguments: one that is not known may be several, or none, and a star is names of files. */
function isSame(judged: JudgedWords, program: readonly string[]): boolean {
  const [first, ...rest] = judged;
  if (judged.length === 0) return program.length === 0;
  const isOpen = first === undefined || /[*?[]/.test(first);
  if (isOpen)
    return (
      program.some((_, index) => matches(first, program.slice(0, index)) && isSame(rest, program.slice(index))) ||
      (matches(first, program) && rest.every((one) => one === undefined))
    );
  return first === program[0] && isSame(rest, program.slice(1));
}

/** True when one word of a script may become these. */
function matches(word: string | undefined, several: readonly string[]): boolean {
  if (word === undefined) return true;
  if (several.length === 1 && several[0] === word) return true;
  return several.every((one) => globOf(word).test(one));
}

function globOf(word: string): RegExp {
  const text = word.replace(/\[[^\]]+\]|[\s\S]/g, (one) => {
    if (one === "*") return "[^/]*";
    if (one === "?") return "[^/]";
    return one.length > 1 ? one.replace(/^\[!/, "[^") : one.replace(/[.+^${}()|[\]\\]/g, "\\$&");
  });
  return new RegExp(`^${text}$`, "s");
}

/** Makes a script that shows something shorter, as long as it still shows it. */
export async function shortened(script: string, isShown: (script: string) => Promise<boolean>): Promise<string> {
  let best = script;
  for (let size = Math.ceil(best.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < best.length; ) {
      const shorter = best.slice(0, at) + best.slice(at + size);
      if (await isShown(shorter)) best = shorter;
      else at += size;
    }
  }
  return best;
}
