import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { httpError, reply } from "../support/scripted-replies.ts";
import { LONG, SmallWindow, story } from "../support/small-window.ts";
import { asRecord } from "../support/spawn-agent.ts";

/** The window has 10,000 tokens, and an answer may take 3000: one message may have 6300. */
let small: SmallWindow;

beforeEach(async () => {
  small = await SmallWindow.start();
});

afterEach(async () => {
  await small.stop();
});

describe("a prompt that is longer than the window allows", () => {
  it("is refused with sizes and a code before anything is sent, and the next one is answered", async () => {
    const refused = await small.agent.request("prompt", { message: "long ".repeat(6000) });
    expect(refused).toMatchObject({
      success: false,
      code: "prompt_too_large",
      error:
        "The message is too long. It has about 7,500 tokens (29.3KB), and tiny takes about 6,300 per message. Shorten it, or save the text as a file and mention the file instead.",
    });
    expect(small.model.requests).toHaveLength(0);
    small.model.enqueue(reply("ok"));
    await small.agent.run("short");
    expect(JSON.stringify(asRecord(await small.agent.call("get_messages")).messages)).not.toContain("long long");
  });

  it("is refused as a queued message, too", async () => {
    const refused = await small.agent.request("follow_up", { message: "long ".repeat(6000) });
    expect(refused).toMatchObject({ success: false, code: "prompt_too_large" });
  });

  it("is sent if it just fits", async () => {
    small.model.enqueue(reply("ok"));
    const message = "x".repeat(25_200);
    await small.agent.run(message);
    expect(small.lastRequest()).toContain(message);
  });
});

describe("a session that has a message longer than the window", () => {
  function openWith(...messages: object[]): void {
    const at = "2026-01-02T03:04:05.000Z";
    const entries = messages.map((message, index) => ({
      type: "message",
      id: `e${index}`,
      parentId: index === 0 ? null : `e${index - 1}`,
      timestamp: at,
      message: { timestamp: 1, ...message },
    }));
    const { cwd } = small.agent;
    const lines = [{ type: "session", version: 3, id: "long", timestamp: at, cwd }, ...entries];
    writeFileSync(join(cwd, "long.jsonl"), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  }

  it("goes on without a compaction: beginning and end of the message are sent, with a note between them", async () => {
    const text = `first words ${"filler ".repeat(10_000)} last words`;
    openWith({ role: "user", content: [{ type: "text", text }] });
    await small.agent.call("switch_session", { sessionPath: join(small.agent.cwd, "long.jsonl") });
    small.model.enqueue(reply("ok"));
    const frames = await small.run("go on");
    expect(story(frames).filter((step) => step.includes("compaction"))).toEqual([]);
    const sent = small.lastRequest();
    expect(sent).toContain("first words");
    expect(sent).toContain("last words");
    expect(sent).toContain("characters in the middle are left out: the message is too long for the model.]");
    expect(sent.length).toBeLessThan(25_000);
    expect(JSON.stringify(asRecord(await small.agent.call("get_messages")).messages)).toContain(text);
  });
});

describe("a message with more tokens than its length says", () => {
  const overflow = httpError(400, "invalid_request_error", "prompt is too long: 12000 tokens > 10000 maximum");
  const dense = `begin ${"9".repeat(25_000)} end`;

  it("is cut in what is sent when the provider finds it too long, and the user is told", async () => {
    small.model.enqueue(overflow, reply("ok"), reply("still ok"));
    const frames = await small.run(dense);
    expect(await small.agent.call("get_last_assistant_text")).toEqual({ text: "ok" });
    expect(frames.find(({ type }) => type === "agent_end")).toMatchObject({ willContinue: true });
    expect(frames.find(({ method }) => method === "notify")?.message).toBe(
      "The chat doesn't fit the context window of tiny, so Tiller no longer sends the middle of long messages.",
    );
    expect(small.lastRequest()).toContain("characters in the middle are left out");
    await small.run("go on");
    expect(small.lastRequest()).toContain("characters in the middle are left out");
  });

  /** Leaves the message behind so much that a summary would begin with it. */
  async function talkAfterIt(): Promise<void> {
    small.model.enqueue(reply(LONG), reply(LONG));
    await small.run(dense);
    await small.run("second");
  }

  it("does not end the session when no summary can be made of it either", async () => {
    await talkAfterIt();
    small.model.enqueue(overflow, overflow, overflow, overflow, overflow, reply("ok"));
    await small.run("go on");
    expect(await small.agent.call("get_last_assistant_text")).toEqual({ text: "ok" });
  });

  it("is summarized with less of it when the request for the summary is too long", async () => {
    await talkAfterIt();
    small.model.enqueue(overflow, overflow, reply("History"), reply("Beginning"), reply("ok"));
    const frames = await small.run("go on");
    expect(await small.agent.call("get_last_assistant_text")).toEqual({ text: "ok" });
    expect(story(frames).filter((step) => step === "compaction_end")).toHaveLength(1);
    const [, , , first, second] = small.model.requests.map(({ body }) => JSON.stringify(body.messages).length);
    expect(second).toBeLessThan((first ?? 0) * 0.75);
  });
});
