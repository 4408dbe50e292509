import { once } from "node:events";
import { watch } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { serializeFrame } from "../../agent/rpc/wire/serialize.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { flood, reply, text } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let agent: AgentUnderTest;

beforeEach(async () => {
  model = await ScriptedModel.start();
  agent = new AgentUnderTest({ modelUrl: model.url });
});

afterEach(async () => {
  await agent.dispose();
  await model.stop();
});

function streamedText(): string {
  const steps = agent.frames.map((frame) => asRecord(frame.assistantMessageEvent));
  return steps.map((step) => (step.type === "text_delta" ? String(step.delta) : "")).join("");
}

describe("streaming", () => {
  it("keeps the size of a long answer linear in full mode, and its deltas complete", async () => {
    model.enqueue(reply([flood(10_000, 20)]));
    await agent.run("go");
    expect(streamedText()).toHaveLength(200_000);
    const bytes = agent.stdout.reduce((sum, chunk) => sum + chunk.length, 0);
    expect(bytes).toBeLessThan(20_000_000);
  });

  it("loses no event when the host pauses reading, and keeps the order", async () => {
    await agent.call("set_stream_options", { messageUpdate: "delta" });
    model.enqueue(reply([text("x".repeat(6_000_000), { chunks: 3000 })]));
    await agent.call("prompt", { message: "go" });
    await agent.waitFor(({ type }) => type === "message_update");
    agent.child.stdout.pause();
    const marker = once(watch(agent.cwd), "change");
    agent.send({ type: "bash", command: "touch still-listening", id: "while-blocked" });
    await marker;
    agent.child.stdout.resume();
    await agent.settled();
    expect(streamedText()).toHaveLength(6_000_000);
    expect(agent.types().findLast((type) => type !== "response")).toBe("agent_settled");
    await agent.waitFor((frame) => frame.id === "while-blocked");
  });

  it("escapes line separators in a model's text", async () => {
    model.enqueue(reply("a\u2028b\u2029c"));
    await agent.run("go");
    const raw = Buffer.concat(agent.stdout).toString();
    expect(raw).toContain("a\\u2028b\\u2029c");
    expect(raw).not.toMatch(/[\u2028\u2029]/);
    expect(await agent.call("get_last_assistant_text")).toEqual({ text: "a\u2028b\u2029c" });
  });
});

describe("serializeFrame", () => {
  it("writes lone surrogates as escapes", () => {
    expect(serializeFrame({ text: "\ud800" })).toBe('{"text":"\\ud800"}\n');
  });

  it("replaces values that cannot be written and keeps the rest", () => {
    const loop: Record<string, unknown> = { name: "loop" };
    loop.self = loop;
    const broken = {
      get trap(): string {
        throw new Error("sprung");
      },
    };
    expect(JSON.parse(serializeFrame({ type: "x", loop, big: 5n, broken, fine: 1 }))).toEqual({
      type: "x",
      loop: { name: "loop", self: { unserializable: true, reason: "circular structure" } },
      big: { unserializable: true, reason: "BigInt" },
      broken: { trap: { unserializable: true, reason: "sprung" } },
      fine: 1,
    });
  });
});
