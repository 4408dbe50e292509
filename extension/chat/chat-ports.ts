import type { AgentCommand } from "../../agent/client/agent-process.ts";
import type { EditedChange, UiRequest } from "../../agent/protocol/dialogs.ts";
import type { ControlFrame } from "../../agent/protocol/frames.ts";
import type { HostModelDefinition, HostModelRequest } from "../../agent/protocol/host-models.ts";
import type { HostSecretRequest } from "../../agent/protocol/host-secrets.ts";
import type { HostToolCall, HostToolDefinition } from "../../agent/protocol/host-tools.ts";
import type { ContextAttachment } from "../../webview/protocol/context.ts";
import type { ImageAttachment } from "../../webview/protocol/draft.ts";
import type { Answer, Question } from "../core/connection/question-queue.ts";
import type { SessionMode } from "./session-mode.ts";
import type { PassedLimit } from "./session-usage.ts";

/** The log. Never gets text of the conversation. */
export interface ChatLog {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** Stores what must be known of a chat after the window is reloaded. */
export interface SessionPorts {
  /** Called when the agent has reported its session; `before` is the previous key of the chat. */
  known(session: { readonly key: string; readonly file: string | undefined; readonly before: string }): void;
  setRunning(isRunning: boolean): void;
  /** True when the session was running when its last agent exited. */
  wasRunning(): boolean;
}

/** The editor's language models, for the agent of a chat. */
export interface HostModelPort {
  /** The name of their provider. */
  readonly provider: string;
  /** Read again whenever they are sent to the agent. */
  readonly definitions: readonly HostModelDefinition[];
  /** Resolves when the request is over, however it ended. */
  request(request: HostModelRequest, send: (frame: ControlFrame) => void): Promise<void>;
  cancel(requestId: string): void;
  cancelAll(): void;
}

/** The services of the editor that a chat needs. */
export interface ChatPorts {
  readonly launch: () => Promise<AgentCommand>;
  /** Returns the reason why no agent may start here, if there is one. */
  readonly blockedBy: () => "untrusted" | "noFolder" | undefined;
  readonly mode: SessionMode;
  readonly hostTools: {
    readonly definitions: readonly HostToolDefinition[];
    /** The tools of Tiller itself, without those of other extensions. */
    readonly ownDefinitions: readonly HostToolDefinition[];
    call(call: HostToolCall, send: (frame: ControlFrame) => void): Promise<void>;
    cancel(callId: string): void;
    cancelAll(): void;
  };
  readonly hostModels: HostModelPort;
  /** Reads, stores, or deletes a secret for the agent, and sends it the result. Never rejects. */
  readonly keepSecret: (request: HostSecretRequest, send: (frame: ControlFrame) => void) => Promise<void>;
  /** @param isWanted true when the user asked to see the question. */
  readonly present: (question: Question, signal: AbortSignal, isWanted: boolean) => Promise<Answer | undefined>;
  /** Returns the user's version of the change that a question is about; undefined when it was not edited. */
  readonly editedOf: (requestId: string) => EditedChange | undefined;
  /** Called when the pending questions have changed. */
  readonly questionsChanged: (pending: readonly Question[]) => void;
  /** Handles requests without an answer, after the transcript has. */
  readonly tell: (request: UiRequest) => void;
  /** Reads what goes with a message and puts it before the text. */
  readonly compose: (text: string, contexts: readonly ContextAttachment[]) => Promise<string>;
  /** Appends text and images to the composer. */
  readonly giveBack: (text: string, images?: readonly ImageAttachment[]) => void;
  readonly session: SessionPorts;
  readonly cost: {
    /** Returns the cost limit of a session, in US dollars; 0 for none. */
    limitUsd(): number;
    /** Called when a session exceeds its limit; the transcript has reported it. */
    passed(limit: PassedLimit): void;
  };
  readonly log: ChatLog;
}
