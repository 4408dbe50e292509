import type { Settings } from "../config/settings.ts";
import { countTokens } from "../loop/count-tokens.ts";
import type { Delivery } from "../loop/loop-host.ts";
import type { InstructionFileState } from "../protocol/commands.ts";
import type { CompactionResult } from "../protocol/compaction.ts";
import type { ImageContent } from "../protocol/content.ts";
import { AgentError } from "../protocol/errors.ts";
import type { BashExecutionMessage, CustomMessage } from "../protocol/messages.ts";
import type { Model, ThinkingLevel } from "../protocol/model.ts";
import { oneLine } from "../util/one-line.ts";
import { AutoCompaction } from "./auto-compaction.ts";
import { Compactor } from "./compaction/compactor.ts";
import type { Conversation } from "./conversation.ts";
import { declaredTools } from "./declared-tools.ts";
import type { NameCost } from "./entry-body.ts";
import { MessageKeeper } from "./message-keeper.ts";
import { createFallback } from "./model-fallback.ts";
import { createRouting, failedResponse } from "./model-routing.ts";
import { requireOwedAnswer } from "./owed-answer.ts";
import { describeTask } from "./plan.ts";
import { PlanReminder } from "./plan-reminder.ts";
import { type MessageQueue, type OpeningMessage, type QueueName, userMessage } from "./queue.ts";
import { QueueDelivery } from "./queue-delivery.ts";
import { Run } from "./run.ts";
import { createRunBoundaries, type RunBoundaries } from "./run-boundaries.ts";
import { createRunHost } from "./run-host.ts";
import { RunOpening } from "./run-opening.ts";
import type { SessionModes, SessionOptions } from "./session-options.ts";
import { SessionPrompt } from "./session-prompt.ts";
import { createSessionTitle, type SessionTitle } from "./session-title.ts";
import { createShortening } from "./shortening.ts";
import { contextUsage } from "./stats.ts";
import { StreamRules } from "./stream-rules.ts";
import { ToolShelf } from "./tool-search/tool-shelf.ts";
import { TouchedInstructions } from "./touched-instructions.ts";
import { type Navigated, type NavigateOptions, TreeNavigator } from "./tree-navigation.ts";

/** Owns the state of the agent: the conversation, the queue, and the run. Knows nothing about frames or hosts. */
export class Session {
  readonly options: SessionOptions;
  readonly modes: SessionModes;
  #conversation: Conversation;
  readonly #queues: QueueDelivery;
  #run: Run | undefined;
  readonly #compactor: Compactor;
  readonly #navigator: TreeNavigator;
  readonly #keeper: MessageKeeper;
  readonly #rules: StreamRules;
  readonly #instructions: TouchedInstructions;
  readonly #title: SessionTitle | undefined;
  /** The tools that requests declare to the model. */
  readonly shelf: ToolShelf;
  readonly #boundaries: RunBoundaries | undefined;
  readonly opening: RunOpening;
  readonly prompt: SessionPrompt;

