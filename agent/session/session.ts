import type { Settings } from "../config/settings.ts";
import type { Delivery, Emit, GatedCall, LoopHost, RequestSettings, ToolGate } from "../loop/loop-host.ts";
import { type SystemPromptParts, systemPrompt } from "../prompt/system-prompt.ts";
import type { PermissionMode } from "../protocol/commands.ts";
import type { ImageContent } from "../protocol/content.ts";
import { AgentError } from "../protocol/errors.ts";
import type { AgentMessage, BashExecutionMessage, UserMessage } from "../protocol/messages.ts";
import type { Model, ThinkingLevel } from "../protocol/model.ts";
import type { TodoPhase } from "../protocol/todos.ts";
import type { ModelRegistry } from "../providers/registry.ts";
import type { ShellSettings } from "../tools/tool.ts";
import type { Conversation } from "./conversation.ts";
import type { ModelSelection } from "./model-selection.ts";
import { MessageQueue, type QueueName } from "./queue.ts";
import { Run } from "./run.ts";
import { contextUsage, countMessages } from "./stats.ts";
import type { ToolSet } from "./tool-set.ts";

/** The fixed parts of a session; they outlive the conversation. */
export interface SessionOptions {
  cwd: string;
  settings: Settings;
  registry: ModelRegistry;
  selection: ModelSelection;
  tools: ToolSet;
  gate: ToolGate;
  emit: Emit;
  ready(): Promise<void> | undefined;
  /** What the system prompt is made of beside the tools and the session's wishes. */
  prompt: Omit<SystemPromptParts, "tools" | "locale" | "permissionHint" | "date">;
  shell: ShellSettings;
  /** Environment for every child process. */
  childEnv: Record<string, string>;
}

/** Settings that hosts change; forgotten at exit. */
export interface SessionModes {
  interrupt: "immediate" | "wait";
  isAutoRetryOn: boolean;
  isAutoCompactionOn: boolean;
  permission: { mode: PermissionMode; isEnforced: boolean };
  locale: string | undefined;
  /** The plan that the host set; it belongs to the session. */
  todoPhases: TodoPhase[];
}

/** Owns the state of the agent: the conversation, the queue, the run. Knows nothing of frames and of who asks. */
export class Session {
  readonly options: SessionOptions;
  readonly modes: SessionModes;
  #conversation: Conversation;
  #queue: MessageQueue;
  #run: Run | undefined;
  #heldBash: BashExecutionMessage[] = [];
  #interrupts = new Set<AbortController>();

