import type { PromptDraft } from "../prompt/prompt-draft.ts";
import type { ImageContent, InputContent } from "../protocol/content.ts";
import type { EditedChange } from "../protocol/dialogs.ts";
import type { AgentEvent } from "../protocol/events.ts";
import type { AgentMessage, AssistantMessage, CustomMessage, ToolResultMessage } from "../protocol/messages.ts";
import type { CacheTtl, Model, ThinkingLevel, Usage } from "../protocol/model.ts";
import type { Provider, RequestHooks, ToolSpec } from "../providers/provider.ts";
import type { CommandSandbox, Containment } from "../tools/contained.ts";
import type { AnyTool, ToolContext, ToolOutput } from "../tools/tool.ts";
import type { StreamStep } from "./message-builder.ts";
import type { RequestPrefix } from "./request-prefix.ts";
import type { RequestRepairs } from "./request-repairs.ts";
import type { AnswerWatch } from "./rule-watch.ts";

/** A step of a streaming answer; the snapshot is made only when a host wants it. */
export interface MessageUpdate {
  type: "message_update";
  step: StreamStep;
  usage(): Usage;
  snapshot(): AssistantMessage;
}

/** The events of the loop: those of the protocol, with updates in a cheaper form. */
export type LoopEvent = Exclude<AgentEvent, { type: "message_update" }> | MessageUpdate;

/** Receives events in order. It returns a promise if the event is handled first; the next event waits for it. */
export type Emit = (event: LoopEvent) => void | Promise<void>;

/** A message on its way into the conversation. `announce` is called directly before its `message_start`. */
export interface Delivery {
  message: AgentMessage;
  announce?: (() => void | Promise<void>) | undefined;
}

/** The settings of the next request to a model. */
export interface RequestSettings {
  provider: Provider;
  apiKey: string | undefined;
  model: Model;
  thinkingLevel: ThinkingLevel;
  cacheTtl: CacheTtl;
  systemPrompt: string;
  /** The tools that can be called. */
  tools: ReadonlyMap<string, AnyTool>;
  /** The tools that requests declare to the model. */
  declared: ReadonlyMap<string, AnyTool>;
  conversationId: string;
}

/** A tool call as a gate sees it, after its arguments were checked. */
export interface GatedCall {
  toolCallId: string;
  /** The call whose tool made this call. */
  parentToolCallId?: string | undefined;
  tool: AnyTool;
  args: Record<string, unknown>;
  /** One line for people. */
  summary: string;
}

/**
 * Verdict of a gate on a call: it is blocked, runs with the user's edit, or without a question, because it only reads or is contained; or the
 * changes of a preview take its place.
 */
export type GateVerdict =
  | { block: string; isDenied?: boolean | undefined }
  | { edited: EditedChange }
  | { isUnasked: true }
  | ({ isContained: true } & Partial<Containment>)
  | { previewId: string };

/** Whether a call may run; undefined when it may as it is. @throws when it cannot tell, which blocks the call. */
export type ToolGate = (call: GatedCall, signal: AbortSignal) => Promise<GateVerdict | undefined>;

/** The verdict of a hook on a call before it runs: blocked, or with these arguments. */
export type CallVerdict = { block: string; terminate?: boolean | undefined } | { args: Record<string, unknown> };

/** A tool's result as a hook sees it. */
export interface CallResult {
  content: InputContent[];
  details?: unknown;
  structuredContent?: unknown;
  isError: boolean;
  usage?: Usage | undefined;
}

/** The start of a run. */
export interface RunPrompt {
  /** True for a message of the user; otherwise an extension started the run, and other extensions add nothing. */
  isPrompt: boolean;
  text: string;
  images: readonly ImageContent[];
  /** Begins a system prompt that may be changed for this run. */
  draft(): PromptDraft;
}

/** Additions to the start of a run; the system prompt applies to this run. */
export interface RunAdditions {
  messages: CustomMessage[];
  systemPrompt: string | undefined;
}

/** The content of a request to a model. */
export interface RequestContent {
  systemPrompt: string;
  messages: readonly AgentMessage[];
  tools: readonly ToolSpec[];
}

/** The outcome of a turn, or of the last turn of a run. */
export type TurnOutcome = "completed" | "aborted" | "error";

/** A finished turn, whose messages are stored. */
export interface EndedTurn {
  /** 0-based, counted in each low run. */
  turnIndex: number;
  message: AssistantMessage;
  toolResults: ToolResultMessage[];
  outcome: TurnOutcome;
}

