import type { Approvals } from "../bundled/approvals/approvals.ts";
import type { HostRecording } from "../changes/host-recording.ts";
import { createBoundaryHooks } from "../extensions/boundary-hooks.ts";
import { createBundledGate } from "../extensions/bundled-gate.ts";
import { createRunHooks } from "../extensions/run-hooks.ts";
import { createSessionHooks } from "../extensions/session-hooks.ts";
import { expandMessage, isCall } from "../prompt/expand-message.ts";
import { warnOnce } from "../prompt/resource-files.ts";
import { rulePlaces } from "../prompt/resource-places.ts";
import { createRuleSource, type RuleSource } from "../prompt/rule-source.ts";
import { errorMessage } from "../protocol/errors.ts";
import { BashRunner } from "../session/bash-runner.ts";
import { sessionFolder } from "../session/locate.ts";
import { openWhenFree } from "../session/lock.ts";
import { createSessions, openConversation, type SessionPlace } from "../session/open.ts";
import type { Session } from "../session/session.ts";
import { backgroundTools } from "../tools/background-tools.ts";
import type { SessionProcesses } from "../tools/session-processes.ts";
import { createSession } from "./create-session.ts";
import type { AgentSandbox } from "./load/load-sandbox.ts";
import type { Prepared } from "./load/prepare.ts";
import { loadForSession } from "./load-installed.ts";
import { createCommandList } from "./services/command-list.ts";
import { createResources } from "./services/create-resources.ts";
import { HeldPrompts } from "./services/held-prompts.ts";
import { InputHooks } from "./services/input-hooks.ts";
import { MessageTexts } from "./services/message-texts.ts";
import type { Services } from "./services/services.ts";
import { SessionScope } from "./services/session-scope.ts";
import { tellSelection } from "./session-change/tell-selection.ts";
import { Lanes } from "./wire/lanes.ts";
import type { Output } from "./wire/output.ts";

/**
 * Opens the session and makes the parts that handlers work with.
 * @throws AgentError when the session cannot be opened.
 */
export async function createServices(prepared: Prepared): Promise<Services> {
  const { rpc, agentDir, settings, output, hostTools, hostModels, hostSecrets, warn } = prepared;
  const { options, env, cwd } = rpc;
  const extensions = prepared.extensions.runner;
  const place: SessionPlace = {
    cwd,
    folder: sessionFolder({ agentDir, cwd, sessionDir: options.sessionDir ?? settings.sessionDir }),
    onWriteError: (error) => reportWriteError(output, error),
    warn,
  };
  const sessions = createSessions(place, options.session.kind !== "memory");
  const conversation = await openWhenFree(() => openConversation(options.session, sessions, place));
  const resources = await createResources({ options, settings, agentDir, cwd, warn });
  const hostRecording: HostRecording = { isOn: false };
  const { session, gate, sandbox, previews, changes } = await createSession({
    options,
    env,
    cwd,
    agentDir,
    settings,
    output,
    conversation,
    processes: rpc.processes,
    hooks: createRunHooks(extensions),
    boundaries: createBoundaryHooks(extensions),
    sessionHooks: createSessionHooks(extensions),
    hostTools,
    hostRecording,
    dialogs: () => (options.isHeadless ? undefined : extensions.ui),
    limits: rpc.limits,
    informUser: (message) => prepared.dialogs.tell({ method: "notify", message, notifyType: "info" }),
    warnUser: (message) => prepared.dialogs.tell({ method: "notify", message, notifyType: "warning" }),
    changeModel: (work) => tellSelection({ session, extensions }, "set", work),
    gate: (next) => createBundledGate(extensions, next),
    takeWish: (toolCallId) => prepared.extensions.takeWish(toolCallId),
    changesCalls: () => extensions.handles("tool_call", "installed"),
    skills: resources.skills,
    providers: extensions.providers,
    rules: options.useRules ? createRules(prepared) : undefined,
  });
  await extensions.addBundled("approvals", gate.extension); // behind all others: it judges what will run
  const bash = createBashRunner(prepared, { session, gate, sandbox });
  followBackground(session, output, rpc.processes, sandbox);
  const commands = createCommandList(extensions, resources, prepared.extensions.mcp);
  const lanes = new Lanes();
  const own = { inputs: new InputHooks(extensions), scope: new SessionScope(), ending: new AbortController() };
  const held = new HeldPrompts({ session, lanes, emit: (event) => output.emit(event) });
  const texts = new MessageTexts(isCall, (text) =>
    expandMessage(text, { ...resources, onUnreadable: (path, error) => reportUnreadableSkill(output, path, error) }),
  );
  const services: Services = {
    session,
    bash,
    processes: rpc.processes,
    hostTools,
    hostModels,
    hostSecrets,
    gate,
    sandbox,
    previews,
    changes,
    hostRecording,
    consents: prepared.consents,
    output,
    sessions,
    held,
    resources,
    commands,
    texts,
    lanes,
    extensions,
    mcp: prepared.extensions.mcp,
    ...own,
    agentDir,
    loadForSession: () => loadForSession(prepared, services),
  };
  return services;
}

