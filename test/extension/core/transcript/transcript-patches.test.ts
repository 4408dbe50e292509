import { describe, expect, it } from "vitest";
import { AgentEvent } from "../../../../agent/protocol/events.ts";
import { INITIAL_UI } from "../../../../extension/core/transcript/transcript-state.ts";
import type { TranscriptItem } from "../../../../webview/protocol/items.ts";
import type { PatchOp } from "../../../../webview/protocol/to-panel.ts";
import { applyPatch, fromSnapshot, type PageState } from "../../../../webview/state.ts";
import { assistant, TranscriptHarness } from "./transcript-harness.ts";

const text = (id: string, words = ""): TranscriptItem => ({ id, kind: "text", text: words, isStreaming: true });

function visible(): TranscriptHarness {
  const chat = new TranscriptHarness();
  chat.feed.setVisible(true);
  chat.sent.length = 0;
  return chat;
}

describe("the log of items and the feed of a page", () => {
  it("merges everything within a frame into one batch", () => {
    const chat = visible();
    chat.push([{ op: "upsert", item: text("1") }]);
    chat.push([{ op: "append", id: "1", text: "Hel" }]);
    chat.push([{ op: "append", id: "1", text: "lo" }]);
    expect(chat.sent).toEqual([]);
    chat.passFrame();
    chat.push([
      { op: "append", id: "1", text: "," },
      { op: "append", id: "1", text: " you" },
      { op: "finish", id: "1" },
    ]);
    chat.passFrame();
    expect(chat.sent).toEqual([
      { type: "patch", revision: 2, ops: [{ op: "upsert", item: text("1", "Hello") }] },
      {
        type: "patch",
        revision: 3,
        ops: [
          { op: "append", id: "1", text: ", you" },
          { op: "finish", id: "1" },
        ],
      },
    ]);
  });

  it("sends less than twice the text of an answer of 40,000 characters, envelopes and all", () => {
    const chat = visible();
    chat.push([{ op: "upsert", item: text("1") }]);
    for (let delta = 0; delta < 2_000; delta += 1) {
      chat.push([{ op: "append", id: "1", text: "twenty characters.. " }]);
      if (delta % 8 === 7) chat.passFrame();
    }
    chat.push([{ op: "finish", id: "1" }]);
    chat.passFrame();
    expect(chat.sent).toHaveLength(251);
    expect(JSON.stringify(chat.sent).length).toBeLessThan(80_000);
  });

  it("sends as little when each event contains the whole answer so far", () => {
    const [short, whole] = [false, true].map((isWhole) => {
      const chat = visible();
      chat.dispatch({ type: "message_start", message: assistant({ content: [] }) });
      for (let count = 1; count <= 2_000; count += 1) {
        const assistantMessageEvent = { type: "text_delta", contentIndex: 0, delta: "twenty characters.. " };
        const content = [{ type: "text" as const, text: "twenty characters.. ".repeat(count) }];
        const message = isWhole ? { message: assistant({ content }) } : {};
        const line = JSON.stringify({ type: "message_update", assistantMessageEvent, ...message });
        chat.dispatch(AgentEvent.parse(JSON.parse(line)));
        if (count % 8 === 0) chat.passFrame();
      }
      return chat;
    });
    expect(whole?.items()).toMatchObject([{ kind: "text", text: "twenty characters.. ".repeat(2_000) }]);
    expect(whole?.sent).toEqual(short?.sent);
    expect(JSON.stringify(whole?.sent).length).toBeLessThan(80_000);
  });

  it("sends nothing without changes", () => {
    const chat = visible();
    chat.push([]);
    chat.passFrame();
    expect(chat.sent).toEqual([]);
  });

  it("sends nothing while hidden, and one snapshot when shown", () => {
    const chat = new TranscriptHarness();
    chat.push([
      { op: "upsert", item: text("1", "Hel") },
      { op: "append", id: "1", text: "lo" },
    ]);
    chat.passFrame();
    expect(chat.sent).toEqual([]);
    chat.feed.setVisible(true);
    expect(chat.sent).toEqual([
      {
        type: "snapshot",
        version: 1,
        revision: 1,
        items: [text("1", "Hello")],
        ui: INITIAL_UI,
        draft: { chat: "c1", text: "the draft", at: 1 },
        now: 1,
      },
    ]);
  });

  it("drops the oldest items beyond 3,000, here and in the page", () => {
    const chat = visible();
    for (let index = 0; index < 3_002; index += 1) chat.push([{ op: "upsert", item: text(`${index}`) }]);
    chat.passFrame();
    expect(chat.items()).toHaveLength(3_000);
    expect(chat.items()[0]?.id).toBe("2");
    expect(chat.sent[0]).toMatchObject({
      ops: expect.arrayContaining([{ op: "remove", ids: ["0", "1"], isTooOld: true }]),
    });
  });

  it("gives a page that applies the patches the same items as the host", () => {
    const chat = visible();
    chat.feed.sendSnapshot();
    let page: PageState | "gap" | undefined;
    const ops = [
      { op: "upsert", item: text("1", "a") },
      { op: "append", id: "1", text: "b" },
      { op: "upsert", item: { id: "2", kind: "thinking", text: "t", isStreaming: true } },
      { op: "append", id: "2", text: "u" },
      { op: "finish", id: "2", durationMs: 5 },
      { op: "upsert", item: text("3") },
      { op: "remove", ids: ["1"] },
      { op: "append", id: "3", text: "c" },
    ] as const;
    for (const [index, op] of ops.entries()) {
      chat.push([op.op === "remove" ? { op: "remove", ids: [...op.ids] } : op]);
      if (index % 3 === 2) chat.passFrame();
    }
    chat.passFrame();
    for (const message of chat.sent) {
      if (message.type === "snapshot") page = fromSnapshot(message);
      else if (message.type === "patch" && page !== undefined && page !== "gap") page = applyPatch(page, message);
    }
    expect(page).toMatchObject({ items: chat.items() });
    expect(chat.items()).toEqual([
      { id: "2", kind: "thinking", text: "tu", isStreaming: false, durationMs: 5 },
      text("3", "c"),
    ]);
  });

  it("gives page and host the same items after any changes, in batches of any size", () => {
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return Math.floor((seed / 2 ** 31) * below);
    };
    const anyOp = (): PatchOp => {
      const id = `${random(12)}`;
      const kinds: PatchOp[] = [
        {
          op: "upsert",
          item: random(2) === 0 ? text(id, "new") : { id, kind: "thinking", text: "", isStreaming: true },
        },
        { op: "append", id, text: `${random(100)} ` },
        { op: "append", id, text: "" },
        { op: "finish", id, durationMs: random(9) },
        { op: "remove", ids: [id, `${random(12)}`] },
      ];
      return kinds[random(kinds.length)] ?? { op: "finish", id };
    };
    const chat = visible();
    chat.feed.sendSnapshot();
    let page: PageState | "gap" | undefined;
    for (let step = 0; step < 3_000; step += 1) {
      chat.push(Array.from({ length: random(4) }, anyOp));
      if (random(3) > 0) continue;
      chat.passFrame();
      for (const message of chat.sent.splice(0)) {
        if (message.type === "snapshot") page = fromSnapshot(message);
        else if (message.type === "patch" && page !== undefined && page !== "gap") page = applyPatch(page, message);
      }
      expect(page).toMatchObject({ items: chat.items() });
    }
  });

  it("notices a page that missed a patch", () => {
    const page = fromSnapshot({
      type: "snapshot",
      version: 1,
      revision: 4,
      items: [],
      ui: INITIAL_UI,
      draft: { chat: "c1", text: "", at: 0 },
      now: 1,
    });
    expect(applyPatch(page, { type: "patch", revision: 6, ops: [] })).toBe("gap");
  });
});
