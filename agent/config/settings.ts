import { dirname, join } from "node:path";
import type { ParseError } from "jsonc-parser";
import * as z from "zod";
import { InterruptMode, QueueMode, StreamShape } from "../protocol/commands.ts";
import { describeIssues, errorMessage } from "../protocol/errors.ts";
import { CacheTtl, ThinkingLevel } from "../protocol/model.ts";
import { readTextSync } from "../util/read-text.ts";
import { type NamedResources, type ResourceList, readResourceLists } from "./resource-settings.ts";
import { readSandboxSettings, type SandboxSettings, sandboxFile } from "./sandbox-settings.ts";
import { readWebSettings, type WebSettings, webFile } from "./web-settings.ts";

/** The mode of the search for tools: only with many tools, always, or never. */
const ToolSearchMode = z.enum(["auto", "on", "off"]);

const positiveInt = z.int().nonnegative();

/** The log levels of MCP, from the lowest to the highest. */
const McpLogLevel = z.enum(["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]);

/** Paths; other programs keep an object here, which is left alone. */
const paths = z.lazy(() =>
  z.union([z.array(z.string()), z.record(z.string(), z.unknown()).transform((): string[] => [])]),
);

/** The shape of a settings file. Unknown keys are ignored, so that other programs can share the file. */
export const SettingsFile = z.lazy(() =>
  z
    .object({
      compaction: z
        .object({ enabled: z.boolean(), reserveTokens: positiveInt, keepRecentTokens: positiveInt })
        .partial(),
      branchSummary: z.object({ reserveTokens: positiveInt }).partial(),
      retry: z
        .object({
          enabled: z.boolean(),
          maxRetries: positiveInt,
          baseDelayMs: positiveInt,
          maxAgentDelayMs: positiveInt,
        })
        .partial(),
      steeringMode: QueueMode,
      followUpMode: QueueMode,
      interruptMode: InterruptMode,
      defaultProvider: z.string(),
      defaultModel: z.string(),
      defaultThinkingLevel: ThinkingLevel,
      fallbackModels: z.array(z.string()),
      summaryModel: z.string(),
      cacheTtl: CacheTtl,
      defaultTools: z.array(z.string()),
      rpc: z.object({ hostToolTimeoutMs: positiveInt, stream: StreamShape }).partial(),
      tasks: z.object({ todoClearDelay: z.number() }).partial(),
      hooks: z.unknown(),
      toolSearch: z
        .object({ mode: ToolSearchMode, maxTools: positiveInt, maxPercent: z.number().min(0).max(100) })
        .partial(),
      mcp: z.object({ waitMs: positiveInt, startTimeoutMs: positiveInt, logLevel: McpLogLevel }).partial(),
      instructionFiles: z
        .object({
          agents: z.boolean(),
          claude: z.boolean(),
          copilot: z.boolean(),
          cursor: z.boolean(),
          nested: z.boolean(),
        })
        .partial(),
      web: webFile(),
      sandbox: sandboxFile(),
      prompts: paths,
      skills: paths,
      sessionDir: z.string(),
      shellPath: z.string(),
      shellCommandPrefix: z.string(),
      shellEnv: z.record(z.string(), z.string()),
      shellTimeoutSeconds: z.number().nonnegative(),
      denyRead: z.array(z.string()),
      askForReadOnlyCommands: z.boolean(),
      extensions: z.array(z.string()),
      packages: z.unknown(),
    })
    .partial(),
);
export type SettingsFile = z.infer<typeof SettingsFile>;

const PiSettingsFile = z.lazy(() =>
  SettingsFile.unwrap().pick({ extensions: true, prompts: true, skills: true, packages: true }),
);

type ResourceKey = "extensions" | "prompts" | "skills";

/** Settings with every default filled in. Times are in milliseconds unless said otherwise. */
export interface Settings {
  compaction: { enabled: boolean; reserveTokens: number; keepRecentTokens: number };
  branchSummary: { reserveTokens: number };
  retry: { enabled: boolean; maxRetries: number; baseDelayMs: number; maxAgentDelayMs: number };
  steeringMode: QueueMode;
  followUpMode: QueueMode;
  interruptMode: InterruptMode;
  defaultProvider: string | undefined;
  defaultModel: string | undefined;
  defaultThinkingLevel: ThinkingLevel;
  /** Patterns of models that go on, in this order, when the selected one is overloaded or its quota is exhausted. */
  fallbackModels: readonly string[];
  /** Pattern of the model that summarizes and names sessions; undefined for the selected one, which names none. */
  summaryModel: string | undefined;
  /** How long a provider that can choose keeps a conversation in its cache. */
  cacheTtl: CacheTtl;
  defaultTools: readonly string[] | undefined;
  rpc: { hostToolTimeoutMs: number; stream: StreamShape };
  /** `todoClearDelay`: seconds that a done task stays in the plan; negative for ever. */
  tasks: { todoClearDelay: number };
  /**
   * The limits beyond which the model has to search for tools: their number, and the percentage of the context window that their definitions take.
   */
  toolSearch: { mode: z.infer<typeof ToolSearchMode>; maxTools: number; maxPercent: number };
  /** The time that a prompt waits for starting servers, the time limit for a server's answers, and the lowest level of logged messages. */
  mcp: { waitMs: number; startTimeoutMs: number; logLevel: z.infer<typeof McpLogLevel> };
  /** The instruction files that are read, by the program that they are for; `nested` are those of folders that the agent comes to. */
  instructionFiles: Record<(typeof INSTRUCTION_FILES)[number], boolean>;
  /** The hooks of each file, unchecked; undefined for none. Those of a project that is not trusted are left out. */
  hooks: { user: unknown; project: unknown };
  web: WebSettings;
  sandbox: SandboxSettings;
  /** Prompt templates and folders of them. */
  prompts: ResourceNames;
  /** Skills and folders of them. */
  skills: ResourceNames;
  sessionDir: string | undefined;
  shellPath: string | undefined;
  shellCommandPrefix: string | undefined;
  /** Variables for shell commands; they replace those that the agent sets. */
  shellEnv: Readonly<Record<string, string>>;
  /** The time limit of a command for which the model names none; 0 for none. */
  shellTimeoutSeconds: number | undefined;
  /** Globs of files that no tool may read, in any mode; those of the user and of the project add up. */
  denyRead: readonly string[];
  /** True if `confirm` also asks before commands that only read the workspace. A project can only make it stricter. */
  askForReadOnlyCommands: boolean;
  /** Modules and folders of them. */
  extensions: ResourceNames;
}

/** Settings for extensions, without those that name files, commands, and services. */
export type SharedSettings = Omit<Settings, "hooks" | "web" | "prompts" | "skills" | "extensions">;

/** Resources that the user's and the project's settings name. */
export interface ResourceNames {
  user: NamedResources;
  project: NamedResources;
}

const INSTRUCTION_FILES = ["agents", "claude", "copilot", "cursor", "nested"] as const;

/** Decide what runs, where files go, and who reads a conversation, so that only the user's own file sets them, whether or not the project is trusted. */
const USER_ONLY = [
  "sessionDir",
  "shellPath",
  "shellCommandPrefix",
  "shellEnv",
  "fallbackModels",
  "summaryModel",
  "cacheTtl",
  "web",
  "sandbox",
] as const;

interface SettingsSources {
  agentDir: string;
  projectDir: string;
  isProjectTrusted: boolean;
  warn(message: string): void;
}

/**
 * Reads `settings.json` of the user and of the project; the project's wins where it loosens nothing, objects merge key by key, arrays
 * replace, but lists of resources add up. A file that cannot be read is reported and skipped, never rewritten.
 */
export async function loadSettings(sources: SettingsSources): Promise<Settings> {
  const user = await readSettingsFile(join(sources.agentDir, "settings.json"), sources.warn);
  const project = await readSettingsFile(join(sources.projectDir, "settings.json"), sources.warn);
  leaveToUser(project, user, sources);
  const piDir = join(dirname(sources.projectDir), ".pi");
  const pi = await readPiSettings(piDir, sources);
  const lists = (entries: readonly string[] | undefined, folder: string): ResourceList[] =>
    entries === undefined ? [] : [{ entries, folder }];
  const named = (key: ResourceKey): ResourceNames => ({
    user: readResourceLists(lists(user[key], sources.agentDir)),
    project: readResourceLists([...lists(project[key], sources.projectDir), ...lists(pi[key], piDir)]),
  });
  return {
    ...fillDefaults(user, project),
    extensions: named("extensions"),
    prompts: named("prompts"),
    skills: named("skills"),
  };
}

/** Removes settings from a project's that only the user decides. */
function leaveToUser(project: SettingsFile, user: SettingsFile, sources: SettingsSources): void {
  const { agentDir, projectDir, isProjectTrusted, warn } = sources;
  const file = join(projectDir, "settings.json");
  const ofUser = join(agentDir, "settings.json");
  for (const key of USER_ONLY) {
    if (project[key] === undefined) continue;
    warn(`Setting "${key}" of ${file} is ignored because projects can't set it. Set it in ${ofUser}.`);
    delete project[key];
  }
  if (project.extensions !== undefined && !isProjectTrusted) {
    warn(`Setting "extensions" of ${projectDir} is ignored because you haven't trusted the project (--approve).`);
    delete project.extensions;
  }
  if (project.hooks !== undefined && !isProjectTrusted) {
    warn(`Setting "hooks" of ${projectDir} is ignored because you haven't trusted the project (--approve).`);
    delete project.hooks;
  }
  const { defaultTools } = user;
  if (project.defaultTools === undefined || defaultTools === undefined) return;
  const added = project.defaultTools.filter((name) => !defaultTools.includes(name));
  if (added.length === 0) return;
  warn(`Setting "defaultTools" of ${file} adds no tools to yours: ${added.join(", ")}. Add them in ${ofUser}.`);
  project.defaultTools = project.defaultTools.filter((name) => !added.includes(name));
}

/** Of pi's settings of a project only those count that name resources. */
async function readPiSettings(
  piDir: string,
  { isProjectTrusted, warn }: SettingsSources,
): Promise<Pick<SettingsFile, ResourceKey>> {
  const { extensions, prompts, skills } = await readSettingsFile(join(piDir, "settings.json"), warn, PiSettingsFile);
  if (isProjectTrusted || extensions === undefined) return { extensions, prompts, skills };
  warn(`Setting "extensions" of ${piDir} is ignored because you haven't trusted the project (--approve).`);
  return { prompts, skills };
}

function fillDefaults(user: SettingsFile, project: SettingsFile): Omit<Settings, ResourceKey> {
  const flat = { ...user, ...project };
  return {
    compaction: {
      enabled: true,
      reserveTokens: 16384,
      keepRecentTokens: 20000,
      ...user.compaction,
      ...project.compaction,
    },
    branchSummary: { reserveTokens: 16384, ...user.branchSummary, ...project.branchSummary },
    retry: {
      enabled: true,
      maxRetries: 3,
      baseDelayMs: 2000,
      maxAgentDelayMs: 60_000,
      ...user.retry,
      ...project.retry,
    },
    steeringMode: flat.steeringMode ?? "one-at-a-time",
    followUpMode: flat.followUpMode ?? "one-at-a-time",
    interruptMode: flat.interruptMode ?? "wait",
    defaultProvider: flat.defaultProvider,
    defaultModel: flat.defaultModel,
    defaultThinkingLevel: flat.defaultThinkingLevel ?? "medium",
    fallbackModels: flat.fallbackModels ?? [],
    summaryModel: flat.summaryModel || undefined,
    cacheTtl: flat.cacheTtl ?? "5m",
    defaultTools: flat.defaultTools,
    rpc: { hostToolTimeoutMs: 0, stream: "full", ...user.rpc, ...project.rpc },
    tasks: { todoClearDelay: 60, ...user.tasks, ...project.tasks },
    hooks: { user: user.hooks, project: project.hooks },
    toolSearch: { mode: "auto", maxTools: 60, maxPercent: 10, ...user.toolSearch, ...project.toolSearch },
    mcp: { waitMs: 10_000, startTimeoutMs: 60_000, logLevel: "warning", ...user.mcp, ...project.mcp },
    instructionFiles: readInstructionFiles(user, project),
    web: readWebSettings(user.web),
    sandbox: readSandboxSettings(user.sandbox),
    sessionDir: flat.sessionDir || undefined,
    shellPath: flat.shellPath,
    shellCommandPrefix: flat.shellCommandPrefix,
    shellEnv: flat.shellEnv ?? {},
    shellTimeoutSeconds: flat.shellTimeoutSeconds,
    denyRead: [...(user.denyRead ?? []), ...(project.denyRead ?? [])],
    askForReadOnlyCommands: user.askForReadOnlyCommands === true || project.askForReadOnlyCommands === true,
  };
}

/** A project cannot switch on what the user has switched off. */
function readInstructionFiles(user: SettingsFile, project: SettingsFile): Settings["instructionFiles"] {
  const isOn = (name: (typeof INSTRUCTION_FILES)[number]) =>
    user.instructionFiles?.[name] !== false && project.instructionFiles?.[name] !== false;
  return {
    agents: isOn("agents"),
    claude: isOn("claude"),
    copilot: isOn("copilot"),
    cursor: isOn("cursor"),
    nested: isOn("nested"),
  };
}

async function readSettingsFile(
  path: string,
  warn: (message: string) => void,
  schema: z.ZodType<SettingsFile> = SettingsFile,
): Promise<SettingsFile> {
  let text: string;
  try {
    text = readTextSync(path);
  } catch (error) {
    if (!isMissing(error)) warn(`Cannot read ${path}: ${errorMessage(error)}`);
    return {};
  }
  const { parse } = await import("jsonc-parser");
  const problems: ParseError[] = [];
  const parsed = schema.safeParse(parse(text, problems, { allowTrailingComma: true }));
  const [broken] = problems;
  if (broken !== undefined) {
    warn(`${path} is skipped because it isn't valid JSON (near character ${broken.offset}).`);
    return {};
  }
  if (!parsed.success) {
    warn([`${path} is skipped:`, ...describeIssues(parsed.error)].join("\n"));
    return {};
  }
  const { packages, ...settings } = parsed.data;
  if (Array.isArray(packages) && packages.length > 0) {
    warn(
      `Setting "packages" of ${path} is ignored: packages are not installed here. Name their files in "extensions".`,
    );
  }
  return settings;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