  constructor(options: SessionOptions, conversation: Conversation, modes: SessionModes) {
    this.options = options;
    this.modes = modes;
    this.#conversation = conversation;
    this.#queue = new MessageQueue({
      steering: options.settings.steeringMode,
      followUp: options.settings.followUpMode,
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

  get isRetrying(): boolean {
    return this.#run?.isRetrying === true;
  }

  /**
   * Accepts a prompt; from here on `isStreaming` is true.
   * @returns begins the run: to be called when the prompt was answered.
   * @throws AgentError no_model or no_credentials.
   */
  accept(text: string, images: readonly ImageContent[]): () => void {
    this.requireModel();
    const run = new Run({
      host: this.#loopHost(),
      opening: [{ message: userMessage(text, images) }],
      retry: () => ({ ...this.options.settings.retry, enabled: this.modes.isAutoRetryOn }),
      takeQueued: () => this.#takeAny(),
      hasQueued: () => this.#queue.hasWaiting,
      beforeSettled: () => this.#flushBash(),
    });
    this.#run = run;
    return () => run.begin();
  }

  /** Puts a message into a queue and tells so. */
  async enqueue(name: QueueName, text: string, images: readonly ImageContent[]): Promise<void> {
    this.#queue.add(name, userMessage(text, images));
    await this.#announceQueue();
    if (name === "steering" && this.modes.interrupt === "immediate") {
      for (const interrupt of this.#interrupts) interrupt.abort();
    }
  }

  /** Empties both queues and tells so. @returns what was removed. */
  async clearQueue(): Promise<{ steering: string[]; followUp: string[] }> {
    const removed = this.#queue.clear();
    await this.#announceQueue();
    return removed;
  }

  /** Ends the run, if there is one, and resolves when it is settled. */
  async abort(): Promise<void> {
    if (this.#run?.isActive === true) await this.#run.abort();
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
    this.modes.todoPhases = [];
    if (this.#queue.length > 0) await this.clearQueue();
  }

  /** Adds the host's shell command to the conversation; while a run is active it is held until the run settles. */
  addBash(message: BashExecutionMessage): void {
    this.#heldBash.push(message);
    if (!this.isStreaming) this.#flushBash();
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
      date: new Date().toISOString().slice(0, 10),
      locale,
      permissionHint: permission.isEnforced ? undefined : permission.mode,
    });
  }

  /** @throws AgentError no_model or no_credentials. */
  requireModel(): Model {
    const { model } = this.options.selection;
    if (model === undefined) {
      throw new AgentError(
        "no_model",
        "No model selected.\n\nSet ANTHROPIC_API_KEY, or add a provider to models.json, then choose a model with set_model.",
      );
    }
    if (!this.options.registry.hasCredentials(model.provider)) {
      throw new AgentError(
        "no_credentials",
        `No API key found for ${model.provider}.\n\nSet its key in the environment or in models.json and start again.`,
      );
    }
    return model;
  }

  stats() {
    return {
      ...countMessages(this.#conversation.allMessages()),
      ...(this.#conversation.file === undefined ? {} : { sessionFile: this.#conversation.file }),
      sessionId: this.#conversation.id,
      contextUsage: this.contextUsage(),
    };
  }

  contextUsage() {
    return contextUsage(this.#conversation.messages, this.options.selection.model);
  }

  /** Ends the writing of the session file. */
  close(): void {
    this.#flushBash();
    this.#conversation.close();
  }

  #loopHost(): LoopHost {
    return {
      emit: this.options.emit,
      ready: this.options.ready,
      requestSettings: () => this.#requestSettings(),
      context: () => this.#conversation.messages,
      keep: (message) => this.#keep(message),
      gate: (call: GatedCall, signal: AbortSignal) => this.options.gate(call, signal),
      toolContext: () => ({ cwd: this.options.cwd, shell: this.options.shell, env: this.#toolEnv() }),
      takeSteering: () => this.#take("steering"),
      takeFollowUps: () => this.#take("followUp"),
      interruptSignal: () => this.#interruptSignal(),
    };
  }

  #requestSettings(): RequestSettings {
    const model = this.requireModel();
    const { provider, apiKey } = this.options.registry.resolve(model);
    return {
      provider,
      apiKey,
      model,
      thinkingLevel: this.options.selection.thinkingLevel,
      systemPrompt: this.systemPrompt(),
      tools: this.options.tools.active(),
    };
  }

  async #keep<Message extends AgentMessage>(message: Message): Promise<Message> {
    this.#conversation.appendMessage(message);
    await this.options.emit({ type: "message_end", message });
    return message;
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

  #interruptSignal() {
    const controller = new AbortController();
    this.#interrupts.add(controller);
    return { signal: controller.signal, dispose: () => void this.#interrupts.delete(controller) };
  }

  #toolEnv(): Record<string, string> {
    const { model, thinkingLevel } = this.options.selection;
    const { id, file } = this.#conversation;
    return {
      ...this.options.childEnv,
      PI_SESSION_ID: id,
      ...(file === undefined ? {} : { PI_SESSION_FILE: file }),
      ...(model === undefined ? {} : { PI_PROVIDER: model.provider, PI_MODEL: model.id }),
      PI_REASONING_LEVEL: thinkingLevel,
    };
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

function userMessage(text: string, images: readonly ImageContent[]): UserMessage {
  const blocks = text === "" ? [] : [{ type: "text" as const, text }];
  return { role: "user", content: [...blocks, ...images], timestamp: Date.now() };
}
