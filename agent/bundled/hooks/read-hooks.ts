import { type ParseError, parse } from "jsonc-parser";
import * as z from "zod";
import { describeIssues, errorMessage } from "../../protocol/errors.ts";
import { readTextSync } from "../../util/read-text.ts";
import { HOOK_EVENTS, type HookEvent, type HookSource } from "./hooks-parts.ts";

const DEFAULT_TIMEOUT_SECONDS = 60;
const MS = 1000;

/** A command that runs at an event. */
export interface Hook {
  event: HookEvent;
  /** As the user wrote it; "" for every call. */
  matcher: string;
  /** True for names that the matcher names as a whole. */
  matches(name: string): boolean;
  command: string;
  timeoutMs: number;
  /** As written; default is the working directory of the agent. */
  cwd: string | undefined;
  env: Readonly<Record<string, string>>;
}

/** The hooks of one source. */
export interface HookGroup {
  source: HookSource;
  hooks: readonly Hook[];
}

const Command = z.object({
  type: z.literal("command", { error: "only hooks of the type command run" }).default("command"),
  command: z.string().min(1),
  windows: z.string().min(1).optional(),
  linux: z.string().min(1).optional(),
  osx: z.string().min(1).optional(),
  timeout: z.number().positive().default(DEFAULT_TIMEOUT_SECONDS),
  cwd: z.string().optional(),
  env: z.record(z.string(), z.string()).default({}),
});
const Matched = z.object({ matcher: z.string().default(""), hooks: z.array(z.unknown()) });
const Flat = z.looseObject({ matcher: z.string().default("") });
const HooksContent = z.object({
  hooks: z.record(z.string(), z.array(z.unknown())).default({}),
  disableAllHooks: z.boolean().default(false),
});

/** Reads the hooks of a source. Entries that can't be used are reported and left out. */
export function readHooks(source: HookSource, warn: (message: string) => void): HookGroup {
  const say = (problem: string) => warn(`${source.path}: ${problem}`);
  return { source, hooks: hooksIn(source, say) };
}

/** Returns the content of a JSON file with comments. @throws Error when it can't be read or isn't valid. */
export function readHookFile(path: string): unknown {
  const problems: ParseError[] = [];
  const content: unknown = parse(readTextSync(path), problems, { allowTrailingComma: true });
  const [broken] = problems;
  if (broken !== undefined) throw new Error(`skipped because it isn't valid JSON (near character ${broken.offset}).`);
  return content;
}

function hooksIn(source: HookSource, say: (problem: string) => void): Hook[] {
  let content: unknown;
  try {
    content = source.read();
  } catch (error) {
    say(errorMessage(error));
    return [];
  }
  const read = HooksContent.safeParse(content);
  if (!read.success) {
    say(["no hooks run:", ...describeIssues(read.error)].join("\n"));
    return [];
  }
  if (read.data.disableAllHooks) return [];
  const unknown = Object.keys(read.data.hooks).filter((name) => !isEvent(name));
  if (unknown.length > 0) say(`no hooks run for ${unknown.join(", ")}.`);
  return HOOK_EVENTS.flatMap((event) =>
    (read.data.hooks[event] ?? []).flatMap((entry) => hooksOf(event, entry, (problem) => say(`${event}: ${problem}`))),
  );
}

function isEvent(name: string): boolean {
  return HOOK_EVENTS.some((event) => event === name);
}

/** Reads an entry: hooks with a matcher, as Claude Code writes them, or one hook, as VS Code does. */
function hooksOf(event: HookEvent, entry: unknown, say: (problem: string) => void): Hook[] {
  const matched = Matched.safeParse(entry).data;
  const matcher = matched?.matcher ?? Flat.safeParse(entry).data?.matcher ?? "";
  const matches = matcherOf(matcher);
  if (matches === undefined) {
    say(`the matcher ${JSON.stringify(matcher)} isn't a regular expression.`);
    return [];
  }
  return (matched?.hooks ?? [entry]).flatMap((one) => {
    const read = Command.safeParse(one);
    if (!read.success) {
      say(["a hook is left out:", ...describeIssues(read.error)].join("\n"));
      return [];
    }
    const { timeout, cwd, env } = read.data;
    return [{ event, matcher, matches, command: commandOf(read.data), timeoutMs: timeout * MS, cwd, env }];
  });
}

function commandOf({ command, windows, linux, osx }: z.infer<typeof Command>): string {
  if (process.platform === "win32") return windows ?? command;
  return (process.platform === "darwin" ? osx : linux) ?? command;
}

/** @returns undefined when the matcher is not a regular expression. */
function matcherOf(matcher: string): ((name: string) => boolean) | undefined {
  if (matcher === "" || matcher === "*") return () => true;
  try {
    const pattern = new RegExp(`^(?:${matcher})$`);
    return (name) => pattern.test(name);
  } catch {
    return undefined;
  }
}

/** Returns the event of a hook and its matcher, for people. */
export function placeOf({ event, matcher }: Hook): string {
  return matcher === "" ? event : `${event} (${matcher})`;
}
