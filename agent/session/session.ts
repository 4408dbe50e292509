import type { Settings } from "../config/settings.ts";
import type { Delivery, GatedCall, RequestSettings } from "../loop/loop-host.ts";
import { systemPrompt } from "../prompt/system-prompt.ts";
import type { CompactionResult } from "../protocol/compaction.ts";
import type { ImageContent } from "../protocol/content.ts";
import { AgentError } from "../protocol/errors.ts";
import type { AgentMessage, BashExecutionMessage, CustomMessage } from "../protocol/messages.ts";
import type { Model, ThinkingLevel } from "../protocol/model.ts";
import { AutoCompaction } from "./auto-compaction.ts";
import { Compactor } from "./compaction/compactor.ts";
import type { Conversation } from "./conversation.ts";
import { Interrupts } from "./interrupts.ts";
import { MessageQueue, type OpeningMessage, type QueueName, userMessage } from "./queue.ts";
import { Run, type RunOptions } from "./run.ts";
import { RunOpening } from "./run-opening.ts";
import type { SessionModes, SessionOptions } from "./session-options.ts";
import { contextUsage } from "./stats.ts";
import { TodoReminder } from "./todo-reminder.ts";
import { toolSurroundings } from "./tool-env.ts";

/** Owns the state of the agent: the conversation, the queue, the run. Knows nothing of frames and of who asks. */
export class Session {
  readonly options: SessionOptions;
  readonly modes: SessionModes;
  #conversation: Conversation;
  #queue: MessageQueue;
  #run: Run | undefined;
  readonly #compactor: Compactor;
  #heldBash: BashExecutionMessage[] = [];
  readonly #interrupts = new Interrupts();
  readonly opening: RunOpening;

