import type { AgentCommand } from "../agent/client/agent-process.ts";
import { AgentExited, AgentNotStarted } from "../agent/client/client-errors.ts";
import type { CommandInput, CommandResult, CommandType, SessionState } from "../agent/protocol/commands.ts";
import type { UiRequest } from "../agent/protocol/dialogs.ts";
import { errorMessage } from "../agent/protocol/errors.ts";
import type { ControlFrame } from "../agent/protocol/frames.ts";
import type { HostToolCall, HostToolDefinition } from "../agent/protocol/host-tools.ts";
import type { AgentStatus } from "../webview/protocol.ts";
import { type Answer, type Question, QuestionQueue, wireAnswer } from "./connection/question-queue.ts";
import { type AgentObserver, RunningAgent, type SessionSnapshot } from "./connection/running-agent.ts";
import { describeSession, STATUS_OF_PROCESS } from "./session-ui.ts";
import type { TranscriptStore } from "./transcript-store.ts";

const STOP_TIMEOUT_MS = 20_000;

/** Where the log goes. Never gets text of the conversation. */
export interface ChatLog {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** What the conversation needs from the editor. */
export interface ChatPorts {
  readonly launch: () => Promise<AgentCommand>;
  /** Why no agent may start here, if so. */
  readonly blockedBy: () => "untrusted" | "noFolder" | undefined;
  readonly hostTools: {
    readonly definitions: readonly HostToolDefinition[];
    call(call: HostToolCall, send: (frame: ControlFrame) => void): Promise<void>;
    cancel(callId: string): void;
    cancelAll(): void;
  };
  readonly present: (question: Question, signal: AbortSignal) => Promise<Answer | undefined>;
  /** The pending questions have become more or fewer. */
  readonly questionsChanged: (pending: readonly Question[]) => void;
  /** Requests without an answer, after the transcript has seen them. */
  readonly tell: (request: UiRequest) => void;
  /** Puts text into the composer, behind what is there. */
  readonly giveBack: (text: string) => void;
  readonly rememberSession: (file: string | undefined) => void;
  readonly log: ChatLog;
}

/** One conversation with one agent: what the panel and the commands do goes through here. */
export class Chat {
  readonly transcript: TranscriptStore;
  readonly agent: RunningAgent;
  readonly questions: QuestionQueue;
  readonly #ports: ChatPorts;
  #sessionId: string | undefined;
  #hasCrashed = false;

  constructor(transcript: TranscriptStore, ports: ChatPorts) {
    this.transcript = transcript;
    this.#ports = ports;
    this.questions = new QuestionQueue({
      present: ports.present,
      changed: (question) => this.#questionChanged(question),
      reply: (id, answer) => this.agent.client?.answer(id, wireAnswer(answer)),
      failed: (question, error) =>
        ports.log.error(`A ${question.request.method} dialog failed: ${errorMessage(error)}`),
    });
    this.agent = new RunningAgent({
      launch: ports.launch,
      hostTools: ports.hostTools.definitions,
      observer: this.#observer(),
    });
  }

  /** Nothing has been said yet, and nothing is going on. */
  get isUntouched(): boolean {
    return this.transcript.isEmpty && this.transcript.ui.status === "idle";
  }

  /** Starts the agent when it may start here; else shows why not. A failure is shown in the conversation. */
  wake(): void {
    const blockedBy = this.#ports.blockedBy();
    if (blockedBy !== undefined) {
      this.#setStatus(blockedBy);
      return;
    }
    // The observer has shown it by then.
    this.agent.start().catch(() => {});
  }

  /** Asks the agent, which is started when there is none. Rejects as `RpcClient.request` does. */
  async request<C extends CommandType>(type: C, params: CommandInput<C>): Promise<CommandResult<C>> {
    const blockedBy = this.#ports.blockedBy();
    if (blockedBy !== undefined) {
      this.#setStatus(blockedBy);
      throw new Error(BLOCKED_TEXTS[blockedBy]);
    }
    const client = await this.agent.start();
    return client.request(type, params);
  }

