import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord, type Frame } from "../support/spawn-agent.ts";

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

const lend = (...names: string[]) =>
  agent.call("set_host_tools", {
    tools: names.map((name) => ({ name, description: `Can ${name}.`, parameters: { type: "object", properties: {} } })),
  });
const rewrites = (frames: readonly Frame[]) =>
  frames
    .filter(({ type }) => type === "message_end")
    .map(({ message }) => asRecord(message))
    .filter(({ role }) => role === "assistant")
    .map(({ cacheRewrite }) => cacheRewrite);
const names = () =>
  model.requests
    .at(-1)
    ?.body.tools?.map(({ name }) => name)
    .slice(-2);

describe("an answer", () => {
  it("says that a tool was added, once, with its name", async () => {
    const usage = { cache_creation_input_tokens: 100 };
    model.enqueue(reply("one", { usage }), reply("two", { usage }), reply("three", { usage }));
    await lend("pick");
    expect(rewrites(await agent.run("one"))).toEqual([undefined]);
    await lend("turn", "pick");
    const reason = "tool list changed (turn was added)";
    expect(rewrites(await agent.run("two"))).toEqual([{ cause: "tools", reason, added: ["turn"] }]);
    expect(names()).toEqual(["pick", "turn"]);
    expect(rewrites(await agent.run("three"))).toEqual([undefined]);
  });

  it("says that a tool was taken back", async () => {
    const usage = { cache_creation_input_tokens: 100 };
    model.enqueue(reply("one", { usage }), reply("two", { usage }));
    await lend("pick", "turn");
    await agent.run("one");
    await lend("pick");
    const reason = "tool list changed (turn was removed)";
    expect(rewrites(await agent.run("two"))).toEqual([{ cause: "tools", reason, removed: ["turn"] }]);
    expect(names()).not.toContain("turn");
  });

  it("of another session doesn't compare with this one", async () => {
    model.enqueue(reply("one"), reply("two"));
    await lend("pick");
    await agent.run("one");
    await agent.call("new_session");
    await lend();
    expect(rewrites(await agent.run("two"))).toEqual([undefined]);
    expect(names()).not.toContain("pick");
  });
});

describe("the use of the context window", () => {
  it("tells until when the cache is kept, and what the next message costs after that", async () => {
    const { contextUsage: before } = await agent.call("get_state");
    expect(before).not.toHaveProperty("cache");
    model.enqueue(reply("one", { usage: { input_tokens: 99_000, output_tokens: 1000 } }));
    const from = Date.now();
    await agent.run("one");
    const { contextUsage, model: selected } = await agent.call("get_state");
    const { cache } = asRecord(contextUsage);
    expect(cache).toMatchObject({ rereadCost: Number(asRecord(asRecord(selected).cost).cacheWrite) / 10 });
    const leftMs = Number(asRecord(cache).expiresAt) - from;
    expect(leftMs).toBeGreaterThanOrEqual(300_000);
    expect(leftMs).toBeLessThan(330_000);
  });
});
