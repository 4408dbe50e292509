import type { RequestOptions } from "../../agent/client/frame-client.ts";
import type { PermissionMode } from "../../agent/protocol/approvals.ts";
import type { CommandInput, CommandResult, CommandType, SessionState } from "../../agent/protocol/commands.ts";
import type { AgentMessage } from "../../agent/protocol/messages.ts";
import { FALLBACK_ENTRY_TYPE } from "../../agent/protocol/session-entries.ts";
import { t } from "../../webview/l10n.ts";
import type { Prompt } from "../../webview/protocol/draft.ts";
import type { AgentStatus, PanelUi } from "../../webview/protocol/ui.ts";
import { type QuestionQueue, wireAnswer } from "../core/connection/question-queue.ts";
import { type AgentObserver, RunningAgent, type SessionSnapshot } from "../core/connection/running-agent.ts";
import { noteProcess, noteRead, traceAgent } from "../core/trace/trace-agent.ts";
import { logAgent } from "./agent-log.ts";
import { ChatEvents } from "./chat-events.ts";
import { ChatNotices } from "./chat-notices.ts";
import { ChatParts } from "./chat-parts.ts";
import type { ChatPorts } from "./chat-ports.ts";
import { ChatQuestions } from "./chat-questions.ts";
import { ChatSession, type ChatStart } from "./chat-session.ts";
import { createUsage } from "./chat-usage.ts";
import { createErrorLog } from "./extension-errors.ts";
import { ModeSwitch } from "./mode-switch.ts";
import { Outbox } from "./outbox.ts";
import { PlanEditor } from "./plan-editor.ts";
import { PlanFirst, readPlanCommand } from "./plan-first.ts";
import type { SessionMode } from "./session-mode.ts";
import { SessionRules } from "./session-rules.ts";
import { describeBackground, describeSession, wordBlocked } from "./session-ui.ts";
import type { SessionUsage } from "./session-usage.ts";
import { SlashCommands } from "./slash-commands.ts";
import type { TranscriptStore } from "./transcript-store.ts";
import { readShellCommand, UserShell } from "./user-shell.ts";

const STOP_TIMEOUT_MS = 20_000;

/** One conversation with one agent: the panel and the commands act through it. */
export class Chat {
  readonly transcript: TranscriptStore;
  readonly agent: RunningAgent;
  readonly asked: ChatQuestions;
  readonly outbox: Outbox;
  readonly shell: UserShell;
  readonly plan: PlanEditor;
  readonly planFirst = new PlanFirst(this);
  // An agent that does not run is not started for its commands; one that is about to is waited for.
  readonly slashCommands = new SlashCommands(async () => {
    const client = await this.agent.coming;
    return client === undefined ? [] : (await client.request("get_commands", {})).commands;
  });
  readonly events = new ChatEvents();
  readonly parts = new ChatParts();
  readonly #ports: ChatPorts;
  readonly #modeSwitch: ModeSwitch;
  readonly #notices: ChatNotices;
  readonly #rules: SessionRules;
  readonly session: ChatSession;
  readonly usage: SessionUsage;
  /** The session whose messages are shown; undefined before the agent has reported it. */
  #sessionId: string | undefined;
  #hasCrashed = false;