  /** Sends what the user typed; a text that the agent refuses goes back into the composer. */
  async send(text: string, whileRunning: "steer" | "followUp"): Promise<void> {
    try {
      await this.request("prompt", { message: text, streamingBehavior: whileRunning });
    } catch (error) {
      this.#ports.giveBack(text);
      if (!isShownAsCrash(error)) this.#notifyFailure("The message was not sent.", error);
    }
  }

  /** Ends the run; queued messages stay queued. */
  async stop(): Promise<void> {
    const { client } = this.agent;
    if (client === undefined || this.transcript.ui.status !== "running") return;
    this.#setStatus("stopping");
    try {
      await client.request("abort", {}, { timeoutMs: STOP_TIMEOUT_MS });
      await this.refresh();
    } catch (error) {
      if (!(error instanceof AgentExited))
        this.#notifyFailure("The run could not be stopped. Restart the agent.", error);
    }
  }

  /** Takes the queued messages back into the composer. */
  async clearQueue(): Promise<void> {
    try {
      const { steering, followUp } = await this.request("clear_queue", {});
      this.#giveBackAll([...steering, ...followUp]);
    } catch (error) {
      if (!isShownAsCrash(error)) this.#notifyFailure("The queued messages could not be taken back.", error);
    }
  }

  /** Starts over with an empty conversation, also when the agent could not be started with the old one. */
  async newSession(): Promise<void> {
    try {
      if (this.agent.client === undefined) {
        this.#ports.rememberSession(undefined);
        this.#sessionId = undefined;
        await this.request("get_state", {});
        return;
      }
      const { cancelled } = await this.request("new_session", {});
      if (!cancelled) await this.agent.reload();
    } catch (error) {
      if (!isShownAsCrash(error)) this.#notifyFailure("No new session could be started.", error);
    }
  }

  /** Reads the agent's state again, after something that no event tells of. */
  async refresh(): Promise<void> {
    this.#showState(await this.request("get_state", { omit: ["systemPrompt", "dumpTools"] }));
  }

  /** Starts the agent anew with the same session. Failures are shown in the conversation. */
  async restart(): Promise<void> {
    if (this.#ports.blockedBy() !== undefined) return this.wake();
    // The observer has shown it by then.
    await this.agent.restart().catch(() => {});
  }

  /** Ends the agent; resolves when its process is gone. */
  async dispose(): Promise<void> {
    this.transcript.dispose();
    await this.agent.stop();
  }

  #observer(): AgentObserver {
    const { log, hostTools } = this.#ports;
    return {
      processState: (state) => {
        log.info(`agent: ${state}`);
        const status = STATUS_OF_PROCESS[state];
        if (status !== undefined) this.#setStatus(status);
      },
      session: (snapshot) => this.#showSession(snapshot),
      event: (event) => {
        this.transcript.dispatch(event);
        if (event.type === "todo_auto_clear") void this.#readPlan();
      },
      uiRequest: (request) => this.#uiRequest(request),
      hostToolCall: (call) => {
        const { client } = this.agent;
        void hostTools.call(call, (frame) => client?.send(frame));
      },
      hostToolCancel: (cancel) => hostTools.cancel(cancel.targetId),
      crashed: (error, restartInMs) => this.#crashed(error, restartInMs),
      disconnected: () => {
        const { steering, followUp } = this.transcript.ui;
        this.#giveBackAll([...steering, ...followUp]);
        this.questions.withdrawAll();
        hostTools.cancelAll();
      },
      stderr: (text) => log.info(`agent stderr: ${text.trimEnd()}`),
      problem: ({ kind, frameType, error }) => {
        const what = `${kind} ${frameType ?? ""}`.trim();
        if (kind === "unknownFrame") log.debug(`agent: ${what}`);
        else log.warn(`agent: ${what} ${error === undefined ? "" : errorMessage(error)}`.trim());
      },
      refused: (error) => log.warn(`agent: ${error.message}`),
    };
  }

