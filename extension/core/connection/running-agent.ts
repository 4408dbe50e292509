import type { AgentCommand } from "../../../agent/client/agent-process.ts";
import { AgentExited, RequestFailed } from "../../../agent/client/client-errors.ts";
import type { RpcListeners, RpcProblem } from "../../../agent/client/frame-client.ts";
import type { RpcClient } from "../../../agent/client/rpc-client.ts";
import { type StartedAgent, startAgent } from "../../../agent/client/start-agent.ts";
import type { SessionState } from "../../../agent/protocol/commands.ts";
import type { UiRequest } from "../../../agent/protocol/dialogs.ts";
import type { AgentEvent } from "../../../agent/protocol/events.ts";
import type { HostModelCancel, HostModelDefinition, HostModelRequest } from "../../../agent/protocol/host-models.ts";
import type { HostSecretRequest } from "../../../agent/protocol/host-secrets.ts";
import type { HostToolCall, HostToolCancel, HostToolDefinition } from "../../../agent/protocol/host-tools.ts";
import type { AgentMessage } from "../../../agent/protocol/messages.ts";
import { t } from "../../../webview/l10n.ts";
import type { AgentStatus } from "../../../webview/protocol/ui.ts";
import { FrameGate } from "./frame-gate.ts";
import { afterCrash, type CrashHistory, NO_CRASHES } from "./restart-policy.ts";

/** The status of the process: `idle` if it accepts commands, `crashed` also while it waits for a restart. */
export type ProcessStatus = Extract<AgentStatus, "stopped" | "starting" | "idle" | "stopping" | "crashed">;

/** The complete session as read from the agent. */
export interface SessionSnapshot {
  readonly state: SessionState;
  readonly messages: readonly AgentMessage[];
}

/** An observer of the agent. Frames of a replaced process never get here. */
export interface AgentObserver {
  processStatus(status: ProcessStatus): void;
  /** Called when a session was read: after a start, and after every `reload()`. Frames that came meanwhile follow. */
  session(snapshot: SessionSnapshot): void;
  event(event: AgentEvent): void;
  uiRequest(request: UiRequest): void;
  hostToolCall(call: HostToolCall): void;
  hostToolCancel(cancel: HostToolCancel): void;
  hostModelRequest(request: HostModelRequest): void;
  hostModelCancel(cancel: HostModelCancel): void;
  hostSecretRequest(request: HostSecretRequest): void;
  /** Called when the process exited or could not be started. `restartInMs` is absent when it is not restarted. */
  crashed(error: Error, restartInMs: number | undefined): void;
  /** Called when the connection to a process is closed, by whomever; its questions and calls can no longer be answered. */
  disconnected(): void;
  stderr(text: string): void;
  /** Called with each line of the wire before it is parsed, except for those of a replaced process. */
  wire(direction: "in" | "out", text: string): void;
  problem(problem: RpcProblem): void;
  /** Called when the agent refuses our tools or models. */
  refused(error: RequestFailed): void;
}

/** The host tools for the agent. `ownDefinitions` are those of Tiller itself, which are sent alone when all together are refused. */
export interface HostTools {
  readonly definitions: readonly HostToolDefinition[];
  readonly ownDefinitions: readonly HostToolDefinition[];
}

/** The editor's models for the agent. */
export interface BroughtModels {
  readonly provider: string;
  readonly definitions: readonly HostModelDefinition[];
}

interface RunningAgentOptions {
  /** Called at each start, so that settings, key and session file are up to date. */
  readonly launch: () => Promise<AgentCommand>;
  /** Read again whenever they are sent to the agent. */
  readonly hostTools: HostTools;
  /** Read again whenever they are sent to the agent. */
  readonly hostModels: BroughtModels;
  readonly observer: AgentObserver;
  /** Unix ms. */
  readonly now?: () => number;
}

