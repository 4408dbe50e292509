import { fileURLToPath } from "node:url";
import type { CommandInput } from "../protocol/commands.ts";
import type { ReadyFrame } from "../protocol/envelope.ts";
import type { AgentEvent, AgentEventType } from "../protocol/events.ts";
import type { AgentCommand } from "./agent-process.ts";
import { type AgentExited, ConnectionClosed, RequestTimeout } from "./client-errors.ts";
import { type CallOptions, type CommandMethods, commandMethods } from "./command-methods.ts";
import { type CustomModel, CustomModels, modelDefinition } from "./custom-models.ts";
import { type CustomTool, CustomTools, toolDefinition } from "./custom-tools.ts";
import { DialogAnswers, type DialogCallbacks, isDialog, type UiNotice } from "./dialog-answers.ts";
import { EventHub, type EventOf } from "./event-hub.ts";
import type { RpcListeners, RpcProblem } from "./frame-client.ts";
import { type RunResult, RunWatch } from "./run-watch.ts";
import { type StartedAgent, startAgent } from "./start-agent.ts";

/** Options of a client. All are optional. */
export interface TillerOptions {
  /** The program and what stands before the flags; default is the agent of this package under the Node that runs the host. */
  readonly command?: { readonly file: string; readonly args?: readonly string[] };
  /** Flags behind `--mode rpc --rpc-stream delta`, such as `["--no-session"]`. */
  readonly args?: readonly string[];
  /** The folder that the agent works in; default is the current one. */
  readonly cwd?: string;
  /** Default is the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly dialogs?: DialogCallbacks;
  readonly onNotice?: (notice: UiNotice) => void;
  /** Events from the first on; `TillerClient.listen` and `events` begin later. */
  readonly onEvent?: (event: AgentEvent) => void;
  readonly onStderr?: (text: string) => void;
  /** A frame could not be read, or a function of the host threw. The connection goes on. */
  readonly onProblem?: (problem: RpcProblem) => void;
  /** Default 30 s. */
  readonly readyTimeoutMs?: number;
  /** The time limit of each step of stopping; default 2 s. */
  readonly stopGraceMs?: number;
  /** Breaks off the start; has no effect later. */
  readonly signal?: AbortSignal;
}

/** An agent of this host: commands, events, host tools and dialogs. Made by `startTiller`; ended by `stop`. */
export class TillerClient {
  /** One function for each command. */
  readonly commands: CommandMethods;
  readonly ready: ReadyFrame;
  /** Resolves to the reason when the connection is over: `ConnectionClosed` after `stop`, else `AgentExited`. Never rejects. */
  readonly closed: Promise<ConnectionClosed | AgentExited>;
  readonly #started: StartedAgent;
  readonly #parts: Parts;

  /** Use `startTiller`. */
  constructor(started: StartedAgent, parts: Parts) {
    this.#started = started;
    this.#parts = parts;
    this.ready = started.ready;
    this.closed = parts.closed;
    this.commands = commandMethods(started.client);
  }

  get pid(): number {
    return this.#started.process.pid;
  }

  /** Listens to one type of event. @returns what takes the listener off again. */
  on<T extends AgentEventType>(type: T, listener: (event: EventOf<T>) => void): () => void {
    return this.#parts.hub.on(type, listener);
  }

  /** Listens to all events. @returns what takes the listener off again. */
  listen(listener: (event: AgentEvent) => void): () => void {
    return this.#parts.hub.listen(listener);
  }

  /**
   * The events from this call on, for `for await`. Ends when `stop` is called, `signal` aborts or the loop is left; throws `AgentExited`
   * when the agent ended by itself, and `EventsUnread` when 100,000 events have not been fetched.
   */
  events(signal?: AbortSignal): AsyncIterableIterator<AgentEvent> {
    return this.#parts.hub.iterate(signal);
  }

  /** Sends a command that this client does not know, and resolves to its data as it comes. Rejects like the functions in `commands`. */
  request(type: string, fields: object = {}, options: CallOptions = {}): Promise<unknown> {
    return this.#started.client.requestUnknown(type, fields, options);
  }

  /** Registers these tools for the model and replaces all earlier ones. Rejects with `RequestFailed`, and changes nothing, if one is refused. */
  async setCustomTools(tools: readonly CustomTool[], options: CallOptions = {}): Promise<void> {
    await this.#started.client.request(
      "set_host_tools",
      { tools: tools.map(toolDefinition) },
      // No call for a tool can come before this, and none is answered by the wrong set.
      { ...options, onAnswer: () => this.#parts.tools.replace(tools) },
    );
  }

  /**
   * Brings these models, of a provider with this name, in place of all that were brought before. Rejects with `RequestFailed`, and changes
   * nothing, if the name or a model is refused.
   */
  async setCustomModels(provider: string, models: readonly CustomModel[], options: CallOptions = {}): Promise<void> {
    await this.#started.client.request(
      "set_host_models",
      { provider, models: models.map(modelDefinition) },
      { ...options, onAnswer: () => this.#parts.models.replace(models) },
    );
  }