interface ShellParts {
  session: Session;
  gate: Approvals;
  sandbox: AgentSandbox;
}

/** The host's shell; extensions may run its commands elsewhere. */
function createBashRunner(
  { rpc, output, settings, extensions: { runner } }: Prepared,
  { session, gate, sandbox }: ShellParts,
): BashRunner {
  const { cwd, childEnv } = rpc;
  const { shell, childEnv: ownEnv } = session.options;
  return new BashRunner({
    cwd,
    shell,
    env: () => ({ ...childEnv, ...ownEnv }),
    onUpdate: (id, delta) => output.emit({ type: "bash_execution_update", ...(id === undefined ? {} : { id }), delta }),
    ready: () => output.ready(),
    async divert(request, signal) {
      if (!runner.handles("user_bash")) return undefined;
      const { divertBash } = await import("./user-bash.ts");
      return divertBash(runner, request, cwd, signal);
    },
    async contain({ command }, signal) {
      if (!settings.sandbox.userCommands) return undefined;
      const problem = await sandbox.problem();
      if (problem !== undefined) {
        const reason = problem.replace(/\.?$/, ".");
        throw new Error(
          `Commands can't run in a sandbox here: ${reason} To run yours without it, turn off sandbox.userCommands.`,
        );
      }
      await gate.noteUserCommand(command, signal);
      return sandbox.contain({ isReadOnly: false });
    },
  });
}

/** Tells the host what runs in the background, and the model of the tools for it once there is something. */
function followBackground(
  session: Session,
  output: Output,
  { background }: SessionProcesses,
  sandbox: AgentSandbox,
): void {
  const tools = backgroundTools(background, () => sandbox.takeOpened());
  background.onChange(() => {
    const processes = background.running;
    if (processes.length > 0) session.options.tools.addCompanions(tools, "bash");
    void output.emit({ type: "background_changed", processes });
  });
}

/** Creates the rules for the model's output, which are read when a run begins. */
function createRules({ rpc, agentDir, output, warn }: Prepared): RuleSource {
  return createRuleSource({
    places: rulePlaces({ agentDir, cwd: rpc.cwd }),
    warn: warnOnce(warn),
    report(path, problem) {
      warn(`${path}: ${problem}`);
      void output.emit({ type: "extension_error", extensionPath: path, event: "stream_rule", error: problem });
    },
  });
}

function reportWriteError(output: Output, error: unknown): void {
  const text = errorMessage(error);
  console.error(`Couldn't write the session: ${text}`);
  void output.emit({ type: "extension_error", extensionPath: "<runtime>", event: "session_write", error: text });
}

function reportUnreadableSkill(output: Output, path: string, error: string): void {
  void output.emit({ type: "extension_error", extensionPath: path, event: "skill_expansion", error });
}
