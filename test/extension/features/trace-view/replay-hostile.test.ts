import fc from "fast-check";
import { expect, test } from "vitest";
import { TranscriptStore } from "../../../../extension/chat/transcript-store.ts";
import type { TraceEntry } from "../../../../extension/core/trace/wire-trace.ts";
import { Replay } from "../../../../extension/features/trace-view/replay.ts";
import { ToPanel } from "../../../../webview/protocol/to-panel.ts";

const TYPES = [
  "agent_start",
  "message_start",
  "message_update",
  "message_end",
  "tool_execution_start",
  "tool_execution_end",
  "agent_settled",
  "extension_ui_request",
  "response",
  "host_process",
  "host_read",
  "host_reset",
  "host_ui",
  "host_status",
  "host_crashed",
  "host_shell_end",
];

/** Frames that look a little like ours. */
const frame = fc.record(
  {
    type: fc.constantFrom(...TYPES),
    message: fc.oneof(
      fc.jsonValue(),
      fc.record({ role: fc.constantFrom("user", "assistant"), content: fc.jsonValue() }),
    ),
    assistantMessageEvent: fc.jsonValue(),
    toolCallId: fc.string(),
    toolName: fc.string(),
    args: fc.jsonValue(),
    result: fc.jsonValue(),
    method: fc.constantFrom("notify", "select", "cancel", "setWidget"),
    command: fc.constant("get_messages"),
    success: fc.boolean(),
    data: fc.jsonValue(),
    id: fc.string(),
    state: fc.constantFrom("starting", "ready", "crashed"),
    status: fc.string(),
    ui: fc.jsonValue(),
    text: fc.string(),
  },
  { requiredKeys: ["type"] },
);

const entry = (seq: number, direction: TraceEntry["direction"], text: string, at: number): TraceEntry => {
  return { seq, at, direction, text, size: text.length };
};

test("the replay of any trace ends, and the page can read its result", () => {
  const line = fc.tuple(
    fc.constantFrom<TraceEntry["direction"]>("in", "out", "host"),
    fc.oneof(
      frame.map((value) => JSON.stringify(value)),
      fc.string(),
      fc.json(),
    ),
    fc.double({ noNaN: true }),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
      const store = new TranscriptStore({ idPrefix: "x", cwd: "/", uiChanged: () => {} });
      const replay = new Replay(store);
      for (const [index, [direction, text, at]] of lines.entries()) replay.apply(entry(index, direction, text, at));
      const sent: ToPanel[] = [];
      const feed = store.feed({ send: (message) => sent.push(message), draft: () => ({ chat: "", text: "", at: 0 }) });
      feed.setVisible(true);
      feed.dispose();
      for (const message of sent) ToPanel.parse(JSON.parse(JSON.stringify(message)));
    }),
    { numRuns: 300 },
  );
});

test("a trace that begins in the middle shows its part", () => {
  const store = new TranscriptStore({ idPrefix: "x", cwd: "/", uiChanged: () => {} });
  const replay = new Replay(store);
  const delta = { type: "text_delta", contentIndex: 0, delta: "lost" };
  const user = { role: "user", content: "Hello again", timestamp: 1 };
  const frames = [
    { type: "message_update", assistantMessageEvent: delta },
    { type: "message_end", message: user },
    { type: "message_start", message: user },
    { type: "message_end", message: user },
  ];
  for (const [index, value] of frames.entries()) replay.apply(entry(index, "in", JSON.stringify(value), index));
  expect(store.items().map((item) => (item.kind === "prompt" ? item.text : item.kind))).toContain("Hello again");
});