  constructor(options: SessionOptions, conversation: Conversation, modes: SessionModes) {
    this.options = options;
    this.modes = modes;
    this.prompt = new SessionPrompt(options, modes, () => declaredTools(options, this.#conversation.messages));
    this.#conversation = conversation;
    this.shelf = new ToolShelf({
      tools: options.tools,
      settings: options.settings.toolSearch,
      contextWindow: () => options.selection.measure(this.#conversation.messages)?.contextWindow || undefined,
      conversation: () => this.#conversation,
    });
    this.opening = new RunOpening(options.hooks, () => {
      const { messages } = this.#conversation;
      return [...this.prompt.notes(messages), ...this.shelf.notes(messages)];
    });
    this.#rules = new StreamRules({
      source: options.rules,
      cwd: options.cwd,
      conversation: () => this.#conversation,
    });
    this.#instructions = new TouchedInstructions({
      instructions: () => options.instructions,
      cwd: options.cwd,
      tool: (name) => options.tools.offered().get(name),
      messages: () => this.#conversation.messages,
    });
    const { emit, registry, selection, settings, warn } = options;
    this.#queues = new QueueDelivery({
      modes: { steering: settings.steeringMode, followUp: settings.followUpMode },
      emit: (event) => options.emit(event),
      interrupts: () => modes.interrupt === "immediate",
    });
    const history = {
      hooks: options.sessionHooks,
      emit,
      registry,
      selection,
      summaryModel: settings.summaryModel,
      warn,
      retry: () => this.#retrySettings(),
      conversation: () => this.#conversation,
    };
    this.#compactor = new Compactor({
      ...history,
      settings: settings.compaction,
      isAutomatic: () => modes.isAutoCompactionOn,
      canRecall: () => options.tools.active().has("recall"),
      openTasks: () => options.plan.openTasks().map(describeTask),
      spent: (usage) => options.limits?.countRequest(usage),
      changes: (change) => options.prefix.changes(change),
    });
    this.#navigator = new TreeNavigator({ ...history, settings });
    this.#title = createSessionTitle(options, {
      conversation: () => this.#conversation,
      setName: (name, cost) => this.setName(name, cost),
    });
    this.#keeper = new MessageKeeper({
      options,
      conversation: () => this.#conversation,
      runSignal: () => this.runSignal,
      isStreaming: () => this.isStreaming,
      isSummarizing: () => this.isCompacting,
      isMoving: () => this.#navigator.isActive,
    });
    this.#boundaries = createRunBoundaries(options, {
      conversation: () => this.#conversation,
      keep: (message) => this.#keeper.keep(message),
      queue: this.#queues.queue,
    });
  }

  get conversation(): Conversation {
    return this.#conversation;
  }

  get queue(): MessageQueue {
    return this.#queues.queue;
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

  /** True while a manual or automatic compaction, or the summary of a branch, is in progress. */
  get isCompacting(): boolean {
    return this.#compactor.isCompacting || this.#navigator.isActive;
  }

  /**
   * Accepts a prompt; from here on `isStreaming` is true.
   * @returns a function that begins the run; call it after the response to the prompt.
   */
  accept(text: string, images: readonly ImageContent[]): () => void {
    return this.acceptMessage(userMessage(text, images));
  }

  /** Like `accept`, for an existing message; the promise of the returned function resolves when the run is over. */
  acceptMessage(message: OpeningMessage): () => Promise<void> {
    const run = this.#acceptRun([{ message }], (signal) =>
      this.opening.take(message, () => this.prompt.draft(), signal),
    );
    return () => {
      void this.#title?.begin(message);
      return run();
    };
  }

  /**
   * Like `accept`, for a response that is missing: the last one failed, or there was none.
   * @throws AgentError invalid_request when the last answer came to its end.
   */
  acceptRetry(): () => void {
    const said = requireOwedAnswer(this.#conversation.messages);
    return this.#acceptRun([], (signal) => this.opening.retake(said, () => this.prompt.draft(), signal));
  }

  #acceptRun(
    opening: readonly Delivery[],
    openingAdditions: (signal: AbortSignal) => Promise<Delivery[]>,
  ): () => Promise<void> {
    const { emit, plan, registry, selection } = this.options;
    const host = createRunHost({
      options: this.options,
      queues: this.#queues,
      rules: this.#rules,
      instructions: this.#instructions,
      shelf: this.shelf,
      conversation: () => this.#conversation,
      keeper: this.#keeper,
      boundaries: this.#boundaries,
      systemPrompt: () => this.opening.systemPrompt ?? this.prompt.text(),
    });
    const run = new Run({
      host,
      compaction: new AutoCompaction({
        compactor: this.#compactor,
        shortening: createShortening(this.options, () => this.#conversation),
        emit,
        isOn: () => this.modes.isAutoCompactionOn,
        outputLimit: ({ provider, model }) => registry.find(provider, model)?.maxTokens,
        countTokens: (signal) => countTokens(host, signal),
      }),
      reminder: new PlanReminder({ plan, emit, canWrite: () => this.#mayCarryOn() }),
      rules: this.#rules,
      limits: this.options.limits,
      opening,
      openingAdditions,
      retry: () => this.#retrySettings(),
      fallback: createFallback(this.options, {
        conversation: () => this.#conversation,
        select: (model, level) => this.setModel(model, level),
      }),
      failed: opening.length === 0 ? failedResponse(this.#conversation.messages) : undefined,
      route: createRouting({ registry, selection, conversation: () => this.#conversation, emit }),
      takeQueued: () => this.#queues.takeAny(),
      beforeStarted: () => Promise.all([this.options.skills.refresh(), this.#rules.refresh(), this.prompt.load()]),
      hasQueued: () => this.queue.hasWaiting,
      betweenTurns: () => this.#instructions.look(),
      beforeSettle: async (outcome, signal) => {
        await this.options.changesRecorded?.();
        return (await this.#boundaries?.beforeSettle(outcome, signal)) ?? false;
      },
      beforeSettled: () => {
        this.opening.end();
        this.#keeper.flushBash();
      },
    });
    this.#run = run;
    void run.settled.then(() => this.#keeper.appendHeld()); // what came after the last turn
    return () => run.begin();
  }

  /** Adds a message to a queue and sends the event. */
  enqueue(name: QueueName, text: string, images: readonly ImageContent[]): Promise<void> {
    return this.enqueueMessage(name, userMessage(text, images));
  }

  /** Adds a message from any source to a queue and sends the event. */
  enqueueMessage(name: QueueName, message: OpeningMessage): Promise<void> {
    return this.#queues.add(name, message);
  }

  /** Adds a message of an extension to the conversation without a run; during a run, after the turn. */
  async append(message: CustomMessage): Promise<void> {
    await this.#keeper.append(message);
  }

  /** Empties both queues and sends the event. @returns the removed messages. */
  clearQueue(): Promise<{ steering: string[]; followUp: string[] }> {
    return this.#queues.clear();
  }

  /** Ends what is in progress, a compaction or a run, and resolves when it has ended. */
  async abort(): Promise<void> {
    await Promise.all([this.#compactor.abort(), this.#navigator.abort(), this.#abortRun()]);
  }

  /** Resolves when no run is active. */
  async runEnded(): Promise<void> {
    while (this.#run?.isActive === true) await this.#run.settled;
  }

  /**
   * Ends the run, then replaces old history with a summary. Keeps the queues. @throws AgentError aborted when `abort`
   * ends it; otherwise, the reason why a summary is impossible.
   */
  async compact(customInstructions: string | undefined): Promise<CompactionResult> {
    try {
      return await this.#compactor.compactManually(customInstructions, () => this.#abortRun());
    } finally {
      this.#keeper.flushBash();
    }
  }

  /**
   * Continues from another entry of the session's tree, with the messages that wait.
   * @throws AgentError busy during a run or while a summary is made; else as the navigator.
   */
  async navigate(targetId: string, options: NavigateOptions): Promise<Navigated> {
    if (this.isStreaming) {
      throw new AgentError("busy", "A run is active. Wait for its end with ctx.waitForIdle() before going elsewhere.");
    }
    if (this.isCompacting)
      throw new AgentError("busy", "Tiller is summarizing a branch. Wait for it to finish before you go elsewhere.");
    try {
      const navigated = await this.#navigator.navigate(targetId, options);
      if (navigated.cancelled) return navigated;
      this.options.prefix.changes("branch");
      this.options.selection.noteRouted(undefined);
      this.#keeper.moved();
      this.options.plan.restore(this.#conversation);
      return navigated;
    } finally {
      this.#keeper.flushBash();
      await this.#keeper.appendHeld();
    }
  }

  /** Ends the wait before a retry. */
  cancelRetry(): void {
    this.#run?.cancelRetry();
  }

  /** Replaces the conversation. The run must be over. */
  async replace(conversation: Conversation): Promise<void> {
    this.#conversation.close();
    this.#conversation = conversation;
    this.#keeper.clear();
    this.opening.clear();
    this.#instructions.clear();
    this.options.prefix.clear();
    this.options.selection.noteRouted(undefined);
    this.shelf.clear();
    this.prompt.renew();
    this.options.plan.restore(conversation);
    if (this.queue.length > 0) await this.clearQueue();
    else this.queue.clear(); // what extensions sent waits unseen
  }

  /** Adds the host's shell command to the conversation, after an active run or compaction. */
  addBash(message: BashExecutionMessage): void {
    this.#keeper.addBash(message);
  }

  /** Selects a model for this session. */
  async setModel(model: Model, level?: ThinkingLevel): Promise<void> {
    const change = this.options.selection.choose(model, level);
    this.#conversation.appendModelChange(model);
    if (change.isLevelChanged) await this.#announceLevel();
  }

  /** Requests a thinking level; sends an event if the level changes. */
  async setThinkingLevel(level: ThinkingLevel): Promise<void> {
    if (this.options.selection.setLevel(level)) await this.#announceLevel();
  }

  /** @throws AgentError invalid_request when the trimmed name is empty. */
  async setName(name: string, cost?: NameCost): Promise<void> {
    const trimmed = oneLine(name);
    if (trimmed === "") throw new AgentError("invalid_request", "Session name cannot be empty");
    this.#conversation.setName(trimmed, cost);
    await this.options.emit({ type: "session_info_changed", name: trimmed });
  }

  /** Returns the files of instructions that the model has, and those that it may get. */
  instructionFiles(): InstructionFileState[] {
    return this.#instructions.list();
  }

  contextUsage() {
    const { messages, freshFrom } = this.#conversation;
    const { selection, settings } = this.options;
    return contextUsage(messages, freshFrom, selection.measure(messages), settings.cacheTtl);
  }

  /** Stops writing the session file. */
  close(): void {
    this.#title?.close();
    this.#keeper.flushBash();
    this.options.plan.close();
    this.#conversation.close();
  }

  /** True if the model could go on with its plan; in plan mode, the user starts it. */
  #mayCarryOn(): boolean {
    return this.modes.permission.mode !== "plan" && this.options.tools.active().has("todo_write");
  }

  async #abortRun(): Promise<void> {
    if (this.#run?.isActive === true) await this.#run.abort();
  }

  #retrySettings(): Settings["retry"] {
    return { ...this.options.settings.retry, enabled: this.modes.isAutoRetryOn };
  }

  #announceLevel(): void | Promise<void> {
    const level = this.options.selection.thinkingLevel;
    this.#conversation.appendThinkingLevelChange(level);
    return this.options.emit({ type: "thinking_level_changed", level });
  }
}
