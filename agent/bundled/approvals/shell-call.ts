import { normalize } from "node:path";
import type { ApprovalRule } from "../../protocol/approvals.ts";
import type { Danger } from "../../protocol/dialogs.ts";
import { shellLanguage, shellName } from "../../tools/shell-language.ts";
import { resolvePath } from "../../util/paths.ts";
import { hasInvisible } from "../../util/visible-text.ts";
import { ALL_SCOPES, type CallJudgement, neverAllowed, type Proposal } from "./judgement.ts";
import type { Places } from "./places.ts";
import { commandRuleWords } from "./rule-words.ts";
import { judgeScript } from "./shell/judge-script.ts";
import { fetchedCode } from "./shell/network-dangers.ts";
import { matchesCommand, type PatternCommand, patternFor, READING_PATTERN, readPattern } from "./shell/pattern.ts";
import { roughCommands } from "./shell/rough-commands.ts";
import { roughDangers } from "./shell/rough-dangers.ts";
import { type Part, unjudged, worstOf } from "./shell/verdict.ts";
import { WRITERS } from "./shell/writers.ts";
import { toPosixScript } from "./windows/judge-windows.ts";
import { roughWindowsDangers } from "./windows/rough-windows.ts";

const MAX_COMMAND_LENGTH = 100_000;
/** Commands that a rule allows only with the arguments shown: other arguments may do anything. */
const ONLY_WHOLE =
  /^(rm|rmdir|unlink|mv|cp|ln|install|rsync|dd|chmod|chown|tar|unzip|curl|wget|kill|find|xargs|env|eval|exec|source|\.|(ba|da|z|k)?sh|fish|python[\d.]*|node|deno|bun|ruby|perl|php|lua|make|docker|kubectl|git|npm|pnpm|yarn|npx|bunx|uv|poetry|cargo|go)$/;

/** Shells whose grammar is that of bash, or a part of it. */
const KNOWN_SHELL = /^(bash|sh|dash|ash)$/i;

interface ShellSetting {
  /** The working directory of commands that don't name one. */
  cwd: string;
  places: Places;
  /** Absolute path of the shell; undefined for the platform's bash. */
  shellPath?: string | undefined;
}

/** Judges a shell command by its parts: the worst one decides. */
export async function judgeShellCall(
  args: Record<string, unknown>,
  { cwd, places, shellPath }: ShellSetting,
): Promise<CallJudgement> {
  const { command, cwd: folder } = args;
  if (typeof command !== "string") return neverAllowed(["can't be checked: it has no command"]);
  const language = shellPath === undefined ? "posix" : shellLanguage(shellPath);
  const isOfWindows = language === "pwsh" || language === "powershell" || language === "cmd";
  const rough = isOfWindows ? roughWindowsDangers(command, language) : roughDangers(command);
  const unknown = (why: string) => ({ ...neverAllowed([`can't be checked: ${why}`]), dangers: rough });
  if (command.length > MAX_COMMAND_LENGTH) return unknown("it's too long");
  if (!isOfWindows && shellPath !== undefined && !KNOWN_SHELL.test(shellName(shellPath))) {
    return unknown(`${shellPath} has its own syntax`);
  }
  const known = isOfWindows ? toPosixScript(command, language) : { script: command };
  if ("problem" in known) return unknown(known.problem);
  const start = typeof folder === "string" ? resolvePath(cwd, folder) : cwd;
  const parts = judgeScript(known.script, start, places);
  const doubts = [
    ...(isMisled(parts) ? [unjudged("a link or a move may change where .. leads")] : []),
    ...(runsWhatItWrites(parts) ? [unjudged("it runs a file that it writes, which may differ next time")] : []),
  ];
  const ofParts = parts.flatMap((part) => part.dangers ?? []);
  // What a part says is exact.
  const isNews = ({ kind }: Danger) => !ofParts.some((known) => known.kind === kind);
  const further = isOfWindows ? rough.filter(isNews) : fetchedCode(command, roughCommands(command));
  const dangers = [...ofParts, ...further];
  return { ...judgementOf([...parts, ...doubts], places), dangers };
}

/** True when a script passes a file that it writes to a program. */
function runsWhatItWrites(parts: readonly Part[]): boolean {
  const written = new Set(
    parts.flatMap(({ words: [name, ...words] }) =>
      name === ">" || /^(tee|cp|mv|sed|touch|ln)$/.test(name ?? "") ? words.map((word) => normalize(word ?? ".")) : [],
    ),
  );
  return parts.some(
    ({ level, words }) =>
      level !== "reads" &&
      words[0] !== ">" &&
      !WRITERS.has(words[0] ?? "") &&
      words[0] !== "sed" &&
      words.some((word) => word !== undefined && word !== "." && written.has(normalize(word))),
  );
}

/** True when a script changes the meaning of `..`, because it creates a link or moves the folder that it is in. */
function isMisled(parts: readonly Part[]): boolean {
  const runs = (name: string) => parts.some(({ words }) => words[0] === name);
  if (!runs("ln") && !(runs("mv") && (runs("cd") || runs("pushd")))) return false;
  return parts.some(({ words }) => words[0] !== "ln" && words.some((word) => word?.split("/").includes("..")));
}

