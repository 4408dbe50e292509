import { PermissionMode } from "../protocol/approvals.ts";
import { StreamShape } from "../protocol/commands.ts";
import { ThinkingLevel } from "../protocol/model.ts";
import { type FlagName, flagValue, hasFlag, type ParsedArgs, parseArgs, UsageError } from "./args.ts";
import type { Env } from "./paths.ts";

/** Which session to open. */
export type SessionChoice =
  | { kind: "new" }
  | { kind: "memory" }
  | { kind: "continue" }
  | { kind: "open"; pathOrId: string }
  | { kind: "fork"; pathOrId: string }
  | { kind: "id"; id: string };

/** The options of a start, from the command line and the environment. */
export interface AgentOptions {
  action:
    | "rpc"
    | "acp"
    | "json"
    | "print"
    | "printSystemPrompt"
    | "welcome"
    | "help"
    | "version"
    | "listModels"
    | "listApprovals"
    | "export";
  /** True if nobody can answer questions. */
  isHeadless: boolean;
  /** The messages of the command line; `json` and `print` send them. */
  prompts: string[];
  /** Files for the first message. */
  files: string[];
  /** The work ends after so many turns, */
  maxTurns: number | undefined;
  /** or so many US dollars. */
  maxCost: number | undefined;
  /** Path of the JSON Schema that the last answer has to fit. */
  outputSchema: string | undefined;
  /** For `listModels` and `listApprovals`: show those that match. */
  search: string;
  /** For `export`: a session file, and where its page goes. */
  exported: { sessionFile: string; outputPath: string | undefined };
  provider: string | undefined;
  model: string | undefined;
  /** The provider whose models the host brings while the agent runs. */
  hostProvider: string | undefined;
  modelScope: string[];
  thinking: ThinkingLevel | undefined;
  apiKey: string | undefined;
  systemPrompt: string | undefined;
  appendSystemPrompts: string[];
  /** Folders that count as the workspace beside the working directory. */
  otherFolders: string[];
  /** Globs of files that no tool may read, beside those of the settings. */
  denyRead: string[];
  /** True if `confirm` also asks before commands that only read the workspace, whatever the settings say. */
  askForReadOnlyCommands: boolean;
  name: string | undefined;
  /** Pattern of the model that names new sessions. */
  titleModel: string | undefined;
  session: SessionChoice;
  sessionDir: string | undefined;
  tools: ToolChoice;
  skills: ResourceChoice;
  /** Globs on names of skills; undefined lets all pass. */
  skillGlobs: string[] | undefined;
  promptTemplates: ResourceChoice;
  useContextFiles: boolean;
  /** True when MCP servers are used. */
  useMcp: boolean;
  /** Nothing is reached over the network but the provider. */
  isOffline: boolean;
  /** Rules for what the model writes may interrupt it. */
  useRules: boolean;
  /** Paths of extensions to load, as they were given. */
  extensions: string[];
  useDiscoveredExtensions: boolean;
  /** Options that an extension may have registered, by name without dashes. */
  extensionFlags: ReadonlyMap<string, string | undefined>;
  /** The ones that have a meaning only if an extension registered them. */
  unknownFlags: readonly string[];
  isProjectTrusted: boolean;
  /** True if the project is not only undecided: the user, or an extension of theirs, said no. */
  isProjectDeclined: boolean;
  /** True when the command line decides this. */
  saysTrust: boolean;
  stream: StreamShape | undefined;
  permissionMode: PermissionMode | undefined;
  locale: string | undefined;
  isVerbose: boolean;
  /** The demo stand-in answers when no model has credentials. */
  usesDemo: boolean;
  /** Lines for stderr about what was ignored. */
  warnings: string[];
}

/** Which tools are active; `patterns` are names, globs, or only `+name` and `-name`. */
export interface ToolChoice {
  patterns: string[] | undefined;
  exclude: string[];
  useBuiltins: boolean;
  useNone: boolean;
}

/** The folders and files that are searched for one kind of resource. */
export interface ResourceChoice {
  /** Paths, as they were given. */
  given: string[];
  /** Off: nowhere else. */
  isDiscovering: boolean;
}

/** The error for a command line that doesn't say how to work. */
export const SAY_HOW =
  'Error: tiller has no interactive mode. Send a message with tiller -p "…", or run it from a program with --mode rpc. See tiller --help';

const YES = /^(1|true|yes|on)$/i;
const SESSION_ID = /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/;

/**
 * Reads the command line and the environment.
 * @throws UsageError with the text for stderr.
 */
