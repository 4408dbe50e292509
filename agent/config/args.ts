/** The kind of value that a command-line flag takes. */
type FlagKind = "switch" | "value" | "values" | "optional";

interface FlagSpec {
  kind: FlagKind;
  short?: string;
  /** An empty value is a mistake, such as a variable of a shell that is not set: as a path it would mean the working folder. */
  isPath?: true;
}

/** The flags that do something. */
const FLAGS = {
  mode: { kind: "value" },
  print: { kind: "switch", short: "-p" },
  "max-turns": { kind: "value" },
  "max-cost": { kind: "value" },
  "output-schema": { kind: "value", isPath: true },
  "print-system-prompt": { kind: "switch" },
  provider: { kind: "value" },
  model: { kind: "value" },
  "host-provider": { kind: "value" },
  models: { kind: "value" },
  thinking: { kind: "value" },
  "api-key": { kind: "value" },
  "system-prompt": { kind: "value" },
  "append-system-prompt": { kind: "values" },
  "add-dir": { kind: "values", isPath: true },
  "deny-read": { kind: "values" },
  "ask-for-read-only-commands": { kind: "switch" },
  name: { kind: "value", short: "-n" },
  "title-model": { kind: "value" },
  "no-session": { kind: "switch" },
  "session-dir": { kind: "value" },
  session: { kind: "value" },
  resume: { kind: "optional", short: "-r" },
  continue: { kind: "switch", short: "-c" },
  "session-id": { kind: "value" },
  fork: { kind: "value", isPath: true },
  tools: { kind: "value", short: "-t" },
  "no-tools": { kind: "switch", short: "-nt" },
  "no-builtin-tools": { kind: "switch", short: "-nbt" },
  "exclude-tools": { kind: "value", short: "-xt" },
  extension: { kind: "values", short: "-e", isPath: true },
  hook: { kind: "values", isPath: true },
  "no-extensions": { kind: "switch", short: "-ne" },
  skill: { kind: "values", isPath: true },
  skills: { kind: "value" },
  "no-skills": { kind: "switch", short: "-ns" },
  "prompt-template": { kind: "values", isPath: true },
  "no-prompt-templates": { kind: "switch", short: "-np" },
  "no-context-files": { kind: "switch", short: "-nc" },
  "no-mcp": { kind: "switch" },
  offline: { kind: "switch" },
  "no-rules": { kind: "switch" },
  approve: { kind: "switch", short: "-a" },
  "no-approve": { kind: "switch", short: "-na" },
  "rpc-stream": { kind: "value" },
  "permission-mode": { kind: "value" },
  demo: { kind: "switch" },
  verbose: { kind: "switch" },
  "list-models": { kind: "optional" },
  "list-approvals": { kind: "optional" },
  export: { kind: "value", isPath: true },
  help: { kind: "switch", short: "-h" },
  version: { kind: "switch", short: "-v" },
} as const satisfies Record<string, FlagSpec>;

export type FlagName = keyof typeof FLAGS;

/** Flags of other programs' command lines, accepted so that existing hosts start us; a value is taken where one is expected. */
const IGNORED: Record<string, FlagKind> = {
  "--theme": "value",
  "--no-themes": "switch",
  "--use-theme": "value",
  "--tui-mode": "value",
  "--no-lsp": "switch",
  "--no-pty": "switch",
  "--allow-home": "switch",
  "--provider-session-id": "value",
  "--smol": "value",
  "--slow": "value",
  "--plan": "value",
  "--plugin-dir": "value",
  "--no-title": "switch",
};

/** The command line, read but not yet judged. */
export interface ParsedArgs {
  /** Flags that were given; a switch holds `""`, an optional value that was left out too. */
  flags: Partial<Record<FlagName, string[]>>;
  /** Flags that are known elsewhere and mean nothing here, as they were spelled, with their values. */
  ignored: Map<string, string | undefined>;
  /** Long flags that nobody here knows, by name, with the value that came with them. */
  unknown: Map<string, string | undefined>;
  positional: string[];
  /** Files that were named as `@file`, without the `@`. */
  files: string[];
}

/** A command line that cannot be used; the message is for stderr. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

const BY_SPELLING = spellings();

/**
 * Splits a command line into flags and the rest. `--flag=value` and `--flag value` mean the same; `--` ends the flags.
 * @throws UsageError for an unknown short flag or a missing value.
 */
export function parseArgs(argv: readonly string[]): ParsedArgs {
  const parsed: ParsedArgs = { flags: {}, ignored: new Map(), unknown: new Map(), positional: [], files: [] };
  const rest = [...argv];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === "--") {
      parsed.positional.push(...rest);
      return parsed;
    }
    if (arg.startsWith("-") && arg.length > 1) takeFlag(parsed, arg, rest);
    else if (arg.startsWith("@")) parsed.files.push(arg.slice(1));
    else parsed.positional.push(arg);
  }
  return parsed;
}

/** The last value given for a flag. */
export function flagValue(args: ParsedArgs, name: FlagName): string | undefined {
  return args.flags[name]?.at(-1);
}

/** True when a flag was given. */
export function hasFlag(args: ParsedArgs, name: FlagName): boolean {
  return args.flags[name] !== undefined;
}

function takeFlag(parsed: ParsedArgs, arg: string, rest: string[]): void {
  const equals = arg.startsWith("--") ? arg.indexOf("=") : -1;
  const spelling = equals === -1 ? arg : arg.slice(0, equals);
  const inline = equals === -1 ? undefined : arg.slice(equals + 1);
  const name = BY_SPELLING.get(spelling);
  if (name !== undefined) {
    const flag: FlagSpec = FLAGS[name];
    const value = takeValue(name, flag.kind, inline, rest);
    if (flag.isPath && value === "") throw new UsageError(`Error: --${name} requires a non-empty value`);
    parsed.flags[name] = [...(parsed.flags[name] ?? []), value];
    return;
  }
  const ignored = Object.hasOwn(IGNORED, spelling) ? IGNORED[spelling] : undefined;
  if (ignored !== undefined) {
    parsed.ignored.set(spelling, ignored === "value" ? (inline ?? nextValue(rest)) : undefined);
    return;
  }
  if (!arg.startsWith("--")) throw new UsageError(`Error: Unknown option: ${arg}`);
  parsed.unknown.set(spelling.slice(2), inline ?? nextValue(rest));
}

/** The argument after a flag of which nobody knows yet whether it takes a value. */
function nextValue(rest: string[]): string | undefined {
  return rest[0] === undefined || /^[-@]/.test(rest[0]) ? undefined : rest.shift();
}

function takeValue(name: FlagName, kind: FlagKind, inline: string | undefined, rest: string[]): string {
  if (kind === "switch") return "";
  if (inline !== undefined) return inline;
  const next = rest[0];
  if (next !== undefined && (kind !== "optional" || !next.startsWith("-"))) {
    rest.shift();
    return next;
  }
  if (kind === "optional") return "";
  if (name === "mode") throw new UsageError("Error: --mode requires text, json, rpc, or acp");
  throw new UsageError(`Error: --${name} requires a value`);
}

function spellings(): Map<string, FlagName> {
  const map = new Map<string, FlagName>();
  for (const name of flagNames()) {
    map.set(`--${name}`, name);
    const flag: FlagSpec = FLAGS[name];
    if (flag.short !== undefined) map.set(flag.short, name);
  }
  return map;
}

function isFlagName(name: string): name is FlagName {
  return Object.hasOwn(FLAGS, name);
}

function flagNames(): FlagName[] {
  return Object.keys(FLAGS).filter(isFlagName);
}