  constructor(start: ChatStart, transcript: TranscriptStore, ports: ChatPorts) {
    this.transcript = transcript;
    this.session = new ChatSession(start, ports.session);
    this.#ports = ports;
    this.usage = createUsage({
      transcript,
      ports,
      client: () => this.agent.client,
      stopRun: () => void this.stop(),
    });
    this.asked = new ChatQuestions({
      transcript,
      ports,
      events: this.events,
      reply: (id, answer) => this.agent.client?.answer(id, wireAnswer(answer)),
      sandboxChosen: () => this.#useSandbox(),
    });
    this.#notices = new ChatNotices(transcript, ports.log);
    this.#rules = new SessionRules(ports.log);
    const failed = (text: string, error: unknown) => this.#notices.failed(text, error);
    this.shell = new UserShell({
      start: () => this.request("get_state", { omit: ["systemPrompt", "dumpTools"] }),
      bash: (params) => this.request("bash", params),
      abort: () => this.request("abort_bash", {}),
      show: (action) => this.transcript.dispatch(action),
      giveBack: ports.giveBack,
      failed,
    });
    this.plan = new PlanEditor({
      transcript,
      log: ports.log,
      client: () => this.agent.client,
      request: (type, params) => this.request(type, params),
    });
    this.outbox = new Outbox({
      compose: ports.compose,
      prompt: (params, onAnswer) => this.request("prompt", params, { onAnswer }),
      clearQueue: () => this.request("clear_queue", {}),
      waiting: () => this.transcript.waiting,
      giveBack: ports.giveBack,
      failed,
      tell: (text) => this.#notices.tell(text),
    });
    this.agent = new RunningAgent({
      launch: ports.launch,
      hostTools: ports.hostTools,
      hostModels: ports.hostModels,
      observer: this.#observer(),
    });
    this.#modeSwitch = new ModeSwitch({
      mode: ports.mode,
      transcript,
      client: () => this.agent.client,
      refresh: () => this.refresh(),
    });
  }

  get questions(): QuestionQueue {
    return this.asked.queue;
  }

  get mode(): SessionMode {
    return this.#ports.mode;
  }

  /** True when nothing has been said yet, and nothing is going on. */
  get isUntouched(): boolean {
    const { status } = this.transcript.ui;
    return this.transcript.isEmpty && (status === "idle" || status === "stopped");
  }

  /** Starts the agent if it may start here; else shows why not. A failure is shown in the conversation. */
  wake(): void {
    const blockedBy = this.#ports.blockedBy();
    if (blockedBy !== undefined) this.#setStatus(blockedBy);
    else this.agent.start().catch(() => {}); // the observer has shown the failure by then
  }

  /** Sends a request to the agent, which is started if needed. Rejects as `RpcClient.request` does. */
  async request<C extends CommandType>(
    type: C,
    params: CommandInput<C>,
    options?: RequestOptions<CommandResult<C>>,
  ): Promise<CommandResult<C>> {
    const blockedBy = this.#ports.blockedBy();
    if (blockedBy !== undefined) {
      this.#setStatus(blockedBy);
      throw new Error(wordBlocked(blockedBy));
    }
    const client = await this.agent.start();
    return client.request(type, params, options);
  }

  /** Sends the user's message, or runs it when it is a shell command; if the agent refuses it, it returns to the composer. */
  async prompt(prompt: Prompt): Promise<void> {
    const task = readPlanCommand(prompt.text);
    if (task !== undefined) return this.planFirst.ask({ ...prompt, text: task });
    const command = prompt.images?.length ? undefined : readShellCommand(prompt.text);
    if (command === undefined) return this.outbox.prompt(prompt);
    await this.outbox.turn;
    return this.shell.run(command, prompt.text);
  }

  /** Aborts the run; queued messages return to the composer. */
  async stop(): Promise<void> {
    const { client } = this.agent;
    if (client === undefined || this.transcript.ui.status !== "running") return;
    this.#setStatus("stopping");
    try {
      await client.request("abort", {}, { timeoutMs: STOP_TIMEOUT_MS });
      await this.refresh();
      const { steering, followUp } = this.transcript.waiting;
      if (steering.length + followUp.length > 0) await this.outbox.clearQueue();
    } catch (error) {
      this.#notices.failed(t("Couldn't stop the run. Restart the agent."), error);
    }
  }

  /** Shows messages of the session before its agent has sent them. */
  preview(messages: readonly AgentMessage[]): void {
    if (this.#sessionId === undefined && this.transcript.isEmpty) this.transcript.reset(messages);
  }

  /** Stops the agent; the conversation stays, and the next start continues its session with the rules that were allowed for it. */
  async park(): Promise<void> {
    await this.#rules.take(this.agent.client, this.#sessionId);
    await this.agent.stop();
  }

  /** Switches the permission mode at once, for this session only. Rejects when the agent refuses. */
  setMode(mode: PermissionMode): Promise<void> {
    return this.#modeSwitch.set(mode);
  }

  #useSandbox(): void {
    this.setMode("sandboxed").catch((error: unknown) =>
      this.#notices.failed(t("Couldn't change the permission mode."), error),
    );
  }

  /** Applies the mode of the settings at once, in place of the one chosen for this session. */
  followModeSetting(): Promise<void> {
    return this.#modeSwitch.followSetting();
  }

  /** Reads the agent's state again, after a change that no event reports. */
  async refresh(): Promise<void> {
    this.#showState(await this.request("get_state", { omit: ["systemPrompt", "dumpTools"] }));
  }

  /** Shows the model that goes on in place of another one. */
  async #showModel(): Promise<void> {
    await this.refresh().catch(() => {}); // an agent that has exited meanwhile is reported elsewhere
  }

  /** Restarts the agent with the same session. Failures are shown in the conversation. */
  async restart(): Promise<void> {
    if (this.#ports.blockedBy() !== undefined) return this.wake();
    await this.#rules.take(this.agent.client, this.#sessionId);
    // The observer has reported it by then.
    await this.agent.restart().catch(() => {});
  }

  /** Stops the agent; resolves when its process has exited. */
  async dispose(): Promise<void> {
    this.transcript.dispose();
    await this.agent.stop();
  }

  #observer(): AgentObserver {
    const { log, hostTools, hostModels } = this.#ports;
    const logError = createErrorLog(log);
    return {
      ...logAgent(log),
      ...traceAgent(this.transcript.trace),
      processStatus: (status) => {
        const word = status === "idle" ? "ready" : status;
        log.info(`agent: ${word}`);
        noteProcess(this.transcript.trace, word);
        if (status === "starting") this.#showUi({ setup: undefined });
        if (status !== "idle" && status !== "crashed") this.#setStatus(status); // the session and the crash tell those
      },
      session: (snapshot) => {
        this.#showSession(snapshot);
        noteRead(this.transcript.trace);
      },
      event: (event) => {
        this.transcript.dispatch(event);
        this.session.note(event);
        this.usage.observe(event);
        if (event.type === "agent_start") this.#runStarted();
        if (event.type === "agent_settled") this.#runSettled();
        if (event.type === "todo_auto_clear") void this.plan.read();
        if (event.type === "background_changed") this.#showUi(describeBackground(event.processes));
        if (event.type === "extension_error") logError(event);
        if (event.type === "session_changed") void this.#showAnew();
        if (event.type === "entry_appended" && event.entry.customType === FALLBACK_ENTRY_TYPE) void this.#showModel();
        this.events.event(event);
      },
      uiRequest: (request) => {
        this.asked.take(request);
        this.events.uiRequest(request);
      },
      hostToolCall: (call) => {
        const { client } = this.agent;
        void hostTools.call(call, (frame) => client?.send(frame));
      },
      hostToolCancel: (cancel) => hostTools.cancel(cancel.targetId),
      hostModelRequest: (request) => void hostModels.request(request, (frame) => this.agent.client?.send(frame)),
      hostModelCancel: (cancel) => hostModels.cancel(cancel.targetId),
      hostSecretRequest: (request) => {
        const { client } = this.agent;
        void this.#ports.keepSecret(request, (frame) => client?.send(frame));
      },
      crashed: (error, restartInMs) => {
        this.#hasCrashed = true;
        this.#notices.crashed(error, restartInMs);
        this.events.crashed(restartInMs !== undefined);
      },
      disconnected: () => {
        this.#showUi(describeBackground([]));
        this.outbox.disconnected();
        this.asked.endAll();
        hostTools.cancelAll();
        hostModels.cancelAll();
        if (this.#ports.mode.processEnded()) this.#notices.fullAccessEnded();
        this.events.disconnected();
      },
    };
  }

  #runStarted(): void {
    this.outbox.runStarted();
    this.planFirst.runStarted();
  }

  #runSettled(): void {
    this.outbox.runSettled();
    void this.planFirst.runEnded();
  }

  /** Reloads the conversation, since an extension of the agent has replaced it. */
  async #showAnew(): Promise<void> {
    this.#sessionId = undefined;
    await this.agent.reload().catch(() => {}); // the observer has reported it by then
  }

  #showSession({ state, messages }: SessionSnapshot): void {
    const wasCutOff = this.session.take(state, messages);
    const isSame = this.#sessionId === state.sessionId;
    const isRestarted = isSame && this.#hasCrashed;
    const isLost = !isSame && this.#hasCrashed && this.#sessionId !== undefined;
    this.#sessionId = state.sessionId;
    this.#hasCrashed = false;
    void this.#rules.handOver(this.agent.client, state.sessionId);
    // After a crash the same session continues: the page shows more than the file holds, such as the end.
    if (!isSame) this.transcript.reset(messages, { isOnWire: true });
    if (!isSame) this.planFirst.sessionOpened(state);
    this.usage.take(state.sessionId, messages);
    if (isLost) this.#notices.sessionLost();
    if (isRestarted) this.#notices.restarted();
    if (wasCutOff) this.#notices.runCutOff();
    this.transcript.dispatch({ type: "host_queue_gone" });
    this.#showState(state);
    // Chosen while the agent started, or left over from the previous session.
    if (state.permissionMode === this.#ports.mode.current) return;
    this.#modeSwitch
      .apply()
      .catch((error: unknown) => this.#notices.failed(t("Couldn't change the permission mode."), error));
  }

  #showState(state: SessionState): void {
    this.#showUi(describeSession(state));
    this.#setStatus(state.isStreaming ? "running" : "idle");
  }

  #showUi(ui: Partial<PanelUi>): void {
    this.transcript.dispatch({ type: "host_ui", ui });
  }

  #setStatus(status: AgentStatus): void {
    this.transcript.dispatch({ type: "host_status", status });
  }
}
