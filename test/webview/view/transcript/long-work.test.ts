import { afterAll, beforeAll, expect, it } from "vitest";
import * as z from "zod";
import type { TranscriptItem } from "../../../../webview/protocol/items.ts";
import { assistant, call, TranscriptHarness, user } from "../../../extension/core/transcript/transcript-harness.ts";
import { inPage, type OpenPage, type PageLab, startPageLab } from "../../support/open-page.ts";

const PASSAGE =
  "## A part\n\nThe parser reads `one` line, see **src/parse.ts:12**.\n\n- a thing\n\n```ts\nconst a = 1;\n```\n\n";
const LONG_MS = 180_000;

let lab: PageLab;
beforeAll(async () => {
  lab = await startPageLab();
});
afterAll(() => lab.close());

it(
  "the page is never blank in long work, and a killed page comes back with the whole conversation",
  async () => {
    const panel = await lab.open();
    await panel.snapshot([], { status: "running" });
    const items: TranscriptItem[] = [];
    // 50,000 deltas of 20 characters, as the host joins them.
    const text = PASSAGE.repeat(200).slice(0, 20_000);
    for (let answer = 0; answer < 50; answer += 1) {
      const cards = Array.from({ length: 60 }, (_, at) => card(`c${answer}-${at}`));
      const id = `a${answer}`;
      await panel.patch(
        [...cards, { ...growing(id), text: "Well:\n\n" }].map((item) => ({ op: "upsert" as const, item })),
      );
      for (let at = 0; at < text.length; at += 5_000) {
        await panel.patch([{ op: "append", id, text: text.slice(at, at + 5_000) }]);
      }
      await panel.patch([{ op: "finish", id }]);
      expect(await shownItems(panel)).not.toEqual([]);
      items.push(...cards, { id, kind: "text", text: `Well:\n\n${text}`, isStreaming: false });
    }
    const session = await panel.page.context().newCDPSession(panel.page);
    const crashed = new Promise<void>((resolve) => panel.page.once("crash", () => resolve()));
    // It cannot answer: it is gone.
    session.send("Page.crash").catch(() => undefined);
    await crashed;
    await panel.close();

    const next = await lab.open();
    await next.snapshot(items, { status: "idle" });
    expect(await next.page.locator(".item").count()).toBe(3_050);
    expect(await shownItems(next)).toContain("a49");
    await next.page.locator('[data-id="a0"]').evaluate((item) => item.scrollIntoView());
    await expect.poll(() => shownItems(next)).toContain("a0");
    await next.close();
  },
  LONG_MS,
);

it(
  "the page accepts every typed letter with 2,000 messages open and a growing answer",
  async () => {
    const panel = await lab.open();
    await panel.snapshot([...conversation(2_000), growing("s")], { status: "running" });
    const box = panel.page.locator(".composer textarea");
    await box.focus();
    const pieces = Array.from({ length: 60 }, (_, at) => `Piece ${at}. `);
    const growth = panel.stream("s", pieces);
    await panel.page.keyboard.type("what is typed meanwhile stays as it is");
    expect(await box.inputValue()).toBe("what is typed meanwhile stays as it is");
    await growth;
    expect(await panel.page.locator('[data-id="s"]').textContent()).toBe(`${pieces.join("").trim()}\n`);
    expect(await box.inputValue()).toBe("what is typed meanwhile stays as it is");
    await panel.close();
  },
  LONG_MS,
);

it(
  "the page does not move by a pixel for a reader while 1,000 deltas and 3 cards arrive, and otherwise stays at the end",
  async () => {
    const panel = await lab.open();
    await panel.snapshot([...conversation(100), growing("s")], { status: "running" });
    await panel.page.getByRole("log", { name: "Chat" }).hover();
    await panel.page.mouse.wheel(0, -3_000);
    const top = async () => z.number().parse(await inPage(panel.page, "topOf", "m80"));
    const before = await steady(panel, top);
    for (let turn = 0; turn < 3; turn += 1) {
      await panel.patch([{ op: "upsert", item: card(`late${turn}`) }]);
      for (const text of deltas(42)) await panel.patch([{ op: "append", id: "s", text }]);
      expect(await top()).toBe(before);
    }
    await panel.page.getByRole("button", { name: /^Jump to Latest/ }).click();
    for (const text of deltas(42)) {
      await panel.patch([{ op: "append", id: "s", text }]);
      expect(await belowTheEnd(panel)).toBeLessThanOrEqual(1);
    }
    await panel.close();
  },
  LONG_MS,
);