/** Combines the judgments of a command's parts. */
function judgementOf(parts: readonly Part[], places: Places): CallJudgement {
  const level = worstOf(parts);
  const reasons = [...new Set(parts.flatMap((part) => part.reasons))];
  const commands = parts.flatMap((part) => (/^reads/.test(part.level) ? [] : [shown(part)]));
  if (level === "never") return { ...neverAllowed(reasons), commands };
  const changing = parts.filter((part) => part.level === "changes" || part.level === "temporary");
  const pattern = changing.length === 0 ? READING_PATTERN : patternForAll(changing);
  return {
    reasons,
    commands,
    isFree: level === "reads",
    scopes: pattern === undefined ? [] : level === "temporary" ? ["session"] : ALL_SCOPES,
    proposal: pattern === undefined ? undefined : toProposal(pattern),
    allowedBy: (rules) => allowedBy(rules, parts, changing, places),
    propose(text) {
      const wish = text.trim();
      const problem = problemOf(wish, parts, changing, places);
      return problem === undefined ? toProposal(wish) : `${wish}: ${problem}`;
    },
  };
}

function shown({ words }: Part): string {
  return words.map((word) => word ?? "…").join(" ");
}

/** Returns a pattern for all parts. Of a command that does harm, it allows only what it shows. */
function patternForAll(parts: readonly Part[]): string | undefined {
  const patterns = parts.map(({ words, dangers = [] }) => patternFor(words, dangers.length > 0));
  if (!patterns.every((one) => one !== undefined)) return undefined;
  return [...new Set(patterns)].join("; ");
}

function allowedBy(
  rules: readonly ApprovalRule[],
  parts: readonly Part[],
  changing: readonly Part[],
  places: Places,
): ApprovalRule[] | undefined {
  const own = rules.filter(({ tool }) => tool === "bash");
  const reading = own.find(({ pattern }) => pattern === READING_PATTERN);
  if (changing.length === 0 && reading !== undefined) return [reading];
  const used = new Set<ApprovalRule>();
  for (const part of changing.length === 0 ? parts : changing) {
    const rule = own.find((one) => isAllowed(part, one, places));
    if (rule === undefined) return undefined;
    used.add(rule);
  }
  return used.size === 0 ? undefined : [...used];
}

function isAllowed(part: Part, rule: ApprovalRule, places: Places): boolean {
  const matching = matchesOf(part, rule);
  if (matching.some((one) => !one.isOpen)) return true;
  return matching.length > 0 && isHarmShown(part, rule.pattern ?? "", places);
}

/** Returns the commands of a rule that match a part. */
function matchesOf({ level, words }: Part, { scope, pattern }: ApprovalRule): PatternCommand[] {
  if (pattern === undefined || pattern === READING_PATTERN) return [];
  if (level === "temporary" && scope !== "session") return [];
  const read = readPattern(pattern);
  return "problem" in read ? [] : read.commands.filter((one) => !isTooWide(one) && matchesCommand(one, words));
}

/** True if the words of a pattern show each kind of harm that a command does: the `*` at its end stands for none. */
function isHarmShown({ dangers = [] }: Part, pattern: string, places: Places): boolean {
  if (dangers.length === 0) return true;
  const shown = partsOfPattern(pattern, places).flatMap((one) => one.dangers ?? []);
  return dangers.every(({ kind }) => shown.some((danger) => danger.kind === kind));
}

/** Judges the commands that a pattern shows, without what its `*` stand for. */
function partsOfPattern(pattern: string, places: Places): Part[] {
  return judgeScript(pattern.replace(/\s\*(?=\s*(;|$))/g, "").replaceAll("*", "any"), places.workspace, places);
}

function problemOf(
  pattern: string,
  parts: readonly Part[],
  changing: readonly Part[],
  places: Places,
): string | undefined {
  if (pattern === READING_PATTERN) return changing.length === 0 ? undefined : "this command changes something";
  if (hasInvisible(pattern) || pattern === "") return "enter a pattern on one line";
  const read = readPattern(pattern);
  if ("problem" in read) return read.problem;
  if (read.commands.some(isTooWide)) return "it would allow any command";
  const [reason] = partsOfPattern(pattern, places)
    .filter(({ level }) => level === "never")
    .flatMap(({ reasons }) => reasons);
  if (reason !== undefined) return `Tiller always asks before this call: ${reason}`;
  const rule: ApprovalRule = { id: "-", scope: "session", tool: "bash", pattern, text: pattern, createdAt: 0, uses: 0 };
  if (allowedBy([rule], parts, changing, places) !== undefined) return undefined;
  const isMatching = (changing.length === 0 ? parts : changing).every((part) => matchesOf(part, rule).length > 0);
  return isMatching ? "write out what does harm, instead of *" : "doesn't match this command";
}

/** A rule must name the whole command, or its subcommand, if the command can run or remove anything. */
function isTooWide({ words, isOpen }: PatternCommand): boolean {
  const command = words.filter((word) => typeof word !== "string" || !/^[A-Za-z_]\w*=/.test(word));
  const [name] = command;
  if (typeof name !== "string") return true;
  const isNamedOnly = command.length === 1 ? isOpen : typeof command[1] !== "string";
  if (ONLY_WHOLE.test(name) && isNamedOnly) return true;
  return isOpen && /^(rm|eval|exec|(ba|da|z|k)?sh)$/.test(name);
}

function toProposal(pattern: string): Proposal {
  return { tool: "bash", pattern, text: `bash ${pattern}`, covers: commandRuleWords(pattern) };
}
