import * as z from "zod";
import { compileGlob } from "../tools/glob.ts";
import { HeaderText } from "./resources.ts";

/** Whether a rule concerns the file at a path. */
export type PathTest = (path: string) => boolean;

/** Tools whose arguments a rule looks at. */
export interface ToolScope {
  /** Undefined means every tool. */
  tool: string | undefined;
  /** Undefined means every file, and calls that name none. */
  isForPath: PathTest | undefined;
}

/** The conditions of a rule. */
export interface RuleTerms {
  description: string;
  /** Any of them is enough. Each has the flag `g`. */
  conditions: readonly RegExp[];
  watchesText: boolean;
  watchesThinking: boolean;
  tools: readonly ToolScope[];
  /** How often the rule applies in a session; a number means again after that many turns. */
  repeat: "once" | "always" | number;
}

const MAX_CONDITIONS = 50;
const MAX_CONDITION_LENGTH = 2000;
const MAX_SHOWN_LENGTH = 100;

/** One text, or a list of them. */
const TextList = z
  .union([z.string(), z.number(), z.array(z.union([z.string(), z.number()]))])
  .transform((value) => (Array.isArray(value) ? value : [value]).map(String).filter((text) => text.trim() !== ""))
  .catch([]);

const RuleHeader = z.object({
  description: HeaderText,
  condition: TextList,
  ttsr_trigger: TextList,
  ttsrTrigger: TextList,
  scope: TextList,
  globs: TextList,
  interruptMode: z.enum(["always", "never", "prose-only", "tool-only"]).catch("always"),
  repeat: z.union([z.enum(["once", "always"]), z.int().positive()]).catch("once"),
});

/**
 * Reads the header of a rule.
 * @param tell is called with each thing that is wrong with it.
 * @returns undefined when it is no rule for what the model writes, or has nothing left to go by.
 */
export async function readRuleHeader(fields: unknown, tell: (problem: string) => void): Promise<RuleTerms | undefined> {
  const header = RuleHeader.safeParse(fields).data;
  if (header === undefined) return undefined;
  const sources = [header.condition, header.ttsr_trigger, header.ttsrTrigger].find((list) => list.length > 0);
  if (sources === undefined || header.interruptMode === "never") return undefined;
  if (sources.length > MAX_CONDITIONS) tell(`only its first ${MAX_CONDITIONS} conditions count`);
  const conditions = sources.slice(0, MAX_CONDITIONS).flatMap((source) => compileCondition(source, tell) ?? []);
  if (conditions.length === 0) return undefined;
  const scope = await readScope(header.scope.flatMap(splitScope), header.globs, tell);
  const hasProse = header.interruptMode !== "tool-only";
  const hasTools = header.interruptMode !== "prose-only";
  const terms = {
    description: header.description,
    conditions,
    watchesText: scope.watchesText && hasProse,
    watchesThinking: scope.watchesThinking && hasProse,
    tools: hasTools ? scope.tools : [],
    repeat: header.repeat,
  };
  if (terms.watchesText || terms.watchesThinking || terms.tools.length > 0) return terms;
  tell("the rule is ignored: its scope leaves nothing to look at");
  return undefined;
}

/** `(?i)`, `(?m)` and `(?s)` in front stand for the flags of a pattern. */
const FLAGS_IN_FRONT = /^\(\?([ims]{1,3})\)([\s\S]*)$/;

function compileCondition(source: string, tell: (problem: string) => void): RegExp | undefined {
  const shown = JSON.stringify(source.slice(0, MAX_SHOWN_LENGTH));
  if (source.length > MAX_CONDITION_LENGTH) {
    tell(`the condition ${shown} is ignored: it is longer than ${MAX_CONDITION_LENGTH} characters`);
    return undefined;
  }
  const [, letters = "", pattern = source] = FLAGS_IN_FRONT.exec(source) ?? [];
  const flags = ["g", ...new Set(letters)].join("");
  const unicode = compile(pattern, `${flags}u`);
  if (unicode instanceof RegExp) return unicode;
  // Outside of Unicode mode more escapes are allowed; authors often write some that are not needed.
  const plain = compile(pattern, flags);
  if (plain instanceof RegExp) return plain;
  tell(`the condition ${shown} is ignored: ${plain}`);
  return undefined;
}

function compile(pattern: string, flags: string): RegExp | string {
  try {
    return new RegExp(pattern, flags);
  } catch (error) {
    return error instanceof SyntaxError ? error.message : String(error);
  }
}

/** Splits at commas that stand outside of brackets. */
function splitScope(text: string): string[] {
  return (text.match(/(?:[^,({]|\([^)]*\)|\{[^}]*\}|[({])+/g) ?? []).map((item) => item.trim()).filter(Boolean);
}

const TOOL_SCOPE = /^(?:tool|toolcall)(?::([\w.-]+)(?:\((.+)\))?)?$/;

type Scope = Pick<RuleTerms, "watchesText" | "watchesThinking" | "tools">;

async function readScope(
  items: readonly string[],
  globs: readonly string[],
  tell: (problem: string) => void,
): Promise<Scope> {
  const isForPath = globs.length === 0 ? undefined : await anyGlob(globs);
  const tools: ToolScope[] = [];
  const scope = { watchesText: false, watchesThinking: false, tools };
  for (const item of items.length === 0 ? ["text", "tool"] : items) {
    const call = TOOL_SCOPE.exec(item);
    // A document without a file matches no glob.
    if (item === "text") scope.watchesText = isForPath === undefined;
    else if (item === "thinking") scope.watchesThinking = isForPath === undefined;
    else if (call !== null) tools.push(await toolScope(call[1], call[2], isForPath));
    else tell(`"${item.slice(0, MAX_SHOWN_LENGTH)}" in its scope is not known`);
  }
  return scope;
}

async function toolScope(tool: string | undefined, glob: string | undefined, also: PathTest | undefined) {
  const own = glob === undefined ? undefined : await anyGlob([glob]);
  const isForPath = own && also ? (path: string) => own(path) && also(path) : (own ?? also);
  return { tool, isForPath };
}

async function anyGlob(globs: readonly string[]): Promise<PathTest> {
  const tests = await Promise.all(globs.map(compileGlob));
  return (path) => tests.some((test) => test(path));
}
