import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { reply } from "../support/scripted-replies.ts";
import { LONG, SmallWindow, story } from "../support/small-window.ts";

let small: SmallWindow;

beforeEach(async () => {
  small = await SmallWindow.start();
});

afterEach(async () => {
  await small.stop();
});

/** Fills the window with 5,000 counted tokens and this many uncounted characters. */
async function fill(characters: number): Promise<void> {
  await small.talk();
  small.model.enqueue(reply(LONG, { usage: { input_tokens: 5000 } }));
  await small.agent.run("third");
  await small.agent.call("bash", { command: `printf '%${characters}s' end` });
}

const compactions = (frames: Awaited<ReturnType<SmallWindow["run"]>>) =>
  story(frames).filter((type) => type === "compaction_start").length;

describe("the tokens of a conversation that may nearly fill the window", () => {
  it("are counted by the provider: no compaction comes too early", async () => {
    await fill(14_000);
    small.model.counts.push(7000);
    small.model.enqueue(reply("ok"));
    expect(compactions(await small.run("fourth"))).toBe(0);
    const [counted] = small.model.countRequests;
    expect(counted).toMatchObject({ model: "tiny", system: expect.anything(), tools: expect.anything() });
    expect(JSON.stringify(counted)).toContain("printf");
    expect(small.model.rejections).toEqual([]);
  });

  it("are counted by the provider: no compaction comes too late", async () => {
    await fill(8000);
    small.model.counts.push(9000);
    small.model.enqueue(reply("H"), reply("ok"));
    expect(compactions(await small.run("fourth"))).toBe(1);
  });

  it("are counted with what extensions put into the request", async () => {
    await small.stop();
    small = await SmallWindow.start(`export default (pi) => {
      pi.on("context", ({ messages }) => ({ messages: [...messages, { role: "user", content: "Mind the gap.", timestamp: 1 }] }));
    };`);
    await fill(14_000);
    small.model.counts.push(7000);
    small.model.enqueue(reply("ok"));
    await small.run("fourth");
    expect(JSON.stringify(small.model.countRequests)).toContain("Mind the gap.");
  });

  it("are estimated where the provider does not count", async () => {
    await fill(14_000);
    small.model.enqueue(reply("H"), reply("ok"));
    expect(compactions(await small.run("fourth"))).toBe(1);
  });

  it("are not counted when the estimate can't be wrong about it", async () => {
    await fill(400);
    small.model.counts.push(9000);
    small.model.enqueue(reply("ok"));
    expect(compactions(await small.run("fourth"))).toBe(0);
    expect(small.model.countRequests).toEqual([]);
  });
});
