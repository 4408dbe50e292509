import { describe, expect, it } from "vitest";
import { UiRequest, UiResponse } from "../../agent/protocol/dialogs.ts";
import { ReadyFrame, ResponseFrame } from "../../agent/protocol/envelope.ts";
import { AgentEvent, type AgentEventType } from "../../agent/protocol/events.ts";
import { AgentFrame, ControlFrame } from "../../agent/protocol/frames.ts";
import { ASSISTANT, MODEL, TOOL_CALL, TOOL_RESULT, USAGE, USER } from "./samples.ts";

const result = { summary: "Goal …", firstKeptEntryId: "0a1b2c3d", tokensBefore: 150_000 };
const partialResult = { content: [{ type: "text", text: "so far" }], details: { lines: 1 } };
const retry = { attempt: 1, maxAttempts: 3, delayMs: 2000, errorMessage: "Overloaded" };
const todo = { id: "task-1", content: "Read", status: "pending" };
const entry = {
  type: "custom",
  id: "0a1b2c3d",
  parentId: null,
  timestamp: "2026-11-21T03:00:00.000Z",
  customType: "note",
};

/** Each event with all its fields, without its type. */
const EVENTS: Record<AgentEventType, Record<string, unknown>> = {
  agent_start: {},
  agent_end: { messages: [USER, ASSISTANT, TOOL_RESULT], willRetry: false, willContinue: true },
  agent_settled: { aborted: false },
  turn_start: {},
  turn_end: { message: ASSISTANT, toolResults: [TOOL_RESULT] },
  message_start: { message: USER },
  message_update: {
    message: ASSISTANT,
    assistantMessageEvent: { type: "text_delta", contentIndex: 1, delta: "Loo", partial: ASSISTANT },
    usage: USAGE,
  },
  message_end: { message: ASSISTANT },
  tool_execution_start: { toolCallId: "t1", toolName: "read", args: { path: "notes.txt" } },
  tool_execution_update: { toolCallId: "t1", toolName: "read", args: { path: "notes.txt" }, partialResult },
  tool_execution_end: {
    toolCallId: "t1",
    toolName: "read",
    result: partialResult,
    isError: false,
    durationMs: 3,
    isWarning: true,
  },
  queue_update: { steering: ["use tabs"], followUp: ["[Image]"] },
  compaction_start: { reason: "manual" },
  compaction_end: { reason: "overflow", result: null, aborted: true, willRetry: false, errorMessage: "Failed" },
  auto_compaction_start: { reason: "idle", action: "context-full" },
  auto_compaction_end: { action: "handoff", result, aborted: false, willRetry: true, skipped: true },
  auto_retry_start: retry,
  auto_retry_end: { success: false, attempt: 3, finalError: "Overloaded" },
  summarization_retry_scheduled: retry,
  summarization_retry_attempt_start: { source: "compaction", reason: "threshold" },
  summarization_retry_finished: {},
  ttsr_triggered: { rules: [{ name: "no-todo", content: "Finish it.", path: "rules/no-todo.md" }] },
  todo_reminder: { todos: [todo], attempt: 1, maxAttempts: 3 },
  todo_auto_clear: {},
  session_info_changed: { name: "Fix the build" },
  session_changed: { reason: "new", sessionId: "0190", sessionFile: "/tmp/s.jsonl" },
  thinking_level_changed: { level: "xhigh" },
  entry_appended: { entry },
  bash_execution_update: { id: 7, delta: "a\n" },
  background_changed: {
    processes: [{ id: "b1", pid: 4711, command: "node server.js", outputPath: "/tmp/server.log" }],
  },
  extension_error: { extensionPath: "<mcp>", event: "server", error: "Not signed in.", signIn: "far" },
  changes_update: { reason: "recorded", toolCallId: "toolu_1", paths: ["/w/a.txt"], count: 1 },
  run_waiting: { for: "mcp_servers", names: ["far"] },
};

const STEPS = [
  { type: "start" },
  { type: "text_start", contentIndex: 0 },
  { type: "text_delta", contentIndex: 0, delta: "a" },
  { type: "text_end", contentIndex: 0, content: "a" },
  { type: "thinking_start", contentIndex: 1 },
  { type: "thinking_delta", contentIndex: 1, delta: "b" },
  { type: "thinking_end", contentIndex: 1, content: "b" },
  { type: "toolcall_start", contentIndex: 2, id: "t1", toolName: "read" },
  { type: "toolcall_delta", contentIndex: 2, delta: '{"path"' },
  { type: "toolcall_end", contentIndex: 2, toolCall: TOOL_CALL },
  { type: "done", reason: "toolUse", message: ASSISTANT },
  { type: "error", reason: "aborted", error: ASSISTANT },
];

