import type { InputContent, ToolCall } from "../../../../agent/protocol/content.ts";
import type { UiRequest } from "../../../../agent/protocol/dialogs.ts";
import type { AgentEvent } from "../../../../agent/protocol/events.ts";
import type { AssistantMessage, ToolResultMessage, UserMessage } from "../../../../agent/protocol/messages.ts";
import type { Usage } from "../../../../agent/protocol/model.ts";
import { ItemLog } from "../../../../extension/core/transcript/item-log.ts";
import { PageFeed } from "../../../../extension/core/transcript/page-feed.ts";
import { reduce } from "../../../../extension/core/transcript/reduce.ts";
import {
  type HostAction,
  initialTranscript,
  type TranscriptState,
} from "../../../../extension/core/transcript/transcript-state.ts";
import type { TranscriptItem } from "../../../../webview/protocol/items.ts";
import type { PatchOp, ToPanel } from "../../../../webview/protocol/to-panel.ts";

/** The reducer, the log and the feed of a page together, with a clock and timers that the test moves. */
export class TranscriptHarness {
  state: TranscriptState = initialTranscript({ idPrefix: "t", cwd: "/work" });
  /** Everything that the reducer has changed. */
  readonly ops: PatchOp[] = [];
  /** Everything that pages were sent. */
  readonly sent: ToPanel[] = [];
  readonly timers: (() => void)[] = [];
  readonly log = new ItemLog();
  readonly feed = new PageFeed({
    log: this.log,
    ui: this.state.ui,
    send: (message) => this.sent.push(message),
    draft: () => ({ chat: "c1", text: "the draft", at: 1 }),
    now: () => 1,
    schedule: (callback) => {
      this.timers.push(callback);
      return () => this.timers.splice(this.timers.indexOf(callback), 1);
    },
  });
  #now = 0;

  /** @param stepMs how much later than the event before this one happens; for a question with a deadline, the time itself. */
  dispatch(event: AgentEvent | UiRequest | HostAction, stepMs = 0): void {
    this.#now = event.type === "extension_ui_request" ? stepMs : this.#now + stepMs;
    const { state, ops } = reduce(this.state, event, this.#now);
    this.state = state;
    this.ops.push(...ops);
    this.push(ops);
  }

  /** Applies changes, and passes them to the page. */
  push(ops: readonly PatchOp[]): void {
    this.feed.push(this.log.apply(ops), this.state.ui);
  }

  items(): TranscriptItem[] {
    return this.log.snapshot();
  }

  /** Ends the frame that the feed waits for. */
  passFrame(): void {
    for (const timer of this.timers.splice(0)) timer();
  }
}

/** A user message. */
export function user(text: string): UserMessage {
  return { role: "user", content: [{ type: "text", text }], timestamp: 0 };
}

/** A model's reply. */
export function assistant(fields: Partial<AssistantMessage>): AssistantMessage {
  return {
    role: "assistant",
    content: [],
    api: "anthropic-messages",
    provider: "anthropic",
    model: "test-model",
    usage: usage(0, 0),
    stopReason: "stop",
    timestamp: 0,
    ...fields,
  };
}

export function usage(input: number, output: number): Usage {
  return {
    input,
    output,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: input + output,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
}

export function call(id: string, name: string, args: Record<string, unknown>): ToolCall {
  return { type: "toolCall", id, name, arguments: args };
}

export function result(toolCallId: string, toolName: string, text: string): ToolResultMessage {
  const content: InputContent[] = [{ type: "text", text }];
  return { role: "toolResult", toolCallId, toolName, content, isError: false, timestamp: 0 };
}