export function readOptions(argv: readonly string[], env: Env): AgentOptions {
  const args = parseArgs(argv);
  const warnings: string[] = [];
  const action = readAction(args);
  checkCombinations(args);
  const thinking = readThinking(args, warnings);
  if (args.positional.length > 0 && (action === "rpc" || action === "acp"))
    warnings.push(`Messages on the command line are ignored in ${action.toUpperCase()} mode.`);
  if (hasFlag(args, "verbose")) {
    for (const flag of args.ignored.keys()) warnings.push(`Option ${flag} has no effect in RPC mode.`);
  }
  return {
    action,
    isHeadless: action === "json" || action === "print" || (action === "printSystemPrompt" && !isForHosts(args)),
    prompts: args.positional,
    files: args.files,
    maxTurns: readLimit(args, "max-turns", /^[1-9]\d{0,8}$/),
    maxCost: readLimit(args, "max-cost", /^(?=.*[1-9])\d{1,9}(\.\d+)?$/),
    outputSchema: flagValue(args, "output-schema"),
    search: flagValue(args, "list-models") ?? flagValue(args, "list-approvals") ?? "",
    exported: { sessionFile: flagValue(args, "export") ?? "", outputPath: args.positional[0] },
    provider: flagValue(args, "provider"),
    model: flagValue(args, "model"),
    hostProvider: flagValue(args, "host-provider"),
    modelScope: splitList(flagValue(args, "models")),
    thinking,
    apiKey: flagValue(args, "api-key"),
    systemPrompt: flagValue(args, "system-prompt"),
    appendSystemPrompts: args.flags["append-system-prompt"] ?? [],
    otherFolders: args.flags["add-dir"] ?? [],
    denyRead: args.flags["deny-read"] ?? [],
    askForReadOnlyCommands: hasFlag(args, "ask-for-read-only-commands"),
    name: readName(args),
    titleModel: flagValue(args, "title-model") || undefined,
    session: readSession(args),
    sessionDir: flagValue(args, "session-dir") || env.PI_CODING_AGENT_SESSION_DIR || undefined,
    tools: {
      patterns: hasFlag(args, "tools") ? splitList(flagValue(args, "tools")) : undefined,
      exclude: splitList(flagValue(args, "exclude-tools")),
      useBuiltins: !hasFlag(args, "no-builtin-tools"),
      useNone: hasFlag(args, "no-tools"),
    },
    skills: { given: args.flags.skill ?? [], isDiscovering: !hasFlag(args, "no-skills") },
    skillGlobs: hasFlag(args, "skills") ? splitList(flagValue(args, "skills")) : undefined,
    promptTemplates: {
      given: args.flags["prompt-template"] ?? [],
      isDiscovering: !hasFlag(args, "no-prompt-templates"),
    },
    useContextFiles: !hasFlag(args, "no-context-files"),
    useMcp: !hasFlag(args, "no-mcp"),
    isOffline: hasFlag(args, "offline") || YES.test(env.PI_OFFLINE ?? ""),
    useRules: !hasFlag(args, "no-rules"),
    extensions: [...(args.flags.extension ?? []), ...(args.flags.hook ?? [])],
    useDiscoveredExtensions: !hasFlag(args, "no-extensions"),
    extensionFlags: new Map([...foreignFlags(args), ...args.unknown]),
    unknownFlags: [...args.unknown.keys()],
    isProjectTrusted: hasFlag(args, "approve") && !hasFlag(args, "no-approve"),
    isProjectDeclined: hasFlag(args, "no-approve"),
    saysTrust: hasFlag(args, "approve") || hasFlag(args, "no-approve"),
    stream: readStream(args, env, warnings) ?? (action === "json" || action === "print" ? "delta" : undefined),
    permissionMode: readPermissionMode(args),
    locale: env.XCSH_LOCALE,
    isVerbose: hasFlag(args, "verbose"),
    usesDemo: hasFlag(args, "demo"),
    warnings,
  };
}

/** Long options that mean something to other programs; an extension may want them all the same. */
function foreignFlags({ ignored }: ParsedArgs): [string, string | undefined][] {
  return [...ignored]
    .filter(([spelling]) => spelling.startsWith("--"))
    .map(([spelling, value]) => [spelling.slice(2), value]);
}

function readAction(args: ParsedArgs): AgentOptions["action"] {
  if (hasFlag(args, "help")) return "help";
  if (hasFlag(args, "version")) return "version";
  if (hasFlag(args, "list-models")) return "listModels";
  if (hasFlag(args, "list-approvals")) return "listApprovals";
  if (hasFlag(args, "export")) return "export";
  if (hasFlag(args, "print-system-prompt")) return "printSystemPrompt";
  const mode = flagValue(args, "mode");
  switch (mode) {
    case "rpc":
      if (args.files.length > 0) throw new UsageError("Error: @file arguments are not supported in RPC mode");
      return "rpc";
    case "acp":
      if (args.files.length > 0) throw new UsageError("Error: @file arguments are not supported in ACP mode");
      return "acp";
    case "json":
      return "json";
    case "text":
      return "print";
    case undefined:
      return readBareAction(args);
    default:
      throw new UsageError(`Error: Invalid mode "${mode}". Valid values: text, json, rpc, acp`);
  }
}