describe("AgentEvent", () => {
  it.each(Object.entries(EVENTS))("%s keeps all its fields", (type, fields) => {
    expect(AgentEvent.parse({ type, ...fields })).toEqual({ type, ...fields });
  });

  it.each(STEPS)("carries the streaming step $type without a snapshot", (step) => {
    const event = { type: "message_update", assistantMessageEvent: step };
    expect(AgentEvent.parse(event)).toEqual(event);
  });

  it("drops unknown fields", () => {
    expect(AgentEvent.parse({ type: "agent_settled", aborted: false, colour: "teal" })).toEqual({
      type: "agent_settled",
      aborted: false,
    });
  });

  it("refuses an unknown type, fractions instead of integers, and an unknown stop reason", () => {
    const wrong = [
      { type: "agent_paused" },
      { type: "auto_retry_start", ...retry, delayMs: 2000.5 },
      { type: "message_end", message: { ...ASSISTANT, stopReason: "pending" } },
    ];
    expect(wrong.map((event) => AgentEvent.safeParse(event).success)).toEqual([false, false, false]);
  });
});

const id = "d1";
const REQUESTS = [
  { method: "select", title: "Where?", options: ["here", "there"], timeout: 30_000 },
  { method: "confirm", title: "Sure?", message: "It cannot be undone." },
  { method: "input", title: "Name?", placeholder: "anything" },
  { method: "editor", title: "Text?", prefill: "a\nb", promptStyle: true },
  { method: "notify", message: "Done.", notifyType: "warning" },
  { method: "setStatus", statusKey: "build", statusText: "green" },
  { method: "setWidget", widgetKey: "plan", widgetLines: ["one"], widgetPlacement: "belowEditor" },
  { method: "setTitle", title: "tiller" },
  { method: "set_editor_text", text: "" },
  { method: "cancel", targetId: "d0" },
];

describe("UiRequest", () => {
  it.each(REQUESTS)("$method keeps all its fields", (fields) => {
    const request = { type: "extension_ui_request", id, ...fields };
    expect(UiRequest.parse(request)).toEqual(request);
  });

  it("refuses a time limit that is not a positive integer", () => {
    const request = { type: "extension_ui_request", id, method: "input", title: "Name?" };
    expect([0, -1, 1.5].map((timeout) => UiRequest.safeParse({ ...request, timeout }).success)).toEqual([
      false,
      false,
      false,
    ]);
  });
});

describe("a control frame", () => {
  it("is accepted with any form of answer, so that it always settles something", () => {
    const frames = [
      { type: "extension_ui_response", id, value: 7, confirmed: "yes", cancelled: null },
      { type: "host_tool_result", id, result: { data: { a: 1 } } },
      { type: "host_tool_result", id, result: "text", isError: true },
      { type: "host_tool_result", id, error: "gone" },
      { type: "host_tool_update", id, partialResult },
      { type: "host_model_update", id, parts: [{ type: "text", text: "a" }, TOOL_CALL] },
      { type: "host_model_result", id, stopReason: "stop", usage: { input: 1, output: 2, cacheRead: 3 } },
      { type: "host_model_result", id, error: "Slow down.", errorKind: "rate_limit", retryAfterMs: 5 },
    ];
    expect(frames.map((frame) => ControlFrame.parse(frame))).toEqual(frames);
    expect(UiResponse.safeParse({ type: "extension_ui_response" }).success).toBe(false);
  });
});

describe("other frames of the agent", () => {
  it("are distinguished by their type", () => {
    const frames = [
      { type: "ready", version: "0.1.0", protocolVersion: 1, dialects: ["pi", "xcsh"] },
      { type: "response", id: 3, command: "set_model", success: true, data: MODEL },
      { type: "response", requestId: "x", command: "dance", success: false, error: "Unknown command: dance" },
      { type: "host_tool_call", id: "6f", toolCallId: "t7", toolName: "pick_colour", arguments: {} },
      { type: "host_tool_cancel", id: "91", targetId: "6f" },
      {
        type: "host_model_request",
        id: "7a",
        modelId: "fox",
        systemPrompt: "Be brief.",
        messages: [
          { role: "user", content: [{ type: "text", text: "hi" }] },
          { role: "assistant", content: [TOOL_CALL] },
          { role: "toolResult", toolCallId: "t1", toolName: "read", content: [], isError: true },
        ],
        tools: [{ name: "read", description: "Reads.", parameters: { type: "object" } }],
        thinkingLevel: "off",
        maxTokens: 100,
      },
      { type: "host_model_cancel", id: "92", targetId: "7a" },
      { type: "agent_start" },
    ];
    expect(frames.map((frame) => AgentFrame.parse(frame))).toEqual(frames);
  });

  it("never have an id of null or an empty error", () => {
    const response = { type: "response", command: "abort", success: true };
    expect(ResponseFrame.safeParse({ ...response, id: null }).success).toBe(false);
    expect(ResponseFrame.safeParse({ ...response, success: false, error: "" }).success).toBe(false);
    expect(ReadyFrame.safeParse({ type: "ready" }).success).toBe(false);
  });
});
