import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hang, httpError, reply, text, toolCall } from "../support/scripted-replies.ts";
import { AUTO_FRAMES, LONG, NEARLY_FULL, SmallWindow, story } from "../support/small-window.ts";
import { asRecord } from "../support/spawn-agent.ts";

let small: SmallWindow;

beforeEach(async () => {
  small = await SmallWindow.start();
});

afterEach(() => small.stop());

describe("automatic compaction", () => {
  it("makes room between two turns", async () => {
    small.model.enqueue(
      reply(LONG),
      reply([text(LONG), toolCall("ls")], NEARLY_FULL),
      reply("H"),
      reply("B"),
      reply("Done"),
    );
    await small.agent.run("first");
    const frames = await small.run("second");
    const at = story(frames).indexOf("compaction_start");
    expect(story(frames).slice(at - 1, at + 5)).toEqual(["turn_end", ...AUTO_FRAMES, "turn_start"]);
    expect(frames[at]).toEqual({ type: "compaction_start", reason: "threshold" });
    expect(frames[at + 1]).toEqual({ type: "auto_compaction_start", reason: "threshold", action: "context-full" });
    const { result } = asRecord(frames[at + 3]);
    expect(frames[at + 2]).toMatchObject({ action: "context-full", result, aborted: false, willRetry: false });
    expect(result).toMatchObject({ summary: "H\n\n**Turn Context (split turn):**\n\nB" });
    expect(story(frames).filter((type) => type === "agent_start")).toHaveLength(1);
  });

  it("follows a run that filled the window, and does not continue the run", async () => {
    small.model.enqueue(reply(LONG), reply(LONG, NEARLY_FULL), reply("H"), reply("B"));
    await small.agent.run("first");
    const frames = await small.run("second");
    expect(story(frames).slice(-6)).toEqual(["agent_end", ...AUTO_FRAMES, "agent_settled"]);
    expect(frames.at(-6)).toMatchObject({ willRetry: false, willContinue: false });
  });

  it("has the reason overflow when a complete answer overfilled the window, and repeats nothing", async () => {
    small.model.enqueue(reply(LONG), reply(LONG, { usage: { input_tokens: 11_000 } }), reply("H"), reply("B"));
    await small.agent.run("first");
    const frames = await small.run("second");
    expect(story(frames).slice(-6)).toEqual(["agent_end", ...AUTO_FRAMES, "agent_settled"]);
    expect(frames.at(-2)).toMatchObject({ reason: "overflow", willRetry: false, aborted: false });
  });

  it("runs before a new prompt when it has just been switched on, and never while it is off", async () => {
    await small.agent.call("set_auto_compaction", { enabled: false });
    small.model.enqueue(reply(LONG), reply(LONG, NEARLY_FULL));
    await small.agent.run("first");
    expect(story(await small.agent.run("second"))).not.toContain("compaction_start");
    await small.agent.call("set_auto_compaction", { enabled: true });
    small.model.enqueue(reply("H"), reply("B"), reply("Answer"));
    const frames = await small.run("third");
    expect(story(frames).slice(0, 6)).toEqual([...AUTO_FRAMES, "agent_start", "turn_start"]);
    expect(small.lastRequest()).toContain("third");
  });

  it("makes room after an overflow and asks again", async () => {
    await small.talk();
    const overflow = httpError(400, "invalid_request_error", "prompt is too long: 12000 tokens > 10000 maximum");
    small.model.enqueue(overflow, reply("H"), reply("B"), reply("Now it fits"));
    const frames = await small.run("third");
    const at = story(frames).indexOf("agent_end");
    expect(story(frames).slice(at, at + 6)).toEqual(["agent_end", ...AUTO_FRAMES, "agent_start"]);
    expect(frames[at]).toMatchObject({ willRetry: false, willContinue: true });
    expect(frames[at + 4]).toMatchObject({ reason: "overflow", willRetry: true, aborted: false });
    expect(small.lastRequest()).toContain("third");
    expect(await small.agent.call("get_last_assistant_text")).toEqual({ text: "Now it fits" });
  });

  it("gives up after a second overflow in the run", async () => {
    await small.talk();
    const overflow = httpError(400, "invalid_request_error", "prompt is too long: 12000 tokens > 10000 maximum");
    small.model.enqueue(overflow, reply("H"), reply("B"), overflow);
    const frames = await small.run("third");
    expect(story(frames).slice(-6)).toEqual(["agent_end", ...AUTO_FRAMES, "agent_settled"]);
    expect(frames.at(-6)).toMatchObject({ willContinue: false });
    expect(frames.at(-2)).toEqual({
      type: "compaction_end",
      reason: "overflow",
      result: null,
      aborted: false,
      willRetry: false,
      errorMessage:
        "Context overflow recovery failed after one compact-and-retry attempt. Try reducing context or switching to a larger-context model.",
    });
  });

  it("treats an answer cut below the model's own limit as an overflow, and one at the limit as an answer", async () => {
    await small.talk();
    const cut = { stopReason: "max_tokens", usage: { output_tokens: 100 } };
    small.model.enqueue(reply(LONG, cut), reply("H"), reply("B"), reply("whole"));
    expect(story(await small.agent.run("third")).filter((type) => type === "agent_start")).toHaveLength(2);
    small.model.enqueue(reply(LONG, { stopReason: "max_tokens", usage: { output_tokens: 3000 } }));
    expect(story(await small.agent.run("fourth"))).not.toContain("compaction_start");
  });

  it("reports why it failed, and the run continues", async () => {
    small.model.enqueue(reply(LONG), reply([text(LONG), toolCall("ls")], NEARLY_FULL));
    small.model.enqueue(httpError(400, "invalid_request_error", "No such thing"), reply("Done"));
    await small.agent.run("first");
    const frames = await small.run("second");
    const end = frames.find(({ type }) => type === "compaction_end");
    expect(end).toMatchObject({ result: null, aborted: false, willRetry: false });
    expect(end?.errorMessage).toMatch(/^Auto-compaction failed: Summarization failed: .*No such thing/);
    expect(await small.agent.call("get_last_assistant_text")).toEqual({ text: "Done" });
  });

  it.each([
    ["between turns", reply([text(LONG), toolCall("ls")], NEARLY_FULL), ["agent_end", "agent_settled"]],
    ["after a run", reply(LONG, NEARLY_FULL), ["agent_settled"]],
  ])("is aborted %s: both end events say so", async (_, answer, end) => {
    small.model.enqueue(reply(LONG), answer, hang());
    await small.agent.run("first");
    await small.agent.call("prompt", { message: "second" });
    await small.agent.waitFor(({ type }) => type === "auto_compaction_start");
    expect(await small.agent.call("get_state")).toMatchObject({ isCompacting: true, isStreaming: true });
    const from = small.agent.frames.length;
    await small.agent.call("abort");
    const frames = small.agent.frames.slice(from);
    expect(story(frames)).toEqual(["auto_compaction_end", "compaction_end", ...end, "response abort"]);
    expect(frames[0]).toEqual({ type: "auto_compaction_end", action: "context-full", aborted: true, willRetry: false });
    expect(frames[1]).toMatchObject({ result: null, aborted: true, willRetry: false });
    expect(frames.at(-2)).toEqual({ type: "agent_settled", aborted: true });
  });
});