/** The agent of a chat: started on first use, restarted after a crash, stopped with the chat. */
export class RunningAgent {
  readonly #options: Required<RunningAgentOptions>;
  #generation = 0;
  #started: StartedAgent | undefined;
  #starting: Promise<RpcClient> | undefined;
  #crashes: CrashHistory = NO_CRASHES;
  #startedAt = 0;
  #restartTimer: NodeJS.Timeout | undefined;
  #starter = new AbortController();
  #command: AgentCommand | undefined;
  /** The list that was last sent to the running agent, as JSON. */
  #sent = "";
  #lastFailure: { readonly error: Error; readonly at: number } | undefined;

  constructor(options: RunningAgentOptions) {
    this.#options = { now: Date.now, ...options };
  }

  /** The client of the running process, once it has said `ready`. */
  get client(): RpcClient | undefined {
    return this.#started?.client;
  }

  /** The client of the running or starting process; rejects when it cannot be started. */
  get coming(): Promise<RpcClient> | undefined {
    return this.#starting;
  }

  get pid(): number | undefined {
    return this.#started?.process.pid;
  }

  /** The version that the running agent reports. */
  get version(): string | undefined {
    return this.#started?.ready.version;
  }

  /** The command of the last start, if it got that far. */
  get command(): AgentCommand | undefined {
    return this.#command;
  }

  /** The reason of the last unexpected exit, and its time (Unix ms). */
  get lastFailure(): { readonly error: Error; readonly at: number } | undefined {
    return this.#lastFailure;
  }

  /**
   * Resolves to the client of the running agent; starts one if needed, or joins a start in progress. Rejects when it cannot be started;
   * `observer.crashed` has been called by then.
   */
  start(): Promise<RpcClient> {
    clearTimeout(this.#restartTimer);
    this.#starting ??= this.#boot();
    return this.#starting;
  }

  /** Stops the process, if any, and forgets past crashes. Resolves when it has exited. */
  async stop(): Promise<void> {
    clearTimeout(this.#restartTimer);
    this.#crashes = NO_CRASHES;
    const started = this.#started;
    const starting = this.#starting;
    this.#generation += 1;
    this.#started = undefined;
    this.#starting = undefined;
    this.#starter.abort();
    const { observer } = this.#options;
    observer.processStatus("stopping");
    // A cancelled start has already been reported to its callers.
    await Promise.all([started?.client.close(), starting?.catch(() => {})]);
    if (started !== undefined) observer.disconnected();
    if (this.#starting === undefined) observer.processStatus("stopped");
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Reads the session again and passes it to the observer, after another session has replaced it. */
  async reload(): Promise<void> {
    const client = await this.start();
    this.#options.observer.session(await readSession(client));
  }

  /** Sends a running agent the present tools, if they have changed. Rejects when the connection ends. */
  async lendTools(): Promise<void> {
    const { client } = this;
    const isNews = JSON.stringify(this.#options.hostTools.definitions) !== this.#sent;
    if (client !== undefined && isNews) await this.#sendHostTools(client);
  }

  /** Sends a running agent the present models. Rejects when the connection ends. */
  async bringModels(): Promise<void> {
    const { client } = this;
    if (client !== undefined) await this.#bring(client);
  }

  /** Sends the models; a custom agent may not support models of a host. */
  async #bring(client: RpcClient): Promise<void> {
    const { observer, hostModels } = this.#options;
    const { provider, definitions } = hostModels;
    try {
      await client.request("set_host_models", { provider, models: [...definitions] });
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      observer.refused(error);
    }
  }

  /** Tells the agent that we store secrets. An older agent stores them in a file. */
  async #offerSecrets(client: RpcClient): Promise<void> {
    try {
      await client.request("set_host_secrets", {});
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
    }
  }

  /** Sends the tools. An agent that refuses them can still do everything else, and one bad name among them must not cost all. */
  async #sendHostTools(client: RpcClient): Promise<void> {
    const { observer, hostTools } = this.#options;
    const { definitions, ownDefinitions } = hostTools;
    this.#sent = JSON.stringify(definitions);
    const send = async (tools: readonly HostToolDefinition[]): Promise<boolean> => {
      try {
        await client.request("set_host_tools", { tools: [...tools], recordsChanges: true });
        return true;
      } catch (error) {
        if (!(error instanceof RequestFailed)) throw error;
        observer.refused(error);
        return false;
      }
    };
    const areTaken = await send(definitions);
    if (!areTaken && definitions.length > ownDefinitions.length) await send(ownDefinitions);
  }

  async #boot(): Promise<RpcClient> {
    this.#generation += 1;
    const generation = this.#generation;
    const { observer } = this.#options;
    const isCurrent = () => generation === this.#generation;
    const gate = new FrameGate(isCurrent);
    this.#starter = new AbortController();
    this.#startedAt = this.#options.now();
    observer.processStatus("starting");
    try {
      const command = await this.#options.launch();
      this.#command = command;
      const started = await startAgent(command, this.#listeners(gate), {
        onStderr: (text) => observer.stderr(text),
        signal: this.#starter.signal,
      });
      if (!isCurrent()) {
        await started.client.close();
        throw new Error(t("The agent start was canceled."));
      }
      this.#started = started;
      await this.#introduce(started.client, gate);
      return started.client;
    } catch (error) {
      if (isCurrent()) this.#failed(error instanceof Error ? error : new Error(String(error)));
      throw error;
    }
  }

