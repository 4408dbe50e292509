import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { httpError, type MessageReply, reply, toolCall } from "../support/scripted-replies.ts";
import { LONG, NEARLY_FULL, SmallWindow, story } from "../support/small-window.ts";
import { asRecord } from "../support/spawn-agent.ts";

/** About 5000 tokens. */
const BIG = "0123456789abcdefghi\n".repeat(1000);

let small: SmallWindow;

beforeEach(async () => {
  small = await SmallWindow.start();
});

afterEach(() => small.stop());

/** A run that reads a big file and then says something in each of these answers. */
async function readBig(...answers: readonly MessageReply[]): Promise<void> {
  writeFileSync(join(small.agent.cwd, "big.txt"), BIG);
  small.model.enqueue(reply([toolCall("read", { path: "big.txt" })]), ...answers);
  await small.agent.run("read it");
  for (const _ of answers.slice(1)) await small.agent.run("more");
}

/** The messages of each request, as text, without the marks of the cache, which move on. */
function requests(): string[] {
  const marks = ',"cache_control":{"type":"ephemeral"}';
  return small.model.requests.map(({ body }) => JSON.stringify(body.messages).replaceAll(marks, ""));
}

describe("pruning", () => {
  it("makes room without a summary, once, and sends the same bytes in all later requests", async () => {
    await readBig(reply(`one ${LONG}`), reply(`two ${LONG}`), reply(`three ${LONG}`, NEARLY_FULL));
    small.model.enqueue(reply("four"), reply("five"));
    const frames = await small.run("next");
    await small.run("last");
    expect(story(frames)).not.toContain("compaction_start");
    expect(small.agent.frames.filter(({ type }) => type === "entry_appended")).toMatchObject([
      { entry: { customType: "tiller.pruning", data: { results: [{ note: expect.stringContaining("left out") }] } } },
    ]);
    const [before, first, second] = requests().slice(-3);
    expect(before).toContain("abcdefghi");
    expect(first).not.toContain("abcdefghi");
    expect(first).toMatch(/left out to save space\. To see it, read big\.txt again or call recall with entry/);
    const beginning = first?.slice(0, first.indexOf("three")) ?? "";
    expect(beginning).toContain("left out to save space");
    expect(second?.startsWith(beginning)).toBe(true);
    expect(small.model.requests.at(-1)?.body.tools?.map(({ name }) => name)).toContain("recall");
  });

  it("is remembered by the session's file, which keeps the result, as hosts do", async () => {
    await readBig(reply(`one ${LONG}`), reply(`two ${LONG}`), reply(`three ${LONG}`, NEARLY_FULL));
    small.model.enqueue(reply("four"), reply("five"));
    await small.agent.run("next");
    const { sessionFile } = await small.agent.call("get_state");
    const lines = readFileSync(String(sessionFile), "utf8").trimEnd().split("\n");
    const entries = lines.map((line) => asRecord(JSON.parse(line)));
    expect(entries.filter(({ customType }) => customType === "tiller.pruning")).toHaveLength(1);
    expect(JSON.stringify((await small.agent.call("get_messages")).messages)).toContain("abcdefghi");
    await small.agent.call("new_session");
    await small.agent.call("switch_session", { sessionPath: sessionFile });
    await small.agent.run("last");
    const [first, second] = requests().slice(-2);
    expect(second).toContain("left out to save space");
    expect(second?.slice(0, second.indexOf("three"))).toBe(first?.slice(0, first.indexOf("three")));
  });

  it("is what makes room after an overflow; the request is made again", async () => {
    await readBig(reply(`one ${LONG}`), reply(`two ${LONG}`), reply(`three ${LONG}`));
    const overflow = httpError(400, "invalid_request_error", "prompt is too long: 12000 tokens > 10000 maximum");
    small.model.enqueue(overflow, reply("Now it fits"));
    const frames = await small.run("next");
    expect(story(frames)).not.toContain("compaction_start");
    expect(await small.agent.call("get_last_assistant_text")).toEqual({ text: "Now it fits" });
  });

  it("is followed by a summary when it is not enough", async () => {
    await readBig(reply(`one ${LONG}`), reply(`two ${LONG}`), reply(`three ${LONG}`));
    const overflow = httpError(400, "invalid_request_error", "prompt is too long: 12000 tokens > 10000 maximum");
    small.model.enqueue(overflow, overflow, reply("H"), reply("B"), reply("Now it fits"));
    expect(story(await small.run("next"))).toContain("compaction_start");
    expect(await small.agent.call("get_last_assistant_text")).toEqual({ text: "Now it fits" });
  });
});
