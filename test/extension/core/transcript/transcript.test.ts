import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../../../agent/protocol/events.ts";
import type { AgentMessage, AssistantMessage, ToolResultMessage } from "../../../../agent/protocol/messages.ts";
import { gitBlock } from "../../../../extension/core/mentions/context-blocks.ts";
import { joinPrompt } from "../../../../extension/core/mentions/prompt-blocks.ts";
import { itemsFromMessages, rebuild, reduce } from "../../../../extension/core/transcript/reduce.ts";
import { initialTranscript, toolCallIdOf } from "../../../../extension/core/transcript/transcript-state.ts";
import { assistant, call, result, TranscriptHarness, usage, user } from "./transcript-harness.ts";

/** A run with thinking, text, two tools, a steering message and an answer, in delta mode. */
function wholeRun(): { events: AgentEvent[]; messages: AgentMessage[] } {
  const read = call("c1", "read", { path: "a.ts", offset: 3, limit: 2 });
  const edit = call("c2", "edit", { path: "a.ts", edits: [{ oldText: "one\n", newText: "two\nthree\n" }] });
  const first: AssistantMessage = assistant({
    content: [{ type: "thinking", thinking: "Let me look." }, { type: "text", text: "Looking." }, read, edit],
    stopReason: "toolUse",
    usage: usage(100, 20),
  });
  const results: ToolResultMessage[] = [
    { ...result("c1", "read", "one\nline"), durationMs: 5 },
    {
      ...result("c2", "edit", "Successfully replaced 1 block(s) in a.ts."),
      details: { diff: "- 1 one\n+ 1 two\n+ 2 three" },
    },
  ];
  const last = assistant({ content: [{ type: "text", text: "Done **now**." }], usage: usage(150, 10) });
  const prompt = user("Change it");
  const steering = user("Hurry");
  const events: AgentEvent[] = [
    { type: "agent_start" },
    { type: "turn_start" },
    ...whole(prompt),
    { type: "message_start", message: { ...first, content: [] } },
    update({ type: "thinking_start", contentIndex: 0 }),
    update({ type: "thinking_delta", contentIndex: 0, delta: "Let me " }),
    update({ type: "thinking_delta", contentIndex: 0, delta: "look." }),
    update({ type: "thinking_end", contentIndex: 0, content: "Let me look." }),
    update({ type: "text_start", contentIndex: 1 }),
    update({ type: "text_delta", contentIndex: 1, delta: "Look" }),
    update({ type: "text_delta", contentIndex: 1, delta: "ing." }),
    update({ type: "text_end", contentIndex: 1, content: "Looking." }),
    ...[read, edit].flatMap((toolCall, index): AgentEvent[] => [
      update({ type: "toolcall_start", contentIndex: 2 + index, id: toolCall.id, toolName: toolCall.name }),
      update({ type: "toolcall_delta", contentIndex: 2 + index, delta: JSON.stringify(toolCall.arguments) }),
      update({ type: "toolcall_end", contentIndex: 2 + index, toolCall }),
    ]),
    { type: "message_end", message: first },
    ...[read, edit].flatMap((toolCall, index): AgentEvent[] => {
      const { content, details, durationMs } = results[index] ?? result("", "", "");
      return [
        { type: "tool_execution_start", toolCallId: toolCall.id, toolName: toolCall.name, args: toolCall.arguments },
        {
          type: "tool_execution_update",
          toolCallId: toolCall.id,
          toolName: toolCall.name,
          args: {},
          partialResult: { content: [] },
        },
        {
          type: "tool_execution_end",
          toolCallId: toolCall.id,
          toolName: toolCall.name,
          result: { content, details },
          isError: false,
          durationMs,
        },
        ...whole(results[index] ?? user("")),
      ];
    }),
    { type: "turn_end", message: first, toolResults: results },
    { type: "turn_start" },
    ...whole(steering),
    { type: "message_start", message: { ...last, content: [] } },
    update({ type: "text_delta", contentIndex: 0, delta: "Done **now**." }),
    { type: "message_end", message: last },
    { type: "turn_end", message: last, toolResults: [] },
    { type: "agent_end", messages: [], willRetry: false },
    { type: "agent_settled", aborted: false },
  ];
  return { events, messages: [prompt, first, ...results, steering, last] };
}