  async #introduce(client: RpcClient, gate: FrameGate): Promise<void> {
    const { observer } = this.#options;
    await this.#sendHostTools(client);
    // Models that are added later are sent then.
    if (this.#options.hostModels.definitions.length > 0) await this.#bring(client);
    await this.#offerSecrets(client);
    const snapshot = await readSession(client);
    gate.pass(() => observer.processStatus("idle"));
    gate.pass(() => observer.session(snapshot));
    gate.open();
  }

  #listeners(gate: FrameGate): RpcListeners {
    const { observer } = this.#options;
    return {
      wire: (direction, text) => gate.pass(() => observer.wire(direction, text)),
      event: (event) => gate.take(() => observer.event(event)),
      uiRequest: (request) => gate.take(() => observer.uiRequest(request)),
      hostToolCall: (call) => gate.take(() => observer.hostToolCall(call)),
      hostToolCancel: (cancel) => gate.take(() => observer.hostToolCancel(cancel)),
      hostModelRequest: (request) => gate.take(() => observer.hostModelRequest(request)),
      hostModelCancel: (cancel) => gate.take(() => observer.hostModelCancel(cancel)),
      hostSecretRequest: (request) => gate.take(() => observer.hostSecretRequest(request)),
      problem: (problem) => observer.problem(problem),
      // An exit during the start is reported by the start.
      closed: (reason) => gate.isOpen && gate.take(() => this.#failed(reason)),
    };
  }

  #failed(error: Error): void {
    const { observer, now } = this.#options;
    this.#lastFailure = { error, at: now() };
    this.#generation += 1;
    const started = this.#started;
    this.#started = undefined;
    this.#starting = undefined;
    if (started !== undefined) {
      void started.client.close();
      observer.disconnected();
    }
    observer.processStatus("crashed");
    observer.crashed(error, this.#scheduleRestart(error, now()));
  }

  #scheduleRestart(error: Error, now: number): number | undefined {
    // An agent that could not be started at all will not start a second later either.
    if (!(error instanceof AgentExited)) return undefined;
    const { history, delayMs } = afterCrash(this.#crashes, { startedAt: this.#startedAt, now });
    this.#crashes = history;
    if (delayMs === undefined) return undefined;
    // A failure of this start is reported through `crashed`.
    this.#restartTimer = setTimeout(() => this.start().catch(() => {}), delayMs);
    return delayMs;
  }
}

async function readSession(client: RpcClient): Promise<SessionSnapshot> {
  const [state, { messages }] = await Promise.all([
    client.request("get_state", { omit: ["systemPrompt", "dumpTools"] }),
    client.request("get_messages", {}),
  ]);
  return { state, messages };
}
