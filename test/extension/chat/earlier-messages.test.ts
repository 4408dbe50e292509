import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readEarlier } from "../../../extension/chat/earlier-messages.ts";
import { forkAt } from "../../../extension/chat/fork-chat.ts";
import type { TranscriptItem } from "../../../webview/protocol/items.ts";
import { openChat } from "../../support/open-chat.ts";
import { BUILT_AGENT } from "../../support/spawn-agent.ts";

const TIME = "2026-11-21T10:00:00.000Z";
const HEADER = { type: "session", version: 3, id: "s", timestamp: TIME, cwd: "/" };
const USAGE = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 };
const COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

/** The entries of one turn: a question, a call of a tool, what it found, and an answer. */
function turn(number: number, parentId: string | null): object[] {
  const reply = { api: "anthropic-messages", provider: "anthropic", model: "m", usage: { ...USAGE, cost: COST } };
  const call = { type: "toolCall", id: `t${number}`, name: "grep", arguments: { pattern: `p${number}` } };
  const content = [{ type: "text", text: `found ${number}` }];
  const messages = [
    { role: "user", content: number % 10 === 0 ? "go on" : `ask ${number}` },
    { role: "assistant", content: [call], stopReason: "toolUse", ...reply },
    { role: "toolResult", toolCallId: `t${number}`, toolName: "grep", content, isError: false },
    { role: "assistant", content: [{ type: "text", text: `answer ${number}` }], stopReason: "stop", ...reply },
  ];
  return messages.map((message, at) => ({
    type: "message",
    id: `e${number}-${at}`,
    parentId: at === 0 ? parentId : `e${number}-${at - 1}`,
    timestamp: TIME,
    message: { ...message, timestamp: 1 },
  }));
}

function turns(count: number): object[] {
  return Array.from({ length: count }, (_, at) => turn(at + 1, at === 0 ? null : `e${at}-3`)).flat();
}

/** A chat with the built agent and a session of these entries. */
async function resumed(entries: readonly object[]) {
  const folder = await mkdtemp(join(tmpdir(), "tiller-earlier-"));
  const file = join(folder, "session.jsonl");
  await writeFile(file, [HEADER, ...entries].map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  const opened = openChat(folder, {
    start: { key: "s", file },
    launch: async () => ({
      file: process.execPath,
      args: [BUILT_AGENT, "--mode", "rpc", "--session", file],
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, PI_CODING_AGENT_DIR: folder, ANTHROPIC_API_KEY: "test-key" },
    }),
  });
  onTestFinished(async () => {
    await opened.chat.dispose();
    await rm(folder, { recursive: true, force: true });
  });
  opened.chat.wake();
  await expect.poll(() => opened.ui().status, { timeout: 20_000 }).toBe("idle");
  return opened;
}

const words = (items: readonly TranscriptItem[]): string[] =>
  items.flatMap((item) => {
    if (item.kind === "prompt" || item.kind === "text") return [item.text];
    return item.kind === "tool" ? [`${item.toolName} ${item.state} ${item.output}`] : [];
  });
const spoken = (number: number): string[] => [
  number % 10 === 0 ? "go on" : `ask ${number}`,
  `grep done found ${number}`,
  `answer ${number}`,
];
const span = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, at) => spoken(from + at)).flat();

describe("messages before the items that are kept", () => {
  test("are read from the session across a compaction, a page at a time, to its beginning", async () => {
    const compaction = { type: "compaction", id: "k", parentId: "e120-3", timestamp: TIME, summary: "all of it" };
    const entries = [...turns(120), { ...compaction, firstKeptEntryId: "e119-0", tokensBefore: 9 }, ...turn(121, "k")];
    const { chat, items, ui } = await resumed(entries);
    expect(ui().hasEarlier).toBe(true);
    expect(words(items())).toEqual(span(119, 121));
    const first = await readEarlier(chat, null);
    expect(words(first.items)).toEqual(span(69, 118));
    const second = await readEarlier(chat, first.next);
    expect(words(second.items)).toEqual(span(19, 68));
    const last = await readEarlier(chat, second.next);
    expect(words(last.items)).toEqual(span(1, 18));
    expect(last.next).toBeNull();
    expect((await readEarlier(chat, first.next)).items).toEqual(second.items);
    const ids = [last, second, first].flatMap(({ items: page }) => page.map(({ id }) => id));
    expect(new Set([...ids, ...items().map(({ id }) => id)]).size).toBe(ids.length + items().length);
  });

  test("are shown completely, even when the kept part begins within an answer", async () => {
    // Four items a turn: three that were said, and a line below them.
    const { chat, items, ui } = await resumed(turns(801));
    expect(ui().hasEarlier).toBe(true);
    expect(items()).toHaveLength(3_000);
    const shown = words(items());
    const { items: before } = await readEarlier(chat, null);
    const together = [...words(before), ...shown];
    expect(together.slice(-150)).toEqual(span(752, 801));
    expect(together).toEqual(span(801 - together.length / 3 + 1, 801));
    expect(before.at(-1)?.kind).toBe("footer");
  });

  test("are not offered when there are none", async () => {
    const { chat, ui } = await resumed(turns(2));
    expect(ui().hasEarlier).toBe(false);
    expect(await readEarlier(chat, null)).toEqual({ items: [], next: null });
  });

  test("can be inspected, and continued from", async () => {
    const compaction = { type: "compaction", id: "k", parentId: "e3-3", timestamp: TIME, summary: "all of it" };
    const entries = [...turns(3), { ...compaction, firstKeptEntryId: "e3-0", tokensBefore: 9 }, ...turn(4, "k")];
    const { chat, seen, items } = await resumed(entries);
    const { items: before } = await readEarlier(chat, null);
    const prompt = before.find((item) => item.kind === "prompt" && item.text === "ask 2");
    expect(chat.transcript.item(prompt?.id ?? "")).toEqual(prompt);
    await forkAt(chat, prompt?.id ?? "");
    await expect.poll(() => words(items()), { timeout: 20_000 }).toEqual(span(1, 1));
    expect(seen.drafts).toEqual(["ask 2"]);
    expect(chat.transcript.item(prompt?.id ?? "")).toBeUndefined();
  });
});
