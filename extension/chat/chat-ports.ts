import type { AgentCommand } from "../../agent/client/agent-process.ts";
import type { EditedChange, UiRequest } from "../../agent/protocol/dialogs.ts";
import type { ControlFrame } from "../../agent/protocol/frames.ts";
import type { HostModelDefinition, HostModelRequest } from "../../agent/protocol/host-models.ts";
import type { HostToolCall, HostToolDefinition } from "../../agent/protocol/host-tools.ts";
import type { ContextAttachment } from "../../webview/protocol/context.ts";
import type { ImageAttachment } from "../../webview/protocol/draft.ts";
import type { Answer, Question } from "../core/connection/question-queue.ts";
import type { SessionMode } from "./session-mode.ts";
import type { PassedLimit } from "./session-usage.ts";

/** Where the log goes. Never gets text of the conversation. */
export interface ChatLog {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** Where a chat leaves what has to be known of it after a reload of the window. */
export interface SessionPorts {
  /** The agent has told which session it has; `before` is the key that the chat had until then. */
  known(session: { readonly key: string; readonly file: string | undefined; readonly before: string }): void;
  setRunning(isRunning: boolean): void;
  /** Whether the session was at work when its last agent ended. */
  wasRunning(): boolean;
}

/** The models that the editor brings to the agent of a chat. */
export interface HostModelPort {
  /** The name of their provider. */
  readonly provider: string;
  /** Read anew whenever the agent is told of them. */
  readonly definitions: readonly HostModelDefinition[];
  /** Resolves when the request is over, however it ended. */
  request(request: HostModelRequest, send: (frame: ControlFrame) => void): Promise<void>;
  cancel(requestId: string): void;
  cancelAll(): void;
}

/** What the conversation needs from the editor. */
export interface ChatPorts {
  readonly launch: () => Promise<AgentCommand>;
  /** Why no agent may start here, if so. */
  readonly blockedBy: () => "untrusted" | "noFolder" | undefined;
  readonly mode: SessionMode;
  readonly hostTools: {
    readonly definitions: readonly HostToolDefinition[];
    /** Those of Tiller itself, without what other extensions lend. */
    readonly ownDefinitions: readonly HostToolDefinition[];
    call(call: HostToolCall, send: (frame: ControlFrame) => void): Promise<void>;
    cancel(callId: string): void;
    cancelAll(): void;
  };
  readonly hostModels: HostModelPort;
  /** @param isWanted whether the user has asked to see the question. */
  readonly present: (question: Question, signal: AbortSignal, isWanted: boolean) => Promise<Answer | undefined>;
  /** What the user has made of the change that a question is about; undefined when they left it as it is. */
  readonly editedOf: (requestId: string) => EditedChange | undefined;
  /** The pending questions have become more or fewer. */
  readonly questionsChanged: (pending: readonly Question[]) => void;
  /** Requests without an answer, after the transcript has seen them. */
  readonly tell: (request: UiRequest) => void;
  /** Reads what goes with a message and puts it before the text. */
  readonly compose: (text: string, contexts: readonly ContextAttachment[]) => Promise<string>;
  /** Puts text and pictures into the composer, behind what is there. */
  readonly giveBack: (text: string, images?: readonly ImageAttachment[]) => void;
  readonly session: SessionPorts;
  readonly cost: {
    /** What a session may cost, in US dollars; 0 for no limit. */
    limitUsd(): number;
    /** A session has cost more; the transcript has said so. */
    passed(limit: PassedLimit): void;
  };
  readonly log: ChatLog;
}