  constructor(options: SessionOptions, conversation: Conversation, modes: SessionModes) {
    this.options = options;
    this.modes = modes;
    this.opening = new RunOpening(options.hooks);
    this.#conversation = conversation;
    this.#queue = new MessageQueue({
      steering: options.settings.steeringMode,
      followUp: options.settings.followUpMode,
    });
    const { emit, hooks, registry, selection, settings } = options;
    this.#compactor = new Compactor({
      hooks,
      emit,
      registry,
      selection,
      settings: settings.compaction,
      retry: () => this.#retrySettings(),
      conversation: () => this.#conversation,
    });
  }

  get conversation(): Conversation {
    return this.#conversation;
  }

  get queue(): MessageQueue {
    return this.#queue;
  }

  get isStreaming(): boolean {
    return this.#run?.isActive === true;
  }

  /** Aborts when the newest run is aborted; undefined before the first run. */
  get runSignal(): AbortSignal | undefined {
    return this.#run?.signal;
  }

  get isRetrying(): boolean {
    return this.#run?.isRetrying === true;
  }

  /** A compaction, whether asked for or not, is in progress. */
  get isCompacting(): boolean {
    return this.#compactor.isCompacting;
  }

  /**
   * Accepts a prompt; from here on `isStreaming` is true.
   * @returns begins the run: to be called when the prompt was answered.
   */
  accept(text: string, images: readonly ImageContent[]): () => void {
    return this.acceptMessage(userMessage(text, images));
  }

  /** As `accept`, for a message that is there already. */
  acceptMessage(message: OpeningMessage): () => void {
    const { emit, todos, tools } = this.options;
    const run = new Run({
      host: this.#loopHost(),
      compaction: new AutoCompaction({
        compactor: this.#compactor,
        emit,
        isOn: () => this.modes.isAutoCompactionOn,
        outputLimit: ({ provider, model }) => this.options.registry.find(provider, model)?.maxTokens,
      }),
      reminder: new TodoReminder({ todos, emit, canWrite: () => tools.active().has("todo_write") }),
      opening: [{ message }],
      openingAdditions: (signal) => this.opening.take(message, this.systemPrompt(), signal),
      retry: () => this.#retrySettings(),
      takeQueued: () => this.#takeAny(),
      beforeStarted: () => this.options.skills.refresh(),
      hasQueued: () => this.#queue.hasWaiting,
      beforeSettled: () => {
        this.opening.end();
        this.#flushBash();
      },
    });
    this.#run = run;
    return () => run.begin();
  }

  /** Puts a message into a queue and tells so. */
  async enqueue(name: QueueName, text: string, images: readonly ImageContent[]): Promise<void> {
    await this.enqueueMessage(name, userMessage(text, images));
  }

  /** Puts a message into a queue, whoever it is from, and tells so. */
  async enqueueMessage(name: QueueName, message: OpeningMessage): Promise<void> {
    this.#queue.add(name, message);
    await this.#announceQueue();
    if (name === "steering" && this.modes.interrupt === "immediate") this.#interrupts.interrupt();
  }

  /** Adds a message of an extension to the conversation, without a run. */
  async append(message: CustomMessage): Promise<void> {
    await this.options.emit({ type: "message_start", message });
    await this.#keep(message);
  }

  /** Empties both queues and tells so. @returns what was removed. */
  async clearQueue(): Promise<{ steering: string[]; followUp: string[] }> {
    const removed = this.#queue.clear();
    await this.#announceQueue();
    return removed;
  }

  /** Ends what is in progress, a compaction or a run, and resolves when it has ended. */
  async abort(): Promise<void> {
    await Promise.all([this.#compactor.abort(), this.#abortRun()]);
  }

  /** Resolves when no run is active. */
  async runEnded(): Promise<void> {
    while (this.#run?.isActive === true) await this.#run.settled;
  }

  /**
   * Ends the run, then replaces old history by a summary. The queues are kept.
   * @throws AgentError aborted when `abort` ends it; else what is in the way of a summary.
   */
  async compact(customInstructions: string | undefined): Promise<CompactionResult> {
    try {
      return await this.#compactor.compactManually(customInstructions, () => this.#abortRun());
    } finally {
      this.#flushBash();
    }
  }

  /** Gives up waiting for another try. */
  cancelRetry(): void {
    this.#run?.cancelRetry();
  }

  /** Puts another conversation in place of this one. The run must be over. */
  async replace(conversation: Conversation): Promise<void> {
    this.#conversation.close();
    this.#conversation = conversation;
    this.#heldBash = [];
    this.opening.clear();
    this.options.todos.restore(conversation);
    if (this.#queue.length > 0) await this.clearQueue();
  }

  /** Adds the host's shell command to the conversation; during a run or a compaction it is held until that has ended. */
  addBash(message: BashExecutionMessage): void {
    this.#heldBash.push(message);
    if (!this.isStreaming && !this.isCompacting) this.#flushBash();
  }

  /** Chooses a model for this session. */
  async setModel(model: Model, level?: ThinkingLevel): Promise<void> {
    const change = this.options.selection.choose(model, level);
    this.#conversation.appendModelChange(model);
    if (change.isLevelChanged) await this.#announceLevel();
  }

  /** Wishes for a thinking level; tells when the level moved. */
  async setThinkingLevel(level: ThinkingLevel): Promise<void> {
    if (this.options.selection.setLevel(level)) await this.#announceLevel();
  }

  /** @throws AgentError invalid_request when nothing is left of the name. */
  async setName(name: string): Promise<void> {
    const trimmed = name.replace(/[\r\n]+/g, " ").trim();
    if (trimmed === "") throw new AgentError("invalid_request", "Session name cannot be empty");
    this.#conversation.setName(trimmed);
    await this.options.emit({ type: "session_info_changed", name: trimmed });
  }

  systemPrompt(): string {
    const { permission, locale } = this.modes;
    return systemPrompt({
      ...this.options.prompt,
      tools: [...this.options.tools.active().values()],
      skills: this.options.skills.current.filter(({ isForModel }) => isForModel),
      date: new Date().toISOString().slice(0, 10),
      locale,
      permissionHint: permission.isEnforced ? undefined : permission.mode,
    });
  }

  contextUsage() {
    return contextUsage(this.#conversation.messages, this.#conversation.freshFrom, this.options.selection.model);
  }

  /** Ends the writing of the session file. */
  close(): void {
    this.#flushBash();
    this.options.todos.close();
    this.#conversation.close();
  }

  async #abortRun(): Promise<void> {
    if (this.#run?.isActive === true) await this.#run.abort();
  }

  #retrySettings(): Settings["retry"] {
    return { ...this.options.settings.retry, enabled: this.modes.isAutoRetryOn };
  }

  #loopHost(): RunOptions["host"] {
    return {
      emit: this.options.emit,
      ready: this.options.ready,
      requestSettings: () => this.#requestSettings(),
      context: () => this.#conversation.messages,
      keep: (message) => this.#keep(message),
      gate: (call: GatedCall, signal: AbortSignal) => this.options.gate(call, signal),
      hooks: this.options.hooks,
      toolContext: () => toolSurroundings(this.options, this.#conversation),
      takeSteering: () => this.#take("steering"),
      takeFollowUps: () => this.#take("followUp"),
      interruptSignal: () => this.#interrupts.signal(),
    };
  }

  #requestSettings(): RequestSettings {
    const model = this.options.selection.require();
    const { provider, apiKey } = this.options.registry.resolve(model);
    return {
      provider,
      apiKey,
      model,
      thinkingLevel: this.options.selection.thinkingLevel,
      systemPrompt: this.opening.systemPrompt ?? this.systemPrompt(),
      tools: this.options.tools.active(),
    };
  }

  async #keep<Message extends AgentMessage>(message: Message): Promise<Message> {
    const { hooks, emit } = this.options;
    const kept = hooks === undefined ? message : await hooks.messageEnd(message, this.runSignal);
    this.#conversation.appendMessage(kept);
    await emit({ type: "message_end", message: kept });
    return kept;
  }

  #take(name: QueueName): Delivery[] {
    return this.#queue.take(name).map((item) => ({
      message: item.message,
      announce: () => {
        this.#queue.delivered(name, item);
        return this.#announceQueue();
      },
    }));
  }

  #takeAny(): Delivery[] {
    const steering = this.#take("steering");
    return steering.length > 0 ? steering : this.#take("followUp");
  }

  #flushBash(): void {
    for (const message of this.#heldBash.splice(0)) this.#conversation.appendMessage(message);
  }

  #announceQueue(): void | Promise<void> {
    return this.options.emit({ type: "queue_update", ...this.#queue.lists() });
  }

  #announceLevel(): void | Promise<void> {
    const level = this.options.selection.thinkingLevel;
    this.#conversation.appendThinkingLevelChange(level);
    return this.options.emit({ type: "thinking_level_changed", level });
  }
}