/** Hooks that watch and change a run. */
export interface RunHooks {
  /** Comes before the gate. @returns undefined when nobody has anything to say. @throws when it cannot tell, which blocks the call. */
  toolCall(call: GatedCall, signal: AbortSignal): Promise<CallVerdict | undefined>;
  /** @returns the messages as the model is to see them, this once. Never throws. */
  context(messages: readonly AgentMessage[], signal: AbortSignal): Promise<readonly AgentMessage[]>;
  /** Comes after `context`. @returns all that is to be sent, this once. Never throws. */
  contextWithSystem(content: RequestContent, signal: AbortSignal): Promise<RequestContent>;
  /** Comes before a finished message is kept and told. @returns the message as it is to be kept. Never throws. */
  messageEnd<Message extends AgentMessage>(message: Message, signal: AbortSignal | undefined): Promise<Message>;
  /** Comes before the first request of a run. Never throws. */
  runStart(prompt: RunPrompt, signal: AbortSignal): Promise<RunAdditions>;
  /** Returns the hooks for the next request; undefined if there are none. */
  request(signal: AbortSignal): RequestHooks | undefined;
  /** @returns the result as it is to be told and kept. Never throws. */
  toolResult(call: Omit<GatedCall, "summary">, result: CallResult, signal: AbortSignal): Promise<CallResult>;
}

/** Everything the loop needs from its owner; it keeps no state of its own. */
export interface LoopHost {
  emit: Emit;
  /** Resolves when the host has read enough of what was written; undefined when nothing need wait. */
  ready(): Promise<void> | undefined;
  /** @throws AgentError when no model or no credentials are there. */
  requestSettings(): RequestSettings;
  /**
   * Returns the settings with the model that a virtual one chooses for the request; undefined if the model is none. May change the conversation.
   * @throws Error if none can be chosen.
   */
  route?(settings: RequestSettings, signal: AbortSignal): Promise<RequestSettings> | undefined;
  /** The conversation so far. */
  context(): readonly AgentMessage[];
  /** The parts of the conversation that the provider refused. */
  repairs: RequestRepairs;
  /** The unchanged beginning of the session's requests. */
  prefix: RequestPrefix;
  /** Tells the user about something that was decided without asking. */
  warn(message: string): void;
  /** Keeps a finished message and emits its `message_end`. @returns the message as it was kept. */
  keep<Message extends AgentMessage>(message: Message): Promise<Message>;
  /** Returns a tool that the model may call although no request declared it; "gone" for one that no longer exists. */
  untoldTool?(name: string): AnyTool | "gone" | undefined;
  gate: ToolGate;
  /** The sandbox for commands that the gate wants contained. */
  sandbox?: CommandSandbox | undefined;
  /** Makes the changes of a preview. @returns the result of its command. */
  applyPreview?(previewId: string): Promise<ToolOutput>;
  /** Asks whether a command may run again outside the sandbox, which refused something. */
  mayRunOutside?(call: GatedCall, why: string, signal: AbortSignal): Promise<boolean>;
  /** True for a call of an exclusive tool that only reads, so that it may overlap others. Never rejects. */
  onlyReads?(tool: AnyTool, args: Record<string, unknown>): Promise<boolean>;
  hooks?: RunHooks | undefined;
  toolContext(): Omit<
    ToolContext,
    | "toolCallId"
    | "signal"
    | "onUpdate"
    | "ready"
    | "edited"
    | "isUnasked"
    | "contain"
    | "mayRunOutside"
    | "applyPreview"
    | "callTool"
  >;
  /** Takes what waits for this point of the run; an empty list when nothing does. */
  takeSteering(): Delivery[];
  takeFollowUps(): Delivery[];
  /** True if something waits that was not taken yet. */
  hasQueued(): boolean;
  /**
   * Called before `turn_end`. Extensions may add to the conversation.
   * @returns true if another request must follow. Never rejects.
   */
  endTurn?(turn: EndedTurn, signal: AbortSignal): Promise<boolean>;
  /** Comes between two turns, before anything is taken for the next one. */
  betweenTurns(signal: AbortSignal): Promise<void>;
  /** Returns the watcher of the next answer; undefined if there is none. */
  watchAnswer?(): AnswerWatch | undefined;
  /** Aborts while tools run when a steering message wants to interrupt them. */
  interruptSignal(): { signal: AbortSignal; dispose(): void };
}
