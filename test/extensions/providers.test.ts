import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { extensionBench } from "../support/extension-bench.ts";
import { responseEvents } from "../support/responses-events.ts";
import { answerText, ScriptedCompletions } from "../support/scripted-completions.ts";
import { reply } from "../support/scripted-replies.ts";
import { ScriptedResponses } from "../support/scripted-responses.ts";
import { type AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

const { start, model } = extensionBench();

const MINE = `{
  baseUrl: URL, apiKey: "my-key", api: "anthropic-messages", headers: { "x-team": "blue" },
  models: [{ id: "small", name: "Small", contextWindow: 50000, maxTokens: 4000 }, { id: "large", maxTokens: 4000 }],
}`;
/** Commands `/go …` that run what stands there. */
const GO = `pi.registerCommand("go", { handler: async (args, ctx) => { await eval("(async () => {" + args + "})()"); } });`;
const go = (agent: AgentUnderTest, code: string) => agent.call("prompt", { message: `/go ${code}` });
const failure = async (agent: AgentUnderTest) => (await agent.waitFor(({ type }) => type === "extension_error")).error;

async function names(agent: AgentUnderTest, provider: string): Promise<unknown[]> {
  const { models } = await agent.call("get_available_models");
  if (!Array.isArray(models)) throw new Error("no list");
  return models.map(asRecord).flatMap((one) => (one.provider === provider ? [one.id] : []));
}

describe("a provider that an extension registers", () => {
  it("is there when the first model is chosen, and gets requests with its key and headers", async () => {
    const agent = start(`pi.registerProvider("mine", ${MINE});`, {
      args: ["--no-session", "--model", "mine/large"],
      hasClaude: false,
    });
    model().enqueue(reply("from mine"));
    const frames = await agent.run("hello");
    const end = frames.findLast(({ type }) => type === "message_end");
    expect(end?.message).toMatchObject({
      provider: "mine",
      model: "large",
      content: [{ type: "text", text: "from mine" }],
    });
    expect(model().requests[0]?.headers).toMatchObject({ "x-api-key": "my-key", "x-team": "blue" });
    expect(model().requests[0]?.body).toMatchObject({ model: "large", max_tokens: 4000 });
  });

  it("is selected when settings name its model", async () => {
    const settings = { defaultProvider: "mine", defaultModel: "large" };
    const agent = start(`pi.registerProvider("mine", ${MINE});`, { settings });
    expect((await agent.call("get_state")).model).toMatchObject({ provider: "mine", id: "large" });
  });

  it("is selected when no other can answer", async () => {
    const agent = start(`pi.registerProvider("mine", ${MINE});`, { hasClaude: false });
    expect((await agent.call("get_state")).model).toMatchObject({ provider: "mine", id: "small" });
    const { models } = await agent.call("get_available_models");
    expect(models).toMatchObject([
      { provider: "mine", id: "small", name: "Small", contextWindow: 50000, headers: { "x-team": "[redacted]" } },
      { provider: "mine", id: "large", name: "large", contextWindow: 128000, reasoning: false, input: ["text"] },
    ]);
  });

  it("can be added later and removed again", async () => {
    const agent = start(GO);
    expect(await names(agent, "mine")).toEqual([]);
    await go(agent, `pi.registerProvider("mine", ${MINE})`);
    expect(await names(agent, "mine")).toEqual(["small", "large"]);
    await agent.call("set_model", { provider: "mine", modelId: "small" });
    await go(agent, `pi.unregisterProvider("mine")`);
    expect(await names(agent, "mine")).toEqual([]);
    expect((await agent.request("prompt", { message: "hello" })).error).toBe(
      "Model mine/small is not there any more: what brought it is gone.\n\nSelect a model with --model at the command line, or with set_model from a host.",
    );
  });

  it("changes address and headers of a known provider until it is removed", async () => {
    const agent = start(
      `${GO} pi.registerProvider("anthropic", { baseUrl: URL + "/", headers: { "x-proxy": "$PROXY_ID" } });`,
      { env: { PROXY_ID: "p1", ANTHROPIC_API_KEY: "test-key" }, hasClaude: false },
    );
    model().enqueue(reply("through the proxy"));
    await agent.run("hello");
    expect(model().requests[0]?.headers["x-proxy"]).toBe("p1");
    expect((await agent.call("get_state")).model).toMatchObject({ id: "claude-opus-5-5", baseUrl: `${model().url}/` });
    await go(agent, `pi.unregisterProvider("anthropic")`);
    expect((await agent.call("get_state")).model).toMatchObject({ baseUrl: "https://api.anthropic.com" });
  });

  it("replaces the models of a known provider, which come back later", async () => {
    const agent = start(
      `${GO} pi.registerProvider("anthropic", { models: [{ id: "claude-opus-5-5", maxTokens: 5000 }] });`,
    );
    expect(await names(agent, "anthropic")).toEqual(["claude-opus-5-5"]);
    model().enqueue(reply("ok"));
    await agent.run("hello");
    expect(model().requests[0]?.body.max_tokens).toBe(5000);
    await go(agent, `pi.unregisterProvider("anthropic")`);
    expect((await names(agent, "anthropic")).length).toBeGreaterThan(10);
  });

  it("keeps what a second registration of its name does not mention", async () => {
    const agent = start(
      `pi.registerProvider("mine", ${MINE}); pi.registerProvider("mine", { headers: { "x-team": "red" } });`,
      {
        hasClaude: false,
      },
    );
    model().enqueue(reply("ok"));
    await agent.run("hello");
    expect(model().requests[0]?.headers).toMatchObject({ "x-api-key": "my-key", "x-team": "red" });
  });

  it("gets its key from a variable, or from a command that runs for each request", async () => {
    const agent = start(
      `pi.registerProvider("byname", { ...${MINE}, apiKey: "$MY_KEY" });
       pi.registerProvider("bycommand", { ...${MINE}, apiKey: "!echo printed-key", authHeader: true });
       pi.registerProvider("nokey", { ...${MINE}, apiKey: "$NOT_SET" });`,
      { env: { MY_KEY: "named-key" }, hasClaude: false },
    );
    model().enqueue(reply("one"), reply("two"));
    await agent.run("hello");
    await agent.call("set_model", { provider: "bycommand", modelId: "small" });
    await agent.run("hello");
    expect(model().requests.map(({ headers }) => headers["x-api-key"])).toEqual(["named-key", "printed-key"]);
    expect(model().requests[1]?.headers.authorization).toBe("Bearer printed-key");
    expect(await names(agent, "nokey")).toEqual([]);
  });

  it("can use chat completions", async () => {
    const server = await ScriptedCompletions.start();
    onTestFinished(() => server.stop());
    const agent = start(
      `pi.registerProvider("mine", { baseUrl: "${server.url}", apiKey: "k", api: "openai-completions", models: [{ id: "gpt" }] });`,
      { args: ["--no-session", "--model", "mine/gpt"], hasClaude: false },
    );
    server.enqueue(answerText("from mine"));
    const frames = await agent.run("hello");
    const end = frames.findLast(({ type }) => type === "message_end");
    expect(asRecord(end?.message).content).toEqual([{ type: "text", text: "from mine" }]);
    expect(server.requests[0]?.headers.authorization).toBe("Bearer k");
  });

  it("can use the Responses API", async () => {
    const server = await ScriptedResponses.start();
    onTestFinished(() => server.stop());
    const agent = start(
      `pi.registerProvider("mine", { baseUrl: "${server.url}", apiKey: "k", api: "openai-responses", models: [{ id: "gpt" }] });`,
      { args: ["--no-session", "--model", "mine/gpt"], hasClaude: false },
    );
    server.enqueue({ kind: "events", events: responseEvents([{ kind: "text", id: "msg_1", text: "from mine" }]) });
    const frames = await agent.run("hello");
    const end = frames.findLast(({ type }) => type === "message_end");
    expect(asRecord(end?.message).content).toMatchObject([{ type: "text", text: "from mine" }]);
    expect(server.requests[0]?.headers.authorization).toBe("Bearer k");
  });

  it("without a key gives a failed answer with the reason", async () => {
    const agent = start(`pi.registerProvider("mine", { ...${MINE}, apiKey: "!exit 3" });`, { hasClaude: false });
    const frames = await agent.run("hello");
    const end = frames.findLast(({ type }) => type === "message_end");
    expect(asRecord(end?.message).errorMessage).toMatch(/^No API key for mine: Command failed: exit 3/);
  });

  it("can list its models itself", async () => {
    const agent = start(
      `${GO} let ids = ["first"];
       const listed = () => ids.map((id) => ({ id }));
       pi.registerProvider("mine", { baseUrl: URL, apiKey: "k", api: "anthropic-messages", models: [], refreshModels: async () => listed() });`,
    );
    await go(agent, `ids = ["first", "second"]; await ctx.modelRegistry.refresh();`);
    expect(await names(agent, "mine")).toEqual(["first", "second"]);
  });
});

describe("a provider with an API of Google's", () => {
  it.each(['baseUrl: URL, api: "google-generative-ai"', 'api: "google-vertex"', 'api: "anthropic-vertex"'])(
    "has its models: %s",
    async (fields) => {
      const agent = start(`${GO} pi.registerProvider("mine", { ${fields}, apiKey: "k", models: [{ id: "gem" }] });`);
      await go(agent, `ctx.ui.notify("ready")`);
      expect(await names(agent, "mine")).toEqual(["gem"]);
    },
  );
});

describe("an invalid provider", () => {
  it("with an unknown wire format is reported, and the extension works", async () => {
    const agent = start(
      `${GO} pi.registerProvider("other", { baseUrl: URL, apiKey: "k", api: "mistral-conversations", models: [{ id: "gpt" }] });`,
    );
    expect(await failure(agent)).toBe(
      'Provider "other": api "mistral-conversations" is not supported here, so gpt cannot be used. Bring streamSimple.',
    );
    expect(await names(agent, "other")).toEqual([]);
    await go(agent, `ctx.ui.notify("works")`);
    await agent.waitFor(({ method }) => method === "notify");
  });

  it.each([
    ['pi.registerProvider("", {})', /^Provider cannot be registered:/],
    ['pi.registerProvider("mine")', /^Provider cannot be registered:/],
    ['pi.registerProvider("mine", { models: 5 })', /^Provider "mine" cannot be registered:/],
    ['pi.registerProvider("mine", { streamSimple() {} })', /^Provider "mine" has streamSimple, but no api/],
    [
      'pi.registerProvider("mine", { baseUrl: URL, models: [{ id: "m" }] })',
      /^Provider "mine": model "m" has no api\.$/,
    ],
    [
      'pi.registerProvider("mine", { api: "anthropic-messages", models: [{ id: "m" }] })',
      /^Provider "mine": model "m" has no baseUrl\.$/,
    ],
    [
      'pi.registerProvider("mine", { api: "anthropic-messages", baseUrl: URL, models: [{ name: "m" }] })',
      /^A model of provider "mine" is left out:/,
    ],
  ])("is reported: %s", async (code, words) => {
    expect(await failure(start(code))).toMatch(words);
  });

  it("throws when it is registered later", async () => {
    const agent = start(
      `pi.registerCommand("go", { handler: async (_, ctx) => {
        try { pi.registerProvider("mine", { models: 5 }); } catch (error) { ctx.ui.notify(error.message); }
      } });`,
    );
    await go(agent, "");
    expect((await agent.waitFor(({ method }) => method === "notify")).message).toMatch(
      /^Provider "mine" cannot be registered/,
    );
  });

  it("disappears with an extension that fails to load", async () => {
    const agent = start(`pi.registerProvider("mine", ${MINE}); throw new Error("no");`);
    expect(await failure(agent)).toMatch(/^Failed to load extension: no \(at /);
    expect(await names(agent, "mine")).toEqual([]);
  });
});

describe("a reload of extensions", () => {
  it("removes what the earlier ones registered", async () => {
    const reload = `pi.registerCommand("again", { handler: (_, ctx) => ctx.reload() });`;
    const agent = start(`${reload} pi.registerProvider("mine", ${MINE}); pi.registerProvider("other", ${MINE});`);
    expect(await names(agent, "other")).toEqual(["small", "large"]);
    const source = `export default (pi) => { const URL = ${JSON.stringify(model().url)}; ${reload}
      pi.registerProvider("mine", { ...${MINE}, models: [{ id: "new" }] }); };`;
    writeFileSync(join(agent.agentDir, "extensions", "mine.ts"), source);
    await agent.call("prompt", { message: "/again" });
    expect(await names(agent, "mine")).toEqual(["new"]);
    expect(await names(agent, "other")).toEqual([]);
  });
});

describe("a session that used an extension's model", () => {
  it("continues with it", async () => {
    const agentDir = mkdtempSync(join(tmpdir(), "tiller-kept-"));
    try {
      const body = `pi.registerProvider("mine", ${MINE});`;
      const first = start(body, { args: ["--session-dir", agentDir, "--model", "mine/large"] });
      model().enqueue(reply("kept"));
      await first.run("hello");
      await first.end();
      const second = start(body, { args: ["--session-dir", agentDir, "--continue"], cwd: first.cwd });
      expect((await second.call("get_state")).model).toMatchObject({ provider: "mine", id: "large" });
    } finally {
      rmSync(agentDir, { recursive: true });
    }
  });
});