  /**
   * Sends a prompt and resolves when its run is over, whichever way it ended. Rejects like the functions in `commands` when the
   * prompt is refused or the connection ends. Aborting or timing out stops the waiting, not the run.
   */
  promptAndWait(prompt: string | CommandInput<"prompt">, options: CallOptions = {}): Promise<RunResult> {
    const fields = typeof prompt === "string" ? { message: prompt } : prompt;
    return this.#wait("prompt", options, (resolve, reject) => {
      const watch = new RunWatch(resolve);
      const off = this.#parts.hub.listen((event) => watch.take(event));
      const onAnswer = ({ disposition }: { disposition: RunResult["disposition"] }) => watch.accept(disposition);
      this.#started.client.request("prompt", fields, { onAnswer }).catch(reject);
      return off;
    });
  }

  /** Resolves when no run and no compaction is going on, perhaps at once. Rejects when the connection ends. */
  waitForIdle(options: CallOptions = {}): Promise<void> {
    return this.#wait("get_state", options, (resolve, reject) => {
      const look = () => {
        const omit = ["systemPrompt", "dumpTools"];
        const answer = this.#started.client.request("get_state", { omit }, { onAnswer: decide });
        answer.catch(reject);
      };
      let isBusy = false;
      const decide = (state: { isStreaming: boolean; isCompacting: boolean }) => {
        isBusy = state.isStreaming || state.isCompacting;
        if (!isBusy) resolve();
      };
      const off = this.#parts.hub.listen(({ type }) => {
        if (!isBusy || (type !== "agent_settled" && type !== "compaction_end")) return;
        isBusy = false;
        look();
      });
      look();
      return off;
    });
  }

  /**
   * Ends the agent: stdin is closed, then SIGTERM, then SIGKILL. Resolves when it is gone. Every call that waits rejects with
   * `ConnectionClosed`.
   */
  stop(): Promise<void> {
    this.#parts.ending.abort(new ConnectionClosed());
    return this.#started.client.close();
  }

  /** A promise that also settles when the connection ends, the time is up or the signal aborts. */
  #wait<T>(
    what: string,
    { timeoutMs, signal }: CallOptions,
    begin: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void,
  ): Promise<T> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const end = new AbortController();
    const outcome = new Promise<T>((resolve, reject) => {
      const off = begin(resolve, reject);
      end.signal.addEventListener("abort", off, { once: true });
      const ended = this.#parts.ending.signal;
      if (ended.aborted) reject(ended.reason);
      ended.addEventListener("abort", () => reject(ended.reason), { once: true, signal: end.signal });
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true, signal: end.signal });
      if (timeoutMs === undefined) return;
      const timer = setTimeout(() => reject(new RequestTimeout(what, timeoutMs)), timeoutMs);
      end.signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
    });
    return outcome.finally(() => end.abort());
  }
}

interface Parts {
  readonly hub: EventHub;
  readonly tools: CustomTools;
  readonly models: CustomModels;
  readonly closed: Promise<ConnectionClosed | AgentExited>;
  /** Aborted with the reason when the connection ends, or is about to. */
  readonly ending: AbortController;
}

/**
 * Starts an agent and resolves when it has said `ready`. Rejects with `AgentNotStarted`, `AgentExited` or the reason of `signal`;
 * in each case nothing is left running.
 */
export async function startTiller(options: TillerOptions = {}): Promise<TillerClient> {
  const report = (problem: RpcProblem) => options.onProblem?.(problem);
  const hub = new EventHub((error, { type }) => report({ kind: "listenerThrew", frameType: type, error }));
  if (options.onEvent !== undefined) hub.listen(options.onEvent);
  // Dialogs and calls can arrive together with `ready`, before the caller has the client.
  const whenConnected = (use: (started: StartedAgent) => void) => void starting.then(use, () => {});
  const tools = new CustomTools((frame) => whenConnected(({ client }) => client.send(frame)));
  const models = new CustomModels();
  const dialogs = new DialogAnswers(
    options.dialogs ?? {},
    (id, answer) => whenConnected(({ client }) => client.answer(id, answer)),
    (error) => report({ kind: "listenerThrew", frameType: "extension_ui_request", error }),
  );
  const ending = new AbortController();
  let onClosed: (reason: ConnectionClosed | AgentExited) => void = () => {};
  const closed = new Promise<ConnectionClosed | AgentExited>((resolve) => {
    onClosed = resolve;
  });
  const listeners: RpcListeners = {
    event: (event) => hub.emit(event),
    uiRequest: (request) => {
      if (isDialog(request)) void dialogs.ask(request);
      else if (request.method === "cancel") dialogs.withdraw(request.targetId);
      else options.onNotice?.(request);
    },
    hostToolCall: (call) => void tools.run(call),
    hostToolCancel: ({ targetId }) => tools.cancel(targetId),
    hostModelRequest: (request) =>
      void models.run(request, (frame) => whenConnected(({ client }) => client.send(frame))),
    hostModelCancel: ({ targetId }) => models.cancel(targetId),
    problem: report,
    closed: (reason) => {
      tools.cancelAll();
      models.cancelAll();
      dialogs.withdrawAll();
      hub.close(reason);
      ending.abort(reason);
      onClosed(reason);
    },
  };
  const starting = startAgent(agentCommand(options), listeners, options);
  return new TillerClient(await starting, { hub, tools, models, closed, ending });
}

function agentCommand({ command, args = [], cwd = process.cwd(), env = process.env }: TillerOptions): AgentCommand {
  const { file, args: before = [] } = command ?? { file: process.execPath, args: [packagedAgent()] };
  return { file, args: [...before, "--mode", "rpc", "--rpc-stream", "delta", ...args], cwd, env };
}

/** The agent beside this file in the built package. */
function packagedAgent(): string {
  return fileURLToPath(new URL("../agent/cli.js", import.meta.url));
}
