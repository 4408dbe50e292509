import type { AnyTool } from "../../tools/tool.ts";
import { REDACTED, secretFinder, withoutSecrets } from "../../util/secrets.ts";
import { visibleLine } from "../../util/visible-text.ts";

const MAX_LENGTH = 400;
/** The part of a text that is looked at. What follows never reaches the log. */
const MAX_READ = 4000;
const SECRET_NAME = `pass(?:word|wd|phrase)?|token|secret|api[_-]?key|(?:access|private)[_-]?key|credentials?`;
const VALUE = String.raw`"(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s;&|]+`;

/** Places in which commands and arguments have secrets, whatever these look like. The first group stays. */
const PLACES: readonly RegExp[] = [
  new RegExp(String.raw`(?<![\w-])(--?[\w-]{0,60}(?:${SECRET_NAME})[\w-]{0,60}[\s=]\s{0,9})(?:${VALUE})`, "gi"),
  new RegExp(String.raw`(\b\w{0,60}(?:${SECRET_NAME}|_PAT|_KEY|AUTH)\w{0,60}=)(?:${VALUE})`, "gi"),
  new RegExp(String.raw`("[\w-]{0,60}(?:${SECRET_NAME})[\w-]{0,60}"\s{0,9}:\s{0,9})(?:"(?:[^"\\]|\\.)*"?)`, "gi"),
  /((?:^|\s)(?:-u|--user|--proxy-user)[\s=]{0,9}["']?[^\s:"'=]{1,100}:)(?:[^\s"']+)/g,
  new RegExp(
    String.raw`(\b(?:sshpass|mysql|mysqldump|mysqladmin|redis-cli)\b[^\n;|&]{0,200}?\s-[pa]\s{0,9})(?:${VALUE})`,
    "g",
  ),
];

/**
 * Returns a function that says what a call does, in one bounded line without secrets: the command, or else the summary of the tool.
 * @param secrets values that must not occur.
 */
export function decisionText(secrets: readonly string[]): (tool: AnyTool, args: Record<string, unknown>) => string {
  const find = secretFinder(secrets);
  return (tool, args) => {
    const plain = PLACES.reduce((text, place) => text.replace(place, `$1${REDACTED}`), beginning(textOf(tool, args)));
    const line = visibleLine(withoutSecrets(plain, find)).trim();
    return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line;
  };
}

function textOf(tool: AnyTool, args: Record<string, unknown>): string {
  const command = tool.name === "bash" && tool.origin === "builtin" ? args.command : args[tool.command ?? ""];
  if (typeof command === "string") return command;
  const bound = tool.bind(args);
  return bound.ok ? bound.input.summary : "";
}

/** Returns the beginning of a text, which ends between two words: half a secret may not look like one. */
function beginning(text: string): string {
  return text.length <= MAX_READ ? text : text.slice(0, MAX_READ).replace(/\S*$/, "");
}
