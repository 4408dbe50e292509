import { type Stats, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { type Approvals, createApprovals } from "../bundled/approvals/approvals.ts";
import type { ApprovalDialogs } from "../bundled/approvals/questions.ts";
import { CallRecording } from "../changes/call-recording.ts";
import type { HostRecording } from "../changes/host-recording.ts";
import { LateChanges } from "../changes/late-changes.ts";
import { UsageError } from "../config/args.ts";
import { hideVariables } from "../config/environment.ts";
import type { AgentOptions } from "../config/options.ts";
import { type Env, expandPath } from "../config/paths.ts";
import type { Settings } from "../config/settings.ts";
import type { BoundaryHooks } from "../extensions/boundary-hooks.ts";
import type { ProviderSlot } from "../extensions/providers/provider-slot.ts";
import type { SessionHooks } from "../extensions/session-hooks.ts";
import type { RunHooks, ToolGate } from "../loop/loop-host.ts";
import { RequestPrefix } from "../loop/request-prefix.ts";
import { RequestRepairs } from "../loop/request-repairs.ts";
import { SKILL_FILE } from "../prompt/resource-files.ts";
import { APP_NAME } from "../protocol/envelope.ts";
import { errorMessage } from "../protocol/errors.ts";
import type { Model } from "../protocol/model.ts";
import { createModelRegistry } from "../providers/registry.ts";
import { touchedPaths } from "../session/call-paths.ts";
import { chooseStart } from "../session/choose-model.ts";
import type { Conversation } from "../session/conversation.ts";
import { memoryOf } from "../session/memory.ts";
import { ModelSelection } from "../session/model-selection.ts";
import { Plan } from "../session/plan.ts";
import { recordChoices } from "../session/record-choices.ts";
import { recordedSession } from "../session/recorded-session.ts";
import { Session } from "../session/session.ts";
import type { SessionModes, SessionOptions } from "../session/session-options.ts";
import { ToolSet } from "../session/tool-set.ts";
import type { UserQuestions } from "../tools/ask-user.ts";
import { sessionShell } from "../tools/find-shell.ts";
import { builtinTools, DEFAULT_TOOL_NAMES } from "../tools/index.ts";
import type { PreviewedCommands } from "../tools/previewed-commands.ts";
import type { SessionProcesses } from "../tools/session-processes.ts";
import type { AnyTool } from "../tools/tool.ts";
import type { FindTools } from "../tools/tool-search.ts";
import { WITHOUT_TERMINAL } from "../tools/without-terminal.ts";
import { oneLine } from "../util/one-line.ts";
import { readTextSync } from "../util/read-text.ts";
import { secretsOfEnv } from "../util/secrets.ts";
import { EditorAddresses } from "./editor/editor-addresses.ts";
import { EditorLink } from "./editor/editor-link.ts";
import { runThrough } from "./editor/host-terminal.ts";
import { editThrough, openThrough, saveThrough } from "./editor/open-files.ts";
import { loadPreviews } from "./load/load-previews.ts";
import { type AgentSandbox, loadSandbox } from "./load/load-sandbox.ts";
import { readInstructionFiles } from "./read-instructions.ts";
import type { HostToolBridge } from "./wire/host-tools.ts";
import type { Output } from "./wire/output.ts";

/** Maximum time that the end of a run waits for its changes to be recorded, in milliseconds. */
const MAX_RECORDING_MS = 5_000;

interface SessionParts {
  options: AgentOptions;
  env: Env;
  cwd: string;
  agentDir: string;
  settings: Settings;
  output: Output;
  conversation: Conversation;
  processes: SessionProcesses;
  hooks?: RunHooks | undefined;
  boundaries?: BoundaryHooks | undefined;
  sessionHooks?: SessionHooks | undefined;
  hostTools: HostToolBridge;
  hostRecording: HostRecording;
  /** The host's interface for approvals; undefined until a host can be asked. */
  dialogs(): (ApprovalDialogs & UserQuestions) | undefined;
  /** Shows a warning in the chat. */
  warnUser(message: string): void;
  informUser(message: string): void;
  limits?: SessionOptions["limits"];
  /** Selects another model by `work`, and tells extensions about it. */
  changeModel: SessionOptions["changeModel"];
  /** Adds the judgment of calls before a gate. */
  gate(next: ToolGate): ToolGate;
  /** True while extensions may change the arguments of a call before it runs. */
  changesCalls(): boolean;
  skills: SessionOptions["skills"];
  /** Returns, once, what hooks want for a call. */
  takeWish?(toolCallId: string): "allow" | "ask" | undefined;
  /** The providers of extensions; they are added before a model is selected. */
  providers?: Pick<ProviderSlot, "bind" | "isInUse">;
  rules?: SessionOptions["rules"];
}

interface CreatedSession {
  session: Session;
  gate: Approvals;
  sandbox: AgentSandbox;
  previews: PreviewedCommands;
  changes: LateChanges;
}

/**
 * Puts the session together from the command line, the settings and the conversation that was opened.
 * @returns the approvals, too; they have to be put at the gate.
 */
export async function createSession(parts: SessionParts): Promise<CreatedSession> {
  const { options, settings, output, conversation } = parts;
  const modes = sessionModes(options, settings);
  const { registry, selection } = await selectModel(parts);
  const plan = new Plan(settings.tasks.todoClearDelay, (event) => output.emit(event));
  plan.restore(conversation);
  const link = new EditorLink({
    cwd: parts.cwd,
    isHostTool: (name) => tools.isHostTool(name),
    call: (...call) => parts.hostTools.ask(...call),
    warn,
  });
  const addresses = new EditorAddresses(link);
  const files = {
    open: openThrough(link, addresses),
    edit: editThrough(link, addresses),
    save: saveThrough(link, addresses),
  };
  const web = await loadWebTools(parts, () => selection.model);
  const memory = memoryOf(() => session.conversation);
  const user = { isAsked: () => modes.permission.mode === "plan", questions: parts.dialogs };
  const findTools: FindTools = (queries) => session.shelf.find(queries);
  const shellPath = sessionShell(settings.shellPath, parts.env);
  const own = { plan, memory, user, files, runCommand: runThrough(link), findTools, shellPath };
  const tools = toolSet(options, settings, () => [...builtinTools(own), ...web]);
  const folders = otherFolders(options, parts.cwd);
  const denyRead = [...settings.denyRead, ...options.denyRead];
  const sandbox = loadSandbox({
    settings: settings.sandbox,
    roots: [parts.cwd, ...folders],
    agentDir: parts.agentDir,
    env: parts.env,
    denyRead,
    warn: parts.warnUser,
    inform: parts.informUser,
    mayReach: (host) => gate.mayReach(host),
    mayOpen: (port, ended) => gate.mayOpen(port, ended),
  });
  const shell = {
    shellPath,
    commandPrefix: settings.shellCommandPrefix,
    timeoutSeconds: settings.shellTimeoutSeconds,
    processes: parts.processes,
  };
  const childEnv = { AI_AGENT: APP_NAME, PI_CODING_AGENT: "true", ...WITHOUT_TERMINAL, ...settings.shellEnv };
  const previews = loadPreviews({ cwd: parts.cwd, roots: [parts.cwd, ...folders], env: parts.env, shell, childEnv });
  const gate = createApprovals({
    dialogs: parts.dialogs,
    agentDir: parts.agentDir,
    cwd: parts.cwd,
    otherFolders: folders,
    shellPath,
    denyRead,
    sandbox,
    previews,
    asksForReadOnlyCommands: settings.askForReadOnlyCommands || options.askForReadOnlyCommands,
    advertised: () => advertisedTo(session),
    takeWish: (toolCallId) => parts.takeWish?.(toolCallId),
    mode: () => (modes.permission.isEnforced ? modes.permission.mode : "auto"),
    tool: (name) => tools.all().find((tool) => tool.name === name),
    isAddress: async (path) => (await addresses.find(parts.cwd, path)) !== undefined,
    useSandbox: () => {
      modes.permission = { mode: "sandboxed", isEnforced: true };
    },
    sessionId: () => session.conversation.id,
    secrets: () => [...registry.secrets(), ...secretsOfEnv(parts.env)],
    warn: parts.warnUser,
  });
  const changes = new LateChanges(async () => {
    const [{ AgentChanges }, { diskThrough }] = await Promise.all([
      import("../changes/agent-changes.ts"),
      import("./editor/editor-disk.ts"),
    ]);
    return new AgentChanges({
      folders: [parts.cwd, ...folders],
      disk: diskThrough(link),
      session: () => recordedSession(session.conversation),
      emit: (event) => void output.emit(event),
      warn,
    });
  });
  const recording = new CallRecording({
    cwd: parts.cwd,
    changes,
    isRecordedByHost: () => parts.hostRecording.isOn,
    onlyReads: (tool, args) => gate.onlyReads(tool, args),
    isDocument: async (call) => (await link.changedAddress(call)) !== undefined,
    namedPaths: (call) => touchedPaths(call, parts.cwd),
  });
  const session = new Session(
    {
      cwd: parts.cwd,
      settings,
      registry,
      selection,
      tools,
      plan,
      skills: parts.skills,
      rules: parts.rules,
      gate: addresses.gate(parts.gate(recording.gate(link.gate(async () => undefined)))),
      onlyReads: async (tool, args) => !parts.changesCalls() && gate.onlyReads(tool, args),
      hooks: parts.hooks === undefined ? undefined : recording.hooks(link.hooks(parts.hooks)),
      boundaries: parts.boundaries,
      changesRecorded: () => changes.idle(MAX_RECORDING_MS),
      sessionHooks: parts.sessionHooks,
      changeModel: parts.changeModel,
      emit(event) {
        if (event.type === "agent_settled") {
          recording.clear();
          void changes.endRun();
        }
        return output.emit(event);
      },
      ready: () => output.ready(),
      repairs: new RequestRepairs(),
      prefix: new RequestPrefix(),
      warn: parts.warnUser,
      titleModel: options.titleModel,
      prompt: {
        cwd: parts.cwd,
        custom: options.systemPrompt === undefined ? undefined : textOrFile(options.systemPrompt, parts.cwd),
        appended: options.appendSystemPrompts.map((text) => textOrFile(text, parts.cwd)),
      },
      instructions: await readInstructionFiles(parts),
      isHeadless: options.isHeadless,
      limits: parts.limits,
      leavesOut: (folder) => gate.leavesOut(folder),
      sandbox,
      mayRunOutside: (call, why, signal) => gate.mayRunOutside(call, why, signal),
      applyPreview: (previewId) => previews.applyForCall(previewId),
      shell,
      childEnv,
    },
    conversation,
    modes,
  );
  if (options.name !== undefined) conversation.setName(oneLine(options.name));
  return { session, gate, sandbox, previews, changes };
}

async function selectModel({ options, env, agentDir, settings, conversation, providers }: SessionParts) {
  const isDemoNamed = [options.provider, options.model, ...options.modelScope, settings.defaultProvider].some(isDemo);
  const registry = await createModelRegistry({
    agentDir,
    env,
    enableDemo: isDemoNamed,
    apiKeyOverride: options.apiKey,
    named: namedModels(options, settings),
    hostProvider: options.hostProvider,
    needsAll: providers?.isInUse,
    warn,
    hideVariables: (names) => void hideVariables(names),
  });
  providers?.bind(registry);
  const isReady = registry.available().some(({ provider }) => !registry.isPresumed(provider));
  if (options.usesDemo && !isReady) registry.addDemo();
  const restored = conversation.choices();
  const start = chooseStart({ options, settings, registry, restored, warn });
  const selection = new ModelSelection(registry, start.wish, start.scope);
  if (start.model !== undefined) selection.choose(start.model);
  const isSame = restored.model?.provider === start.model?.provider && restored.model?.modelId === start.model?.id;
  if (!isSame || restored.thinkingLevel !== selection.thinkingLevel) recordChoices(conversation, selection);
  return { registry, selection };
}

/** Returns the web tools. Their code is loaded only if the settings enable one. */
async function loadWebTools(
  { options, settings, env }: SessionParts,
  model: () => Model | undefined,
): Promise<AnyTool[]> {
  const { fetch, search } = settings.web;
  if (options.isOffline || (!fetch && search === undefined)) return [];
  const [{ webTools }, { VERSION }] = await Promise.all([import("../web/web-tools.ts"), import("../util/version.ts")]);
  return webTools({
    settings: settings.web,
    env,
    model,
    userAgent: `${APP_NAME}/${VERSION}`,
    hideVariables: (names) => void hideVariables(names),
  });
}

/** Returns the providers and patterns of models that the user gave. */
function namedModels(options: AgentOptions, { fallbackModels, summaryModel }: Settings): string[] {
  const { provider, model, modelScope, titleModel } = options;
  return [provider, model, titleModel, summaryModel, ...modelScope, ...fallbackModels].filter(
    (name) => name !== undefined,
  );
}

function sessionModes(options: AgentOptions, settings: Settings): SessionModes {
  return {
    interrupt: settings.interruptMode,
    isAutoRetryOn: settings.retry.enabled,
    isAutoCompactionOn: settings.compaction.enabled,
    permission: { mode: options.permissionMode ?? "auto", isEnforced: options.permissionMode !== undefined },
    locale: options.locale || undefined,
  };
}

function toolSet({ tools }: AgentOptions, settings: Settings, builtin: () => AnyTool[]): ToolSet {
  const own = tools.useNone || !tools.useBuiltins ? [] : builtin();
  return new ToolSet(own, {
    patterns: tools.patterns,
    exclude: tools.exclude,
    defaults: settings.defaultTools ?? DEFAULT_TOOL_NAMES,
  });
}

/** The additional folders. A missing folder may be created later, so it counts and is reported. */
function otherFolders(options: AgentOptions, cwd: string): string[] {
  const paths = options.otherFolders.map((path) => expandPath(path, cwd));
  for (const path of paths) {
    const stats = statsOf(path);
    if (stats === undefined) warn(`--add-dir: ${path} does not exist.`);
    else if (!stats.isDirectory()) warn(`--add-dir: ${path} is not a folder.`);
  }
  return paths;
}

/**
 * Returns the paths in the model's instructions: files with instructions, and each skill's folder, or its only file.
 */
function advertisedTo({ options: { instructions, skills } }: Session): string[] {
  const ofSkills = skills.current.map(({ path }) => (basename(path) === SKILL_FILE ? dirname(path) : path));
  return [...[...instructions.always, ...instructions.described].map(({ path }) => path), ...ofSkills];
}

/** The demo model is available only on request, because it isn't a language model. */
function isDemo(name: string | undefined): boolean {
  return name === "demo" || name?.startsWith("demo/") === true;
}

function textOrFile(value: string, cwd: string): string {
  const path = expandPath(value, cwd);
  if (statsOf(path)?.isFile() !== true) return value;
  try {
    return readTextSync(path);
  } catch (error) {
    throw new UsageError(`Error: Couldn't read the system prompt from ${path}: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // longer than a path may be, with characters that none has, or a link that leads back to itself
  }
}

function warn(message: string): void {
  console.error(message);
}