it("a card shows the end of a 10 MB output and never all of it, at each density", async () => {
  const chat = new TranscriptHarness();
  const args = { command: "cat big.log" };
  const output = "a line of the log\n".repeat(600_000);
  chat.dispatch({ type: "message_end", message: user("Read it") });
  chat.dispatch({ type: "message_end", message: assistant({ content: [call("t1", "bash", args)] }) });
  chat.dispatch({ type: "tool_execution_start", toolCallId: "t1", toolName: "bash", args });
  const result = { content: [{ type: "text" as const, text: `${output}THE END` }] };
  chat.dispatch({ type: "tool_execution_end", toolCallId: "t1", toolName: "bash", result, isError: false });
  expect(JSON.stringify(chat.items()).length).toBeLessThan(20_000);

  const panel = await lab.open();
  for (const [density, isOpen] of [
    ["compact", false],
    ["normal", false],
    ["open", true],
  ] as const) {
    await panel.snapshot(chat.items(), { density });
    await panel.patch([], { density });
    const shown = await panel.page.getByRole("log", { name: "Chat" }).textContent();
    expect(shown?.includes("THE END")).toBe(isOpen);
    expect(shown?.length).toBeLessThan(20_000);
  }
  await panel.close();
});

it("thinking that was opened stays open after a reload of the page", async () => {
  const panel = await lab.open();
  const thinking: TranscriptItem = {
    id: "th",
    kind: "thinking",
    text: "Local times!",
    isStreaming: false,
    durationMs: 900,
  };
  await panel.snapshot([thinking]);
  const words = panel.page.getByText("Local times!");
  expect(await words.isVisible()).toBe(false);
  await panel.page.getByRole("button", { name: "Thought for 900ms" }).click();
  expect(await words.isVisible()).toBe(true);
  await panel.reload();
  await panel.snapshot([thinking]);
  expect(await words.isVisible()).toBe(true);
  await panel.page.getByRole("button", { name: "Thought for 900ms" }).click();
  expect(await words.isVisible()).toBe(false);
  await panel.close();
});

function card(id: string): TranscriptItem {
  return {
    id,
    kind: "tool",
    toolName: "bash",
    state: "done",
    intent: "npm test -- parse",
    input: "npm test -- parse",
    inputLanguage: "bash",
    output: "ok parse.test.ts\n".repeat(60),
    isOutputCut: false,
    images: [],
    durationMs: 1_200,
  };
}

function growing(id: string): Extract<TranscriptItem, { kind: "text" }> {
  return { id, kind: "text", text: "", isStreaming: true };
}

function conversation(messages: number): TranscriptItem[] {
  return Array.from({ length: messages }, (_, index): TranscriptItem => {
    const id = `m${index}`;
    if (index % 4 === 0) return { id, kind: "prompt", text: `What about part ${index}?`, images: [] };
    return index % 4 === 1 ? card(id) : { id, kind: "text", text: PASSAGE, isStreaming: false };
  });
}

/** 8 deltas of 20 characters are one patch. */
function deltas(frames: number): string[] {
  const text = PASSAGE.repeat(100);
  return Array.from({ length: frames }, (_, at) => text.slice(at * 160, (at + 1) * 160));
}

/** The ids of the items that are seen. */
async function shownItems(panel: OpenPage): Promise<string[]> {
  return z.array(z.string()).parse(await inPage(panel.page, "itemsInSight"));
}

async function belowTheEnd(panel: OpenPage): Promise<number> {
  return panel.page
    .locator(".transcript")
    .evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
}

/** Returns the result of `read` once it has stayed the same for a while. */
async function steady(panel: OpenPage, read: () => Promise<number>): Promise<number> {
  let before = Number.NaN;
  for (let last = await read(); last !== before; last = await read()) {
    before = last;
    for (let frame = 0; frame < 8; frame += 1) await panel.settle();
  }
  return before;
}
