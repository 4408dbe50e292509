import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

const WRITTEN = {
  cache_creation_input_tokens: 1_000_000,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 1_000_000 },
};

let model: ScriptedModel;
let agentDir: string;
let agent: AgentUnderTest;

beforeEach(async () => {
  model = await ScriptedModel.start();
  agentDir = mkdtempSync(join(tmpdir(), "tiller-ttl-"));
});

afterEach(async () => {
  await agent.dispose();
  rmSync(agentDir, { recursive: true, force: true });
  await model.stop();
});

function start(settings: object): void {
  writeFileSync(join(agentDir, "settings.json"), JSON.stringify(settings));
  agent = new AgentUnderTest({ modelUrl: model.url, agentDir });
}

const marks = () => JSON.stringify(model.requests.at(-1)?.body).match(/"cache_control":\{[^}]*\}/g) ?? [];

describe("cacheTtl", () => {
  it("of an hour marks the tools, the system prompt, and the conversation, and is paid for", async () => {
    start({ cacheTtl: "1h" });
    model.enqueue(reply([toolCall("ls")]), reply("ok", { usage: WRITTEN }));
    const frames = await agent.run("go");
    expect(marks()).toEqual(Array.from({ length: 4 }, () => '"cache_control":{"type":"ephemeral","ttl":"1h"}'));
    const usage = asRecord(asRecord(frames.findLast(({ type }) => type === "message_end")?.message).usage);
    expect(usage).toMatchObject({ cacheWrite: 1_000_000, cost: { cacheWrite: 8 } });
  });

  it("is five minutes by default", async () => {
    start({});
    model.enqueue(reply("ok"));
    await agent.run("go");
    expect(new Set(marks())).toEqual(new Set(['"cache_control":{"type":"ephemeral"}']));
  });
});
