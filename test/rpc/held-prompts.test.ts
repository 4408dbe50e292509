import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { gate, reply, text } from "../support/scripted-replies.ts";
import { SmallWindow, story } from "../support/small-window.ts";

let small: SmallWindow;

beforeEach(async () => {
  small = await SmallWindow.start();
});

afterEach(() => small.stop());

describe("prompts during a manual compaction", () => {
  it("are held, and run after it one by one", async () => {
    await small.talk();
    const held = gate();
    small.model.enqueue(reply([held, text("History")]), reply("Beginning"), reply("A"), reply("B"));
    await small.beginCompaction();
    const from = small.agent.frames.length;
    expect(await small.agent.call("prompt", { message: "third" })).toEqual({ disposition: "queued" });
    expect(await small.agent.call("prompt", { message: "fourth" })).toEqual({ disposition: "queued" });
    await small.agent.call("steer", { message: "by the way" });
    expect(await small.agent.call("get_state")).toMatchObject({ isStreaming: true, isCompacting: true });
    held.release();
    const settled = await small.agent.settled(from);
    await small.agent.settled(small.agent.frames.indexOf(settled) + 1);
    const said = story(small.agent.frames.slice(from)).filter((line) =>
      /^(agent_|compaction|message_start user)/.test(line),
    );
    expect(said).toEqual([
      "compaction_end",
      "agent_start",
      "message_start user",
      "message_start user",
      "agent_end",
      "agent_settled",
      "agent_start",
      "message_start user",
      "agent_end",
      "agent_settled",
    ]);
    expect(small.lastRequest()).toContain("fourth");
    expect(await small.agent.call("get_state")).toMatchObject({ isStreaming: false });
  });

  it("are dropped by abort and by clear_queue, which returns their texts", async () => {
    await small.talk();
    const held = gate();
    small.model.enqueue(reply([held, text("Never")]));
    await small.beginCompaction();
    await small.agent.call("follow_up", { message: "later" });
    await small.agent.call("prompt", { message: "third" });
    const from = small.agent.frames.length;
    expect(await small.agent.call("clear_queue")).toEqual({ steering: [], followUp: ["later", "third"] });
    expect(small.agent.frames.slice(from, from + 2)).toEqual([
      { type: "queue_update", steering: [], followUp: [] },
      { type: "agent_settled", aborted: true },
    ]);
    await small.agent.call("prompt", { message: "fourth" });
    const before = small.agent.frames.length;
    await small.agent.call("abort");
    expect(story(small.agent.frames.slice(before))).toEqual([
      "compaction_end",
      "response compact",
      "agent_settled",
      "response abort",
    ]);
    expect(await small.agent.call("get_state")).toMatchObject({ isStreaming: false });
    held.release();
  });

  it("that arrive before new_session is done run in the new session", async () => {
    await small.talk();
    const held = gate();
    small.model.enqueue(reply([held, text("History")]), reply("Beginning"), reply("Fresh"));
    await small.beginCompaction();
    const from = small.agent.frames.length;
    small.agent.send({ id: "n", type: "new_session" });
    expect(await small.agent.call("prompt", { message: "afresh" })).toEqual({ disposition: "queued" });
    held.release();
    await small.agent.settled(from);
    expect(small.model.requests.at(-1)?.body.messages).toHaveLength(1);
    expect(story(small.agent.frames.slice(from)).slice(1, 5)).toEqual([
      "compaction_end",
      "response compact",
      "response new_session",
      "agent_start",
    ]);
  });
});
