import type { InputContent } from "../protocol/content.ts";
import type { AgentEvent } from "../protocol/events.ts";

/** The exports of the activated extension `tiller-dev.tiller` for other extensions. */
export interface TillerExports {
  readonly api: { readonly v1: TillerApiV1 };
}

/** Something that ends when it is disposed of, as the editor has it too. */
export interface TillerDisposable {
  dispose(): void;
}

/** A conversation. */
export interface TillerSession {
  readonly id: string;
  /** Absent before anything was said, and for a temporary one. */
  readonly file?: string;
}

/** Options of a prompt. */
export interface PromptOptions {
  /**
   * `"new"`, the default, begins a conversation that is shown nowhere until the user opens it from the history; `"focused"` is the one that
   * the user was in last; anything else is the id of a session of an earlier result.
   */
  readonly session?: string;
  /** Of a new session: nothing of it is kept on disk. */
  readonly isTemporary?: boolean;
  /** Brings the chat to the front. */
  readonly isShown?: boolean;
  /** Ends the run. */
  readonly signal?: AbortSignal;
}

/** The result of a prompt. */
export interface PromptResult {
  /** The text of the last answer. */
  readonly text: string;
  readonly session: TillerSession;
}

/** Why a promise of this interface rejects: an `Error` with the name `TillerError`, and one of these codes. */
export type TillerErrorCode =
  /** The arguments are of no use: an empty text, an unknown session, a name that is taken. */
  | "invalid_argument"
  /** The workspace is not trusted, or no folder is open. */
  | "blocked"
  /** The agent could not be started, refused the prompt, or ended. */
  | "agent_failed"
  /** The model failed; the message says how. */
  | "model_failed"
  /** The run was stopped: by the user, or by the signal. */
  | "aborted";

/** Something that an agent told. The event is a copy. */
export interface TillerEvent {
  readonly session: TillerSession;
  /** True when this is the chat that the user worked in last. */
  readonly isFocused: boolean;
  readonly event: AgentEvent;
}

/** A host tool for every agent of the window. */
export interface HostToolV1 {
  /** Letters, digits and `_`, 64 at most, with a letter first; not one of Tiller's own, nor one that begins with `vscode_` or `host_`. */
  readonly name: string;
  /** For people. */
  readonly label?: string;
  /** For the model: when to use the tool, and what comes back. */
  readonly description: string;
  /** A JSON Schema of an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** True if the tool changes nothing, so that it runs without approval. */
  readonly isReadOnly?: boolean;
}

/** The context of a tool call. */
export interface HostToolCallV1 {
  /** The id of the call in the conversation, as the events have it. */
  readonly toolCallId: string;
  /** Aborts when the result is no longer needed. */
  readonly signal: AbortSignal;
  /** Shows what there is so far, in place of what was shown before. */
  progress(text: string): void;
}

/** The result of a tool: text, or blocks of text and images. `isError` tells the model that the call failed. */
export type HostToolResultV1 = string | { readonly content: readonly InputContent[]; readonly isError?: boolean };

/** Runs a tool with arguments that match its schema. The model reads thrown errors. */
export type HostToolHandlerV1 = (
  args: Record<string, unknown>,
  call: HostToolCallV1,
) => HostToolResultV1 | Promise<HostToolResultV1>;

/** The API for other extensions. Members may be added; none changes its meaning within version 1. */
export interface TillerApiV1 {
  /**
   * Sends a prompt and resolves when its run is over. The user's permission mode holds: questions come to the user as always. Rejects with a
   * `TillerError`.
   */
  prompt(text: string, options?: PromptOptions): Promise<PromptResult>;
  /** Hears of what the agents of this window tell. A listener that throws is logged and goes on to be called. */
  onEvent(listener: (event: TillerEvent) => void): TillerDisposable;
  /** Registers a tool until it is disposed of. Throws a `TillerError` if the definition is refused. */
  registerHostTool(tool: HostToolV1, handler: HostToolHandlerV1): TillerDisposable;
}
