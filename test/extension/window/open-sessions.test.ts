import { describe, expect, test } from "vitest";
import { Drafts } from "../../../extension/window/draft.ts";
import { OpenSessions } from "../../../extension/window/open-sessions.ts";

/** The storage that a window leaves for the next one. */
function memory() {
  const values = new Map<string, unknown>();
  return {
    get: (key: string) => structuredClone(values.get(key)),
    update: async (key: string, value: unknown) => {
      values.set(key, structuredClone(value));
    },
  };
}

describe("drafts of chats", () => {
  test("are stored per chat, across a reload of the window", () => {
    const store = memory();
    const drafts = new Drafts(store);
    drafts.set("a", "one");
    drafts.set("b", "two");
    drafts.append("b", "three");
    const next = new Drafts(store);
    expect(next.of("a")).toMatchObject({ chat: "a", text: "one" });
    expect(next.of("b").text).toBe("two\nthree");
    expect(next.of("c")).toMatchObject({ chat: "c", text: "", at: 0 });
  });

  test("move with the chat to its other session", () => {
    const drafts = new Drafts(memory());
    drafts.set("a", "half a thought");
    drafts.move("a", "b");
    expect(drafts.of("b")).toMatchObject({ chat: "b", text: "half a thought" });
    expect(drafts.of("a").text).toBe("");
  });

  test("are kept for the fifty chats that changed last", () => {
    const store = memory();
    const drafts = new Drafts(store);
    for (let at = 0; at < 60; at += 1) drafts.set(`chat ${at}`, `text ${at}`);
    const next = new Drafts(store);
    expect(next.of("chat 9").text).toBe("");
    expect(next.of("chat 10").text).toBe("text 10");
    expect(next.of("chat 59").text).toBe("text 59");
  });

  test("are empty when they cannot be read", () => {
    const store = memory();
    void store.update("tiller.drafts", [{ text: 1 }]);
    expect(new Drafts(store).of("a").text).toBe("");
  });
});

describe("the list of open sessions", () => {
  test("contains files, working chats and the chat of the side bar", () => {
    const store = memory();
    const sessions = new OpenSessions(store);
    sessions.showAtSide("a");
    sessions.remember("a", "/s/a.jsonl");
    sessions.setRunning("a", true);
    sessions.setRunning("b", true);
    sessions.setRunning("b", false);
    const next = new OpenSessions(store);
    expect(next.side).toBe("a");
    expect(next.file("a")).toBe("/s/a.jsonl");
    expect(next.wasRunning("a")).toBe(true);
    expect(next.wasRunning("b")).toBe(false);
    expect(next.file("c")).toBeUndefined();
  });

  test("has at most fifty sessions and always the one of the side bar", () => {
    const store = memory();
    const sessions = new OpenSessions(store);
    sessions.remember("side", "/s/side.jsonl");
    sessions.showAtSide("side");
    for (let at = 0; at < 60; at += 1) sessions.remember(`${at}`, `/s/${at}.jsonl`);
    const next = new OpenSessions(store);
    expect(next.file("side")).toBe("/s/side.jsonl");
    expect(next.file("10")).toBeUndefined();
    expect(next.file("59")).toBe("/s/59.jsonl");
  });
});
