import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ScriptedModel } from "../support/scripted-model.ts";
import { gate, httpError, reply, text } from "../support/scripted-replies.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let titles: ScriptedModel;
let agentDir: string;
let agent: AgentUnderTest;

beforeEach(async () => {
  model = await ScriptedModel.start();
  titles = await ScriptedModel.start();
  agentDir = mkdtempSync(join(tmpdir(), "tiller-title-"));
  const tiny = { id: "tiny", name: "Tiny", contextWindow: 8000, maxTokens: 2000 };
  const small = { baseUrl: titles.url, api: "anthropic-messages", apiKey: "local-key", models: [tiny] };
  writeFileSync(join(agentDir, "models.json"), JSON.stringify({ providers: { small } }));
  agent = new AgentUnderTest({ modelUrl: model.url, agentDir, args: ["--title-model", "small/tiny"] });
});

afterEach(async () => {
  await agent.dispose();
  rmSync(agentDir, { recursive: true, force: true });
  await model.stop();
  await titles.stop();
});

const name = async () => (await agent.call("get_state")).sessionName;

describe("a model for titles", () => {
  it("names a new session after its first message, once, and does not see what was attached", async () => {
    titles.enqueue(reply('"Parser loses commas."\nThat is all.'));
    model.enqueue(reply("ok"), reply("ok again"));
    const key = "0123456789abcdef";
    await agent.run(`Why are commas lost?\n\n<attached key="${key}">\nsecret content\n</attached ${key}>`);
    await expect.poll(name).toBe("Parser loses commas");
    const [request] = titles.requests;
    expect(JSON.stringify(request)).toContain("Why are commas lost?");
    expect(JSON.stringify(request)).not.toContain("secret content");
    await agent.run("And semicolons?");
    expect(titles.requests).toHaveLength(1);
  });

  it("has its cost counted with the session's", async () => {
    titles.enqueue(reply("Parser", { usage: { input_tokens: 1234, output_tokens: 6 } }));
    model.enqueue(reply("ok", { usage: { input_tokens: 1000, output_tokens: 10 } }));
    await agent.run("hi");
    await expect.poll(name).toBe("Parser");
    expect(await agent.call("get_session_stats")).toMatchObject({ tokens: { input: 2234, output: 16 } });
    const { rows } = await agent.call("get_usage");
    expect(rows).toMatchObject([
      { model: "small/tiny", requests: 1, input: 1234 },
      { model: expect.stringContaining("anthropic/"), input: 1000 },
    ]);
  });

  it("is not asked about a session that has a name", async () => {
    model.enqueue(reply("ok"));
    await agent.call("set_session_name", { name: "Mine" });
    await agent.run("hi");
    expect(await name()).toBe("Mine");
    expect(titles.requests).toHaveLength(0);
  });

  it("doesn't replace a name that the user gives meanwhile", async () => {
    const held = gate();
    titles.enqueue(reply([text("Some "), held, text("title")]));
    model.enqueue(reply("ok"));
    const run = agent.run("hi");
    await held.reached.promise;
    await agent.call("set_session_name", { name: "Mine" });
    held.release();
    await run;
    await agent.call("get_state");
    expect(await name()).toBe("Mine");
  });

  it("that fails leaves the session without a name, and the run goes on", async () => {
    titles.enqueue(httpError(400, "invalid_request_error", "bad"));
    model.enqueue(reply("ok"));
    await agent.run("hi");
    await expect.poll(() => agent.stderr).toContain("Couldn't create a title for the session");
    expect(await name()).toBeUndefined();
  });
});