function whole(message: AgentMessage): AgentEvent[] {
  return [
    { type: "message_start", message },
    { type: "message_end", message },
  ];
}

type Update = Extract<AgentEvent, { type: "message_update" }>;
function update(assistantMessageEvent: Update["assistantMessageEvent"]): Update {
  return { type: "message_update", assistantMessageEvent };
}

it("a card of a call by address has the address of its document, and no file path", () => {
  const [read] = itemsFromMessages(
    [assistant({ content: [call("c", "read", { path: "untitled:Notes" })], stopReason: "toolUse" })],
    { idPrefix: "i", cwd: "/work" },
  ).filter(({ kind }) => kind === "tool");
  expect(read).toMatchObject({ intent: "untitled:Notes", address: "untitled:Notes" });
  expect(read).not.toHaveProperty("path");
});

it("a card of a reopened session shows the call that ran, however the model had written it", () => {
  const ranAs = { toolName: "read", args: { path: "a.ts" } };
  const [read] = itemsFromMessages(
    [
      assistant({ content: [call("c", "Read", { file_path: "a.ts" })], stopReason: "toolUse" }),
      { ...result("c", "Read", "one"), ranAs },
    ],
    { idPrefix: "i", cwd: "/work" },
  ).filter(({ kind }) => kind === "tool");
  expect(read).toMatchObject({ toolName: "read", intent: "a.ts", path: "/work/a.ts", state: "done", output: "one" });
});

