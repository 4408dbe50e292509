import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AgentMessage } from "../../agent/protocol/messages.ts";
import { Conversation } from "../../agent/session/conversation.ts";
import { readSession } from "../../agent/session/load.ts";
import { answered, chained, gave, HistoryBench, header, jsonLines, said } from "./history-bench.ts";

let bench: HistoryBench;

beforeEach(() => {
  bench = new HistoryBench();
});

afterEach(() => bench.dispose());

/** Returns the messages that `get_messages` would return if the session were open. */
function asOpened(path: string): readonly AgentMessage[] {
  const loaded = readSession(path);
  if (loaded === undefined) throw new Error("No session.");
  return Conversation.view({ cwd: "/", file: path, onWriteError: () => undefined }, loaded).messages;
}

function compaction(firstKeptEntryId: string): object {
  return { type: "compaction", summary: `Kept from ${firstKeptEntryId}.`, firstKeptEntryId, tokensBefore: 9 };
}

function roles(messages: readonly AgentMessage[]): string[] {
  return messages.map(({ role }) => role);
}

describe("a preview of a session", () => {
  it("shows header and messages, and changes nothing, even while another agent writes the file", async () => {
    const start = header({ id: "s-9", cwd: "/p", parentSession: "/s/0.jsonl", title: "A title" });
    const path = bench.write("a.jsonl", jsonLines(start, ...chained(said("hi"), answered("ho"))));
    const lock = JSON.stringify({ pid: process.ppid, host: hostname(), token: "t" });
    writeFileSync(`${path}.lock`, lock);
    appendFileSync(path, '{"type":"mess');
    const before = readFileSync(path);
    const { messages, ...fields } = await bench.history().read({ sessionPath: path });
    expect(fields).toEqual({
      path,
      id: "s-9",
      cwd: "/p",
      name: "A title",
      createdAt: Date.parse("2026-05-01T10:00:00.000Z"),
      parentSession: "/s/0.jsonl",
      hasMore: false,
    });
    expect(messages).toEqual(asOpened(path));
    expect(roles(messages)).toEqual(["user", "assistant"]);
    expect(readFileSync(path)).toEqual(before);
    expect(readFileSync(`${path}.lock`, "utf8")).toBe(lock);
  });

  it("shows the end of a long session", async () => {
    const path = bench.session("a.jsonl", ...Array.from({ length: 450 }, (_, index) => said(`number ${index}`)));
    const texts = async (limit?: number) => {
      const { messages, hasMore } = await bench.history().read({ sessionPath: path, limit });
      return { count: messages.length, hasMore, first: messages[0] };
    };
    const first = (index: number) => ({
      role: "user",
      content: [{ type: "text", text: `number ${index}` }],
      timestamp: 1,
    });
    expect(await texts()).toEqual({ count: 200, hasMore: true, first: first(250) });
    expect(await texts(1)).toEqual({ count: 1, hasMore: true, first: first(449) });
    expect(await texts(450)).toEqual({ count: 450, hasMore: false, first: first(0) });
  });

  it.each([
    ["a compaction that kept some", [said("a"), said("b"), answered("c"), compaction("e1"), said("d")], 4],
    ["one that kept nothing", [said("a"), answered("b"), compaction("gone"), said("c")], 2],
    ["one that names itself", [said("a"), compaction("e1"), said("c")], 2],
    ["two, of which the last counts", [said("a"), compaction("e0"), said("b"), compaction("e0"), said("c")], 4],
    ["one at the very end", [said("a"), said("b"), compaction("e1")], 2],
  ])("shows as much as the model sees after %s", async (_title, bodies, count) => {
    const path = bench.session("a.jsonl", ...bodies);
    const all = asOpened(path);
    expect(all).toHaveLength(count);
    for (let limit = 1; limit <= count; limit++) {
      const { messages, hasMore } = await bench.history().read({ sessionPath: path, limit });
      expect({ messages, hasMore }).toEqual({ messages: all.slice(-limit), hasMore: limit < count });
    }
  });

  it("leaves out other branches, unknown entries and broken lines", async () => {
    const [first, second, third, fourth] = chained(said("a"), answered("b"), said("c"), said("d"));
    const unknown = { type: "from_tomorrow", id: "u", parentId: "e3", timestamp: "t" };
    const odd = { type: "message", id: "o", parentId: "u", timestamp: "t", message: { role: "oracle" } };
    const note = { type: "custom_message", id: "n", parentId: "o", timestamp: "2026-05-01T10:00:00.000Z" };
    const shown = { ...note, customType: "note", content: "seen", display: true };
    const lines = [header(), first, second, third, { ...fourth, parentId: "e1" }, unknown, odd, shown].map(
      (line) => line ?? {},
    );
    const path = bench.write("a.jsonl", jsonLines(...lines).replace("\n", "\ngarbage\n"));
    const { messages } = await bench.history().read({ sessionPath: path });
    expect(messages).toEqual(asOpened(path));
    expect(roles(messages)).toEqual(["user", "assistant", "user", "custom"]);
  });

  it("ends where parents form a circle or are missing", async () => {
    const [first, second] = chained(said("a"), said("b"));
    const circle = bench.write("circle.jsonl", jsonLines(header(), { ...first, parentId: "e1" }, { ...second }));
    const orphan = bench.write("orphan.jsonl", jsonLines(header(), { ...second, parentId: "gone" }));
    expect((await bench.history().read({ sessionPath: circle })).messages).toHaveLength(2);
    expect((await bench.history().read({ sessionPath: orphan })).messages).toHaveLength(1);
  });

  it("can show an older version, which is not upgraded", async () => {
    const old = { type: "session", id: "v1", timestamp: "2025-01-01T00:00:00.000Z", cwd: bench.cwd };
    const path = bench.write("v1.jsonl", jsonLines(old, said("one"), answered("two"), said("three")));
    const before = readFileSync(path);
    const { messages, hasMore, id } = await bench.history().read({ sessionPath: path, limit: 2 });
    expect([roles(messages), hasMore, id]).toEqual([["assistant", "user"], true, "v1"]);
    expect(readFileSync(path)).toEqual(before);
    expect(readdirSync(bench.folder)).toEqual(["v1.jsonl"]);
  });

  it("gives fewer messages when they are very large, but at least one", async () => {
    const large = "x".repeat(7 * 1024 * 1024);
    const path = bench.session(
      "a.jsonl",
      said("first"),
      gave(large),
      gave(large),
      gave(large),
      gave(`${large}${large}${large}`),
    );
    const read = async () => bench.history().read({ sessionPath: path });
    expect(await read()).toMatchObject({ messages: [{ role: "toolResult" }], hasMore: true });
    appendFileSync(path, jsonLines({ ...chained(said("last"))[0], id: "z", parentId: "e3" }));
    const { messages, hasMore } = await read();
    expect([roles(messages), hasMore]).toEqual([["toolResult", "toolResult", "user"], true]);
  });

  it("must be of a session", async () => {
    for (const content of ["", "?"]) {
      const path = bench.write("a.jsonl", content);
      await expect(bench.history().read({ sessionPath: path })).rejects.toMatchObject({
        code: "session_corrupt",
        message: `Session file is not a valid tiller session: ${path}`,
      });
    }
    await expect(bench.history().read({ sessionPath: bench.folder })).rejects.toMatchObject({
      code: "session_corrupt",
    });
    const gone = join(bench.folder, "gone.jsonl");
    await expect(bench.history().read({ sessionPath: gone })).rejects.toMatchObject({ code: "not_found" });
  });
});