  #showSession({ state, messages }: SessionSnapshot): void {
    this.#ports.rememberSession(state.sessionFile);
    const isSame = this.#sessionId === state.sessionId;
    const isLost = !isSame && this.#hasCrashed && this.#sessionId !== undefined;
    this.#sessionId = state.sessionId;
    this.#hasCrashed = false;
    // After a crash the same session goes on: what the page shows, the end of it too, is more than the file holds.
    if (!isSame) this.transcript.reset(messages);
    if (isLost) this.transcript.dispatch({ type: "host_notice", level: "warning", text: SESSION_LOST });
    this.transcript.dispatch({ type: "host_ui", ui: { steering: [], followUp: [] } });
    this.#showState(state);
  }

  #showState(state: SessionState): void {
    this.transcript.dispatch({ type: "host_ui", ui: describeSession(state) });
    this.#setStatus(state.isStreaming ? "running" : "idle");
  }

  /** The event that steps have left the plan does not tell which. */
  async #readPlan(): Promise<void> {
    try {
      const state = await this.agent.client?.request("get_state", { omit: ["systemPrompt", "dumpTools"] });
      if (state) this.transcript.dispatch({ type: "host_ui", ui: { plan: describeSession(state).plan } });
    } catch (error) {
      this.#ports.log.warn(`agent: the plan could not be read: ${errorMessage(error)}`);
    }
  }

  #uiRequest(request: UiRequest): void {
    this.transcript.dispatch(request);
    switch (request.method) {
      case "select":
      case "confirm":
      case "input":
      case "editor":
        this.questions.add(request);
        break;
      case "cancel":
        this.questions.withdraw(request.targetId);
        break;
      default:
        this.#ports.tell(request);
    }
  }

  #questionChanged({ request, state, answer }: Question): void {
    if (state !== "pending") {
      const shown = answer === undefined ? {} : { answer };
      this.transcript.dispatch({ type: "host_dialog_settled", requestId: request.id, state, ...shown });
    }
    this.#ports.questionsChanged(this.questions.pending);
  }

  #crashed(error: Error, restartInMs: number | undefined): void {
    this.#hasCrashed = true;
    this.#ports.log.error(`agent: ${error.message}`);
    const seconds = restartInMs === undefined ? undefined : Math.round(restartInMs / 1000);
    const next = seconds === undefined ? "It is not started again by itself." : `It is started again in ${seconds} s.`;
    const detail = error instanceof AgentExited ? error.stderrTail.trim() : "";
    const what = /[.!?]$/.test(error.message) ? error.message : `${error.message}.`;
    this.transcript.dispatch({ type: "host_crashed", text: `${what} ${next}`, detail });
  }

  #notifyFailure(text: string, error: unknown): void {
    const [reason = "", ...more] = errorMessage(error).split("\n");
    const detail = more.join("\n").trim();
    this.transcript.dispatch({ type: "host_notice", level: "error", text: `${text} ${reason}`, detail });
  }

  #giveBackAll(texts: readonly string[]): void {
    if (texts.length > 0) this.#ports.giveBack(texts.join("\n\n"));
  }

  #setStatus(status: AgentStatus): void {
    this.transcript.dispatch({ type: "host_status", status });
  }
}

/** The end of the process, or that it did not start, is in the conversation already. */
function isShownAsCrash(error: unknown): boolean {
  return error instanceof AgentExited || error instanceof AgentNotStarted;
}

const BLOCKED_TEXTS = {
  untrusted: "This workspace is not trusted, so no agent starts in it. Trust it first.",
  noFolder: "No folder is open for the agent to work in. Open one first.",
} as const;

const SESSION_LOST = "The agent was started again, but could not go on with its session. This is a new one.";