/** A command line without a mode. */
function readBareAction(args: ParsedArgs): AgentOptions["action"] {
  if (hasFlag(args, "print")) return "print";
  const isEmpty = [args.positional, args.files, Object.keys(args.flags), [...args.unknown], [...args.ignored]].every(
    ({ length }) => length === 0,
  );
  if (isEmpty) return "welcome";
  throw new UsageError(SAY_HOW);
}

/** True if the command line starts a process that a host drives. */
function isForHosts(args: ParsedArgs): boolean {
  return flagValue(args, "mode") === "rpc";
}

function readLimit(args: ParsedArgs, flag: "max-turns" | "max-cost", shape: RegExp): number | undefined {
  const value = flagValue(args, flag);
  if (value === undefined) return undefined;
  if (shape.test(value)) return Number(value);
  throw new UsageError(
    `Error: --${flag} requires a ${flag === "max-turns" ? "whole number" : "number of US dollars"} above 0`,
  );
}

function checkCombinations(args: ParsedArgs): void {
  if (hasFlag(args, "api-key") && !hasFlag(args, "model") && !hasFlag(args, "models")) {
    throw new UsageError(
      "Error: --api-key requires a model to be specified via --model, --provider/--model, or --models",
    );
  }
  if (hasFlag(args, "session-id")) refuseWith(args, "session-id", ["session", "continue", "resume"]);
  if (hasFlag(args, "fork")) refuseWith(args, "fork", ["session", "continue", "resume", "no-session"]);
}

function refuseWith(args: ParsedArgs, flag: FlagName, others: readonly FlagName[]): void {
  const clash = others.find((other) => hasFlag(args, other));
  if (clash !== undefined) throw new UsageError(`Error: --${flag} cannot be combined with --${clash}`);
}

function readSession(args: ParsedArgs): SessionChoice {
  if (hasFlag(args, "no-session")) return { kind: "memory" };
  const id = flagValue(args, "session-id");
  if (id !== undefined) {
    if (!SESSION_ID.test(id)) {
      throw new UsageError(
        "Error: Session id must be non-empty, contain only alphanumeric characters, '-', '_', and '.', and start and end with an alphanumeric character",
      );
    }
    return { kind: "id", id };
  }
  const source = flagValue(args, "fork");
  if (source !== undefined) return { kind: "fork", pathOrId: source };
  const pathOrId = flagValue(args, "session") ?? flagValue(args, "resume");
  if (pathOrId) return { kind: "open", pathOrId };
  return hasFlag(args, "continue") || hasFlag(args, "resume") ? { kind: "continue" } : { kind: "new" };
}

function readName(args: ParsedArgs): string | undefined {
  const name = flagValue(args, "name");
  if (name !== undefined && name.trim() === "") throw new UsageError("Error: --name requires a non-empty value");
  return name;
}

function readThinking(args: ParsedArgs, warnings: string[]): ThinkingLevel | undefined {
  const wish = flagValue(args, "thinking");
  if (wish === undefined) return undefined;
  const level = ThinkingLevel.safeParse(wish);
  if (!level.success) warnings.push(`Thinking level "${wish}" isn't known, so it's ignored.`);
  return level.data;
}

function readStream(args: ParsedArgs, env: Env, warnings: string[]): StreamShape | undefined {
  const flag = flagValue(args, "rpc-stream");
  const wish = flag ?? env.PI_RPC_STREAM;
  if (!wish) return undefined;
  const shape = StreamShape.safeParse(wish);
  if (shape.success) return shape.data;
  if (flag !== undefined) throw new UsageError(`Error: Invalid --rpc-stream "${flag}". Valid values: full, delta`);
  warnings.push(`PI_RPC_STREAM="${wish}" is ignored. Valid values: full, delta`);
  return undefined;
}

function readPermissionMode(args: ParsedArgs): PermissionMode | undefined {
  const wish = flagValue(args, "permission-mode");
  if (wish === undefined) return undefined;
  const mode = PermissionMode.safeParse(wish);
  if (mode.success) return mode.data;
  throw new UsageError(
    `Error: Invalid --permission-mode "${wish}". Valid values: ${PermissionMode.options.join(", ")}`,
  );
}

function splitList(text: string | undefined): string[] {
  return (text ?? "")
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
