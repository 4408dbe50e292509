import type { AgentEvent, AssistantMessageEvent } from "../../protocol/events.ts";
import type { AgentMessage } from "../../protocol/messages.ts";
import { planOf, planUpdate } from "./plan.ts";
import { replayMessage } from "./replay.ts";
import type { SessionFeed } from "./session-feed.ts";
import { ToolCalls } from "./tool-calls.ts";

/** Turns the agent's events into updates of the session. */
export class EventUpdates {
  readonly calls: ToolCalls;
  readonly #feed: SessionFeed;
  readonly #cwd: string;
  #messageId = "";
  #compactions = 0;
  /** True while a message of the client, which shows it already, has not begun. */
  #isExpected = false;

  constructor(feed: SessionFeed, cwd: string) {
    this.#feed = feed;
    this.#cwd = cwd;
    this.calls = new ToolCalls(feed, cwd);
  }

  /** @param isComing true before a message that the client shows itself, false if it doesn't come. */
  expectMessage(isComing: boolean): void {
    this.#isExpected = isComing;
  }

  take(event: AgentEvent): void {
    switch (event.type) {
      case "message_update":
        this.#step(event.assistantMessageEvent);
        break;
      case "message_start":
        this.#begin(event.message);
        break;
      case "tool_execution_start":
        this.calls.begin(event.toolCallId, event.toolName, event.args, event.parentToolCallId);
        break;
      case "tool_execution_update":
        this.calls.progress(event.toolCallId, event.partialResult);
        break;
      case "tool_execution_end": {
        const phases = event.toolName === "todo_write" ? planOf(event.result.details) : undefined;
        if (phases !== undefined) this.#feed.send(planUpdate(phases));
        this.calls.end(event);
        break;
      }
      case "todo_auto_clear":
        this.#feed.send(planUpdate([]));
        break;
      case "agent_settled":
        this.#isExpected = false;
        this.calls.abandon();
        break;
      case "session_info_changed":
        this.#feed.send({ sessionUpdate: "session_info_update", title: event.name ?? null });
        break;
      default:
        this.#remark(event);
    }
  }

  #begin(message: AgentMessage): void {
    if (message.role === "assistant") {
      this.#messageId = this.#feed.nextMessage();
    } else if (message.role === "user" && this.#isExpected) {
      this.#isExpected = false;
    } else if (message.role === "user" || message.role === "custom") {
      replayMessage(message, this.#feed, this.#cwd);
    }
  }

  #step(step: AssistantMessageEvent): void {
    switch (step.type) {
      case "text_delta":
        this.#feed.text("agent_message_chunk", this.#messageId, step.delta);
        break;
      case "thinking_delta":
        this.#feed.text("agent_thought_chunk", this.#messageId, step.delta);
        break;
      case "toolcall_start":
        if (step.id !== undefined && step.toolName !== undefined) this.calls.announce(step.id, step.toolName);
        break;
      case "toolcall_end":
        this.calls.describe(step.toolCall.id, step.toolCall.name, step.toolCall.arguments);
        break;
    }
  }

  /** Events that people read about. */
  #remark(event: AgentEvent): void {
    switch (event.type) {
      case "compaction_start":
        this.#compaction("in_progress");
        break;
      case "compaction_end":
        if (event.result !== null) this.#compaction("completed", event.result.summary);
        else this.#compaction(event.aborted ? "cancelled" : "failed", undefined, event.errorMessage);
        break;
      case "auto_retry_start": {
        const wait = Math.round(event.delayMs / 1000);
        const title = `Retrying in ${wait} s (${event.attempt} of ${event.maxAttempts})`;
        this.#feed.notice("warning", title, event.errorMessage);
        break;
      }
      case "run_waiting":
        this.#feed.notice("info", `Waiting for MCP servers: ${event.names.join(", ")}`);
        break;
      case "ttsr_triggered":
        this.#feed.notice("info", `Rules interrupted the answer: ${event.rules.map(({ name }) => name).join(", ")}`);
        break;
      case "extension_error":
        this.#feed.notice("error", `${event.extensionPath} (${event.event})`, event.error);
        break;
      case "session_changed":
        this.#feed.meta({ sessionChanged: event });
        break;
      case "background_changed":
        this.#feed.meta({ backgroundProcesses: event.processes });
        break;
    }
  }

  #compaction(status: "in_progress" | "completed" | "failed" | "cancelled", summary?: string, error?: string): void {
    if (status === "in_progress") this.#compactions += 1;
    if (this.#feed.capabilities.session?.compaction) {
      this.#feed.send({
        sessionUpdate: "compaction_update",
        compactionId: `c${this.#compactions}`,
        status,
        ...(summary !== undefined && { summary: [{ type: "text", text: summary }] }),
        ...(error !== undefined && { error }),
      });
      return;
    }
    const words = {
      in_progress: "Summarizing the earlier conversation to make room…",
      completed: "The earlier conversation was summarized.",
      failed: "The conversation couldn't be summarized.",
      cancelled: "Summarizing was cancelled.",
    };
    this.#feed.notice(status === "failed" ? "error" : "info", words[status], error);
  }
}