describe("reduce", () => {
  it("says at the end of an answer, and beside its cost, why it didn't come from the cache", () => {
    const chat = new TranscriptHarness();
    const names = { added: ["a", "b", "c", "d"], removed: ["e"] };
    const rewrite = { cause: "tools" as const, reason: "tool list changed", ...names };
    const message = assistant({ usage: usage(1, 1), cacheRewrite: rewrite });
    const run = (said: typeof message) => {
      chat.dispatch({ type: "agent_start" });
      chat.dispatch({ type: "message_start", message: said });
      chat.dispatch({ type: "message_end", message: said });
      chat.dispatch({ type: "agent_end", messages: [said], willRetry: false, willContinue: false });
      chat.dispatch({ type: "agent_settled", aborted: false });
    };
    const note = "Cache rewritten: the list of tools changed (added: a, b, c, …; removed: e)";
    run(message);
    expect(chat.items().findLast(({ kind }) => kind === "footer")).toMatchObject({ cacheNote: note });
    expect(chat.state.ui.cacheNote).toBe(note);
    run(assistant({ usage: usage(1, 1) }));
    expect(chat.items().findLast(({ kind }) => kind === "footer")).not.toHaveProperty("cacheNote");
    expect(chat.state.ui.cacheNote).toBeUndefined();
  });

  it("takes the reason why an answer didn't come from the cache from the conversation that is shown", () => {
    const message = assistant({ usage: usage(1, 1), cacheRewrite: { cause: "model", reason: "model changed" } });
    const { state } = rebuild(new TranscriptHarness().state, [message], 0);
    expect(state.ui.cacheNote).toBe("Cache rewritten: the model changed");
    expect(rebuild(state, [], 0).state.ui.cacheNote).toBeUndefined();
  });

  it("doesn't know during a run when the cache expires", () => {
    const chat = new TranscriptHarness();
    chat.dispatch({ type: "host_ui", ui: { cache: { expiresAt: 1, rereadUsd: 0.42 } } });
    chat.dispatch({ type: "agent_start" });
    expect(chat.state.ui.cache).toBeUndefined();
  });

  it("shows a run as prompt, thinking, text, tool cards and a footer", () => {
    const chat = new TranscriptHarness();
    for (const event of wholeRun().events) chat.dispatch(event, 1_000);
    expect(chat.items().map((item) => item.kind)).toEqual([
      "prompt",
      "thinking",
      "text",
      "tool",
      "tool",
      "footer",
      "prompt",
      "text",
      "footer",
    ]);
    expect(chat.items()[1]).toMatchObject({ text: "Let me look.", isStreaming: false, durationMs: 1_000 });
    expect(chat.items()[3]).toMatchObject({
      toolName: "read",
      state: "done",
      intent: "a.ts (lines 3–4)",
      phrase: "Read {0}",
      part: "file",
      output: "one\nline",
      path: "/work/a.ts",
      durationMs: 5,
    });
    expect(chat.items()[4]).toMatchObject({
      toolName: "edit",
      state: "done",
      intent: "a.ts +2 −1",
      diff: "- 1 one\n+ 1 two\n+ 2 three",
    });
    expect(chat.items()[8]).toMatchObject({ model: "test-model", inputTokens: 150, outputTokens: 10 });
    expect(chat.state.ui).toMatchObject({ status: "idle", contextTokens: 160 });
  });

  it("creates the same items from the messages as from the events", () => {
    const { events, messages } = wholeRun();
    const chat = new TranscriptHarness();
    for (const event of events) chat.dispatch(event, 1_000);
    const rebuilt = itemsFromMessages(messages, { idPrefix: "t", cwd: "/work" });
    expect(rebuilt).toEqual(chat.items().map(withoutElapsed));
  });

  it("sends the text of an answer about once", () => {
    const chat = new TranscriptHarness();
    const text = "word ".repeat(2_000);
    const message = assistant({ content: [{ type: "text", text }] });
    chat.dispatch({ type: "message_start", message: { ...message, content: [] } });
    for (let at = 0; at < text.length; at += 20) {
      chat.dispatch(update({ type: "text_delta", contentIndex: 0, delta: text.slice(at, at + 20) }));
    }
    chat.dispatch(update({ type: "text_end", contentIndex: 0, content: text }));
    chat.dispatch({ type: "message_end", message });
    const sent = chat.ops.reduce(
      (sum, op) =>
        sum +
        (op.op === "append" ? op.text.length : op.op === "upsert" && op.item.kind === "text" ? op.item.text.length : 0),
      0,
    );
    expect(sent).toBe(10_000);
    expect(chat.items()).toMatchObject([{ kind: "text", text, isStreaming: false }]);
  });

  it("corrects a text that differs in the final message", () => {
    const chat = new TranscriptHarness();
    const message = assistant({ content: [{ type: "text", text: "Right" }] });
    chat.dispatch({ type: "message_start", message: { ...message, content: [] } });
    chat.dispatch(update({ type: "text_delta", contentIndex: 0, delta: "Wrong!" }));
    chat.dispatch({ type: "message_end", message });
    expect(chat.items()).toMatchObject([{ kind: "text", text: "Right", isStreaming: false }]);
  });

  it("shows a tool call while its arguments arrive, and drops it when the reply ends without it", () => {
    const chat = new TranscriptHarness();
    const message = assistant({ content: [], stopReason: "aborted" });
    chat.dispatch({ type: "message_start", message });
    chat.dispatch(update({ type: "toolcall_start", contentIndex: 0, id: "c9", toolName: "bash" }));
    chat.dispatch(update({ type: "toolcall_delta", contentIndex: 0, delta: '{"command":"ls' }));
    expect(chat.items()).toMatchObject([
      { kind: "tool", toolName: "bash", state: "preparing", input: '{"command":"ls' },
    ]);
    expect(toolCallIdOf(chat.items()[0]?.id ?? "")).toBe("c9");
    chat.dispatch({ type: "message_end", message });
    expect(chat.items()).toEqual([]);
  });

  it("keeps only the end of a long output, and says that it is cut", () => {
    const chat = new TranscriptHarness();
    chat.dispatch({ type: "tool_execution_start", toolCallId: "c1", toolName: "bash", args: { command: "yes" } });
    const content = [{ type: "text" as const, text: `${"x".repeat(5_000)}end` }];
    chat.dispatch({
      type: "tool_execution_update",
      toolCallId: "c1",
      toolName: "bash",
      args: {},
      partialResult: { content },
    });
    const [item] = chat.items();
    expect(item).toMatchObject({ state: "running", intent: "yes", isOutputCut: true });
    expect(item?.kind === "tool" && item.output.length).toBe(4_000);
    expect(item?.kind === "tool" && item.output.endsWith("xend")).toBe(true);
  });

  it.each([
    [undefined, "failed"],
    ["aborted", "cancelled"],
    ["skipped", "cancelled"],
    ["denied", "denied"],
  ] as const)("ends a call that was stopped as %s as %s, whatever its text says", (stopped, state) => {
    const chat = new TranscriptHarness();
    chat.dispatch({ type: "tool_execution_start", toolCallId: "c1", toolName: "bash", args: { command: "x" } });
    chat.dispatch({
      type: "tool_execution_end",
      toolCallId: "c1",
      toolName: "bash",
      result: { content: [{ type: "text", text: "Command aborted" }] },
      isError: true,
      ...(stopped === undefined ? {} : { stopped }),
    });
    expect(chat.items()).toMatchObject([{ state }]);
  });

  it("has the exit code that the agent gives a command, not one that its output names", () => {
    const chat = new TranscriptHarness();
    const end = (toolCallId: string, details: object) => {
      chat.dispatch({ type: "tool_execution_start", toolCallId, toolName: "bash", args: { command: "x" } });
      const result = { content: [{ type: "text" as const, text: "Command exited with code 7" }], details };
      chat.dispatch({ type: "tool_execution_end", toolCallId, toolName: "bash", result, isError: true });
    };
    end("c1", { exitCode: 2 });
    end("c2", {});
    const [first, second] = chat.items();
    expect(first).toMatchObject({ exitCode: 2 });
    expect(second).not.toHaveProperty("exitCode");
  });

  it("shows an error once, with advice, and only when the agent does not try again", () => {
    const chat = new TranscriptHarness();
    const failed = assistant({
      content: [{ type: "text", text: "Half an ans" }],
      stopReason: "error",
      errorMessage: "529 overloaded",
    });
    chat.dispatch({ type: "agent_start" });
    for (const event of whole(failed)) chat.dispatch(event);
    chat.dispatch({ type: "agent_end", messages: [], willRetry: true });
    chat.dispatch({
      type: "auto_retry_start",
      attempt: 1,
      maxAttempts: 3,
      delayMs: 2_000,
      errorMessage: "529 overloaded",
    });
    expect(chat.items().map((item) => item.kind)).toEqual(["text", "activity"]);
    chat.dispatch({ type: "agent_start" });
    for (const event of whole(failed)) chat.dispatch(event);
    chat.dispatch({ type: "agent_end", messages: [], willRetry: false });
    chat.dispatch({ type: "auto_retry_end", success: false, attempt: 1, finalError: "529 overloaded" });
    chat.dispatch({ type: "agent_settled", aborted: false });
    expect(chat.items().filter((item) => item.kind === "text")).toHaveLength(1);
    expect(chat.items().filter((item) => item.kind === "notice")).toMatchObject([
      {
        level: "error",
        text: "The model didn't respond: 529 overloaded.",
        action: { label: "Retry", command: "tiller.tryAgain" },
        secondAction: { command: "tiller.pickModel" },
      },
    ]);
    expect(chat.items()).toContainEqual(
      expect.objectContaining({ kind: "activity", text: "Gave up after 1 retry", isRunning: false }),
    );
  });

  it("says that the wait for a retry was ended, when the agent says so, in whatever words", () => {
    const chat = new TranscriptHarness();
    const start = { attempt: 1, maxAttempts: 3, delayMs: 2_000, errorMessage: "529 overloaded" };
    chat.dispatch({ type: "auto_retry_start", ...start });
    chat.dispatch({ type: "auto_retry_end", success: false, attempt: 1, finalError: "Over.", aborted: true });
    chat.dispatch({ type: "auto_retry_start", ...start });
    chat.dispatch({ type: "auto_retry_end", success: false, attempt: 1, finalError: "Retry cancelled" });
    const texts = chat.items().flatMap((item) => (item.kind === "activity" ? [item.text] : []));
    expect(texts).toEqual(["Retry canceled", "Gave up after 1 retry"]);
  });

  it("offers to set a key when the provider refused it", () => {
    const chat = new TranscriptHarness();
    const failure = { stopReason: "error", errorMessage: "401 invalid x-api-key", errorKind: "auth" } as const;
    for (const event of whole(assistant({ content: [], ...failure }))) chat.dispatch(event);
    chat.dispatch({ type: "agent_settled", aborted: false });
    expect(chat.items()).toMatchObject([{ kind: "notice", level: "error", action: { command: "tiller.setApiKey" } }]);
  });

  it("does not offer to try again during a retry", () => {
    const chat = new TranscriptHarness();
    for (const event of whole(assistant({ content: [], stopReason: "error", errorMessage: "529" })))
      chat.dispatch(event);
    chat.dispatch({ type: "agent_settled", aborted: false });
    chat.dispatch({ type: "agent_start" });
    expect(chat.items()).toMatchObject([{ kind: "notice", action: { label: "Select Model" } }]);
  });

  it("offers to continue after a failure until the user does", () => {
    const chat = new TranscriptHarness();
    const offers = () =>
      chat.items().flatMap((item) => (item.kind === "notice" ? [[item.action?.label, item.secondAction?.label]] : []));
    for (const event of whole(assistant({ content: [], stopReason: "error", errorMessage: "529" })))
      chat.dispatch(event);
    chat.dispatch({ type: "agent_settled", aborted: false });
    expect(offers()).toEqual([["Retry", "Select Model"]]);
    chat.dispatch({ type: "message_end", message: user("Again") });
    expect(offers()).toEqual([["Select Model", undefined]]);
    const half = assistant({ content: [{ type: "text", text: "Half" }], stopReason: "length" });
    for (const event of whole(half)) chat.dispatch(event);
    chat.dispatch({ type: "agent_settled", aborted: false });
    expect(offers()).toEqual([
      ["Select Model", undefined],
      ["Continue", undefined],
    ]);
    const messages = [user("Do it"), half, user("Go on")];
    const { items } = rebuild(chat.state, messages, 0);
    expect(items.find((item) => item.kind === "notice")).not.toHaveProperty("action");
  });

  it("says since when the agent works, until it stops", () => {
    const chat = new TranscriptHarness();
    chat.dispatch({ type: "agent_start" }, 1_000);
    chat.dispatch({ type: "message_end", message: user("Do it") }, 500);
    chat.dispatch({ type: "host_status", status: "stopping" }, 500);
    expect(chat.state.ui.runningSince).toBe(1_000);
    chat.dispatch({ type: "agent_settled", aborted: true }, 500);
    expect(chat.state.ui).not.toHaveProperty("runningSince");
  });

  it("says once that a run was stopped, and shows its open tools as cancelled", () => {
    const chat = new TranscriptHarness();
    chat.dispatch({ type: "agent_start" });
    chat.dispatch({ type: "tool_execution_start", toolCallId: "c1", toolName: "bash", args: { command: "sleep 9" } });
    for (const event of whole(assistant({ content: [], stopReason: "aborted" }))) chat.dispatch(event);
    chat.dispatch({ type: "agent_end", messages: [], willRetry: false });
    chat.dispatch({ type: "agent_settled", aborted: true });
    expect(chat.items()).toMatchObject([
      { kind: "tool", state: "cancelled" },
      { kind: "notice", text: "Stopped" },
    ]);
  });

  it("shows a compaction once although the wire reports it twice", () => {
    const chat = new TranscriptHarness();
    const size = { tokensBefore: 12_000, estimatedTokensAfter: 900 };
    const details = { readFiles: [], modifiedFiles: [], kept: { ruledOut: 2, name: 30 } };
    const compaction = { summary: "So far", firstKeptEntryId: "e", ...size, details };
    chat.dispatch({ type: "compaction_start", reason: "threshold" });
    chat.dispatch({ type: "auto_compaction_start", reason: "threshold", action: "context-full" });
    chat.dispatch({
      type: "auto_compaction_end",
      action: "context-full",
      result: compaction,
      aborted: false,
      willRetry: false,
    });
    chat.dispatch({
      type: "compaction_end",
      reason: "threshold",
      result: compaction,
      aborted: false,
      willRetry: false,
    });
    expect(chat.items()).toMatchObject([
      {
        kind: "activity",
        isRunning: false,
        text: "Chat compacted from 12,000 to about 900 tokens · 32 facts kept word for word",
        detail: "So far",
      },
    ]);
  });

  it("tells that old tool results are no longer sent, and not of other entries", () => {
    const chat = new TranscriptHarness();
    const base = { type: "custom" as const, id: "e", parentId: null, timestamp: "2026-01-02T03:04:05.000Z" };
    const results = [
      { entryId: "a", note: "Note A" },
      { entryId: "b", note: "Note B" },
    ];
    chat.dispatch({ type: "entry_appended", entry: { ...base, customType: "tiller.pruning", data: { results } } });
    chat.dispatch({ type: "entry_appended", entry: { ...base, customType: "mine", data: { results } } });
    expect(chat.items()).toMatchObject([
      {
        kind: "notice",
        text: "Removed 2 old tool results from the context to free up space",
        detail: "Note A\nNote B",
      },
    ]);
  });

  it("keeps a question pending until it is answered, withdrawn or timed out", () => {
    const chat = new TranscriptHarness();
    const ask = (id: string) =>
      chat.dispatch(
        { type: "extension_ui_request", id, method: "confirm", title: "Sure?", message: "Really", timeout: 5_000 },
        1_000,
      );
    for (const id of ["a", "b", "c"]) ask(id);
    chat.dispatch({ type: "host_dialog_settled", requestId: "a", state: "answered", answer: "Yes" });
    chat.dispatch({ type: "extension_ui_request", id: "x", method: "cancel", targetId: "b" }, 2_000);
    chat.dispatch({ type: "extension_ui_request", id: "y", method: "cancel", targetId: "c" }, 6_000);
    expect(chat.items()).toMatchObject([
      { state: "answered", answer: "Yes", deadline: 6_000 },
      { state: "withdrawn" },
      { state: "timedOut" },
    ]);
  });

  it("shows the user's words and attached chips, for queued messages too", () => {
    const said = joinPrompt([gitBlock("M a.ts")], "Why @git?");
    const chat = new TranscriptHarness();
    chat.dispatch({ type: "queue_update", steering: [said], followUp: ["later"] });
    expect(chat.state.ui).toMatchObject({
      steering: ["Why @git?"],
      followUp: ["later"],
      queueChips: { steering: [["Git changes"]], followUp: [[]] },
    });
    expect(chat.state.waiting).toEqual({ steering: [said], followUp: ["later"] });
    const [item] = itemsFromMessages([user(said)], { idPrefix: "t", cwd: "/w" });
    expect(item).toMatchObject({
      text: "Why @git?",
      sent: [{ mark: "@git", label: "Git changes", fixed: { content: "M a.ts" } }],
    });
  });

  it("keeps queue, widgets, statuses and thinking level around the conversation", () => {
    const chat = new TranscriptHarness();
    chat.dispatch({ type: "queue_update", steering: ["now"], followUp: ["later"] });
    chat.dispatch({
      type: "extension_ui_request",
      id: "1",
      method: "setWidget",
      widgetKey: "w",
      widgetLines: ["a"],
      widgetPlacement: "belowEditor",
    });
    chat.dispatch({ type: "extension_ui_request", id: "2", method: "setStatus", statusKey: "s", statusText: "busy" });
    chat.dispatch({ type: "thinking_level_changed", level: "high" });
    expect(chat.state.ui).toMatchObject({
      steering: ["now"],
      followUp: ["later"],
      thinkingLevel: "high",
      widgets: [{ key: "w", lines: ["a"], placement: "below" }],
      statuses: [{ key: "s", text: "busy" }],
    });
    chat.dispatch({ type: "extension_ui_request", id: "3", method: "setWidget", widgetKey: "w" });
    chat.dispatch({ type: "extension_ui_request", id: "4", method: "setStatus", statusKey: "s" });
    expect(chat.state.ui).toMatchObject({ widgets: [], statuses: [] });
  });

  it("shows the plan as todo_write leaves it, not as a failed call says", () => {
    const chat = new TranscriptHarness();
    const tasks = [{ id: "task-1", content: "look", status: "in_progress" }];
    const shownTask = { id: "task-1", text: "look", state: "in_progress" };
    const shown = { phases: [{ id: "phase-1", name: "Plan", tasks: [shownTask] }], hiddenTasks: 0 };
    const end = (details: unknown, isError = false) =>
      chat.dispatch({
        type: "tool_execution_end",
        toolCallId: "c1",
        toolName: "todo_write",
        result: { content: [], details },
        isError,
      });
    const ops = [
      { op: "replace", phases: [] },
      { op: "update", id: "task-1", status: "completed" },
    ];
    chat.dispatch({ type: "tool_execution_start", toolCallId: "c1", toolName: "todo_write", args: { ops } });
    expect(chat.items()).toMatchObject([{ kind: "tool", intent: "replace, update task-1 completed" }]);
    end({ phases: [{ id: "phase-1", name: "Plan", tasks }], storage: "session" });
    expect(chat.state.ui.plan).toEqual(shown);
    end({ phases: [] }, true);
    end({ phases: "none" });
    expect(chat.state.ui.plan).toEqual(shown);
    end({ phases: [], storage: "session" });
    expect(chat.state.ui.plan).toEqual({ phases: [], hiddenTasks: 0 });
  });

  it("ends everything open when the agent crashes, and offers a restart", () => {
    const chat = new TranscriptHarness();
    chat.dispatch({ type: "message_start", message: assistant({ content: [] }) });
    chat.dispatch(update({ type: "text_delta", contentIndex: 0, delta: "Half" }));
    chat.dispatch({ type: "tool_execution_start", toolCallId: "c1", toolName: "ls", args: {} });
    chat.dispatch({ type: "extension_ui_request", id: "a", method: "input", title: "Name?" });
    chat.dispatch({ type: "host_crashed", text: "The agent stopped with code 1.", detail: "stack" });
    expect(chat.items()).toMatchObject([
      { kind: "text", text: "Half", isStreaming: false },
      { kind: "tool", state: "cancelled", intent: "." },
      { kind: "question", state: "cancelled" },
      { kind: "notice", level: "error", detail: "stack", action: { command: "tiller.restartAgent" } },
    ]);
    expect(chat.state.ui.status).toBe("crashed");
  });

  it("shows one notice for several crashes in a row, which offers to continue the run once the agent runs again", () => {
    const chat = new TranscriptHarness();
    chat.dispatch({ type: "agent_start" });
    chat.dispatch({ type: "host_crashed", text: "It ended. Restarting…", reason: "It ended.", detail: "stack" });
    chat.dispatch({ type: "host_crashed", text: "It did not start.", detail: "" });
    expect(chat.items()).toMatchObject([{ kind: "notice", text: "It did not start." }]);
    chat.dispatch({ type: "host_restarted" });
    expect(chat.items()).toMatchObject([
      {
        text: "The agent crashed and was restarted.",
        detail: "It ended.\nstack",
        action: { command: "tiller.continueRun" },
        secondAction: { command: "tiller.copyReport" },
      },
    ]);
    chat.dispatch({ type: "host_crashed", text: "Again. Restarting…", reason: "Again." });
    expect(chat.items()).toMatchObject([
      { text: "The agent crashed and was restarted.", action: { command: "tiller.copyReport" } },
      { text: "Again. Restarting…", action: { command: "tiller.restartAgent" } },
    ]);
    chat.dispatch({ type: "host_restarted" });
    expect(chat.items()[1]).toMatchObject({ action: { command: "tiller.continueRun" } });
    chat.dispatch({ type: "agent_start" });
    expect(chat.items().map((item) => ("action" in item ? item.action?.command : ""))).toEqual([
      "tiller.copyReport",
      "tiller.copyReport",
    ]);
  });

  it("offers nothing to continue when the run was being stopped as the agent crashed", () => {
    const chat = new TranscriptHarness();
    chat.dispatch({ type: "agent_start" });
    chat.dispatch({ type: "host_status", status: "stopping" });
    chat.dispatch({ type: "host_crashed", text: "It did not start. Restarting…" });
    chat.dispatch({ type: "host_restarted" });
    expect(chat.items()).toMatchObject([
      { level: "info", text: "The agent is running again.", action: { command: "tiller.copyReport" } },
    ]);
  });

  it("skips unexpected events", () => {
    const state = initialTranscript({ idPrefix: "t", cwd: "/work" });
    const strays: AgentEvent[] = [
      update({ type: "toolcall_delta", contentIndex: 4, delta: "x" }),
      { type: "tool_execution_end", toolCallId: "no", toolName: "no", result: { content: [] }, isError: false },
      { type: "todo_auto_clear" },
      { type: "auto_retry_end", success: true, attempt: 1 },
    ];
    for (const event of strays) expect(reduce(state, event, 0).ops).toEqual([]);
  });
});

/** An item without its times. */
function withoutElapsed(item: ReturnType<TranscriptHarness["items"]>[number]) {
  if (item.kind !== "thinking" && item.kind !== "footer") return item;
  const { durationMs: _durationMs, ...rest } = item;
  return rest;
}
