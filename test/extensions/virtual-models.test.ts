import { describe, expect, it } from "vitest";
import { extensionBench } from "../support/extension-bench.ts";
import { writeFiles } from "../support/extension-files.ts";
import { gate, httpError, reply, text, toolCall } from "../support/scripted-replies.ts";
import { type AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

const { start, startKeeping, model } = extensionBench();

/** Two models that the scripted model serves. */
const SHOP = `pi.registerProvider("shop", { baseUrl: URL, apiKey: "shop-key", api: "anthropic-messages", models: [
  { id: "big", name: "Big", reasoning: true, contextWindow: 200000, maxTokens: 8000, cost: { input: 10, output: 10 } },
  { id: "small", name: "Small", contextWindow: 50000, maxTokens: 4000, input: ["text"] },
] });`;
/** A virtual model whose router keeps what it is asked for, and a command that tells it. */
const router = (route: string, more = "") => `${SHOP}
  const asked = [];
  const to = (ctx, id, thinkingLevel = "off", state) => ({ model: ctx.modelRegistry.find("shop", id), thinkingLevel, state });
  const shown = (one) => one && [one.model.id, one.thinkingLevel ?? "-"].join(":");
  pi.registerVirtualModel({
    provider: "router", id: "auto", name: "Auto", thinkingLevels: ["low", "high"], ${more}
    async route(request, ctx) {
      asked.push([request.reason, shown(request.previous) ?? "-", shown(request.failed) ?? "-", request.messages.map(({ role }) => role).join(" ")].join(" | "));
      ${route}
    },
  });
  pi.registerCommand("asked", { handler: (_args, ctx) => ctx.ui.notify(asked.splice(0).join("\\n")) });
  pi.registerCommand("go", { handler: async (args, ctx) => { await eval("(async () => {" + args + "})()"); } });`;
const AUTO = ["--no-session", "--model", "router/auto"];

const go = (agent: AgentUnderTest, code: string) => agent.call("prompt", { message: `/go ${code}` });
const lastNotice = (agent: AgentUnderTest) => agent.frames.findLast(({ method }) => method === "notify")?.message;
async function asked(agent: AgentUnderTest): Promise<string[]> {
  await agent.call("prompt", { message: "/asked" });
  return String(lastNotice(agent)).split("\n");
}
const models = () => model().requests.map(({ body }) => body.model);
const answers = (agent: AgentUnderTest) =>
  agent.frames.flatMap(({ type, message }) => {
    const told = type === "message_end" ? asRecord(message) : {};
    return told.role === "assistant" ? [told] : [];
  });

describe("a virtual model", () => {
  it("is listed and selected like any other, and chooses a model for each request", async () => {
    const agent = start(
      router(`if (request.reason !== "user" && request.previous) return { ...request.previous };
              return to(ctx, request.thinkingLevel === "high" ? "big" : "small", "medium");`),
      { args: [...AUTO, "--thinking", "high"] },
    );
    const { model: selected, thinkingLevel, contextUsage } = await agent.call("get_state");
    expect(selected).toMatchObject({
      provider: "router",
      id: "auto",
      name: "Auto",
      api: "pi-virtual",
      contextWindow: 0,
    });
    expect([thinkingLevel, contextUsage]).toEqual(["high", undefined]);
    model().enqueue(reply([toolCall("ls", {})]), reply("done"), reply("hello again"));
    await agent.run("hello");
    expect(await asked(agent)).toEqual([
      "user | - | - | system user",
      "continuation | big:medium | - | system user assistant toolResult",
    ]);
    expect((await agent.call("get_state")).contextUsage).toMatchObject({ contextWindow: 200000 });
    await agent.call("set_thinking_level", { level: "low" });
    await agent.run("and again");
    expect(models()).toEqual(["big", "big", "small"]);
    expect(answers(agent)).toMatchObject([
      { provider: "shop", model: "big", thinkingLevel: "medium" },
      { provider: "shop", model: "big", thinkingLevel: "medium" },
      { provider: "shop", model: "small" },
    ]);
    expect(asRecord(answers(agent)[0]?.usage).cost).toMatchObject({ input: 0.0001, output: 0.00005 });
    const state = await agent.call("get_state");
    expect(state.model).toMatchObject({ provider: "router", id: "auto" });
    expect(state.contextUsage).toMatchObject({ contextWindow: 50000 });
    expect(await agent.call("get_available_thinking_levels")).toEqual({ levels: ["low", "high"] });
  });

  it("is asked again before a retry, with the failed response, which is no longer in the conversation", async () => {
    const agent = start(
      router(`return to(ctx, request.failed?.message.errorMessage.includes("full") ? "small" : "big");`),
      {
        args: AUTO,
        settings: { retry: { baseDelayMs: 1 } },
      },
    );
    model().enqueue(httpError(529, "overloaded_error", "all full"), reply("from the other one"));
    await agent.run("hello");
    expect(models()).toEqual(["big", "small"]);
    expect(await asked(agent)).toEqual(["user | - | - | system user", "retry | - | big:off | system user"]);
  });

  it("gets a message that steers as one of the user, and a message of an extension as a continuation", async () => {
    const agent = start(router(`return to(ctx, "big");`), { args: AUTO });
    const stop = gate();
    model().enqueue(reply([stop, text("one")]), reply("two"), reply("three"));
    await agent.call("prompt", { message: "hello" });
    await stop.reached.promise;
    await agent.call("steer", { message: "and this" });
    stop.release();
    await agent.settled();
    const before = agent.frames.length;
    await go(agent, `pi.sendMessage({ customType: "x", content: "note", display: true }, { triggerTurn: true })`);
    await agent.settled(before);
    expect((await asked(agent)).map((line) => line.split(" | ")[0])).toEqual(["user", "user", "continuation"]);
  });

  it.each([
    [`throw new Error("no idea")`, "no idea"],
    [
      `return { model: request.model, thinkingLevel: "off" }`,
      "Virtual model router/auto routed to router/auto, which is not a physical model.",
    ],
    [
      `return { model: ctx.modelRegistry.find("openai", "gpt-5"), thinkingLevel: "off" }`,
      "Virtual model router/auto routed to openai/gpt-5, which has no credentials.",
    ],
    [`return undefined`, "Route cannot be registered:"],
  ])("that does %s ends the request with an error", async (route, words) => {
    const agent = start(router(route), { args: AUTO });
    await agent.run("hello");
    const [failed] = answers(agent);
    expect(failed).toMatchObject({ provider: "router", model: "auto", stopReason: "error" });
    expect(failed?.errorMessage).toContain(words);
  });

  it("whose router hangs can be aborted", async () => {
    const agent = start(router(`ctx.ui.notify("asked"); await new Promise(() => {});`), { args: AUTO });
    await agent.call("prompt", { message: "hello" });
    await agent.waitFor(({ message }) => message === "asked");
    await agent.call("abort");
    expect(answers(agent)).toMatchObject([{ stopReason: "aborted" }]);
  });

  it("answers summaries and requests of extensions with the model that it chooses for them", async () => {
    const agent = start(
      router(`if (request.reason === "direct") return to(ctx, "small", "off", { ignored: true });
              return to(ctx, "big", "off", request.state);`),
      { args: AUTO, settings: { compaction: { keepRecentTokens: 1 } } },
    );
    model().enqueue(reply("one"), reply("two"), reply("a summary"), reply("of a turn"), reply("asked"));
    await agent.run("first question");
    await agent.run("second question");
    await agent.call("compact");
    await go(
      agent,
      `const answer = await ctx.modelRegistry.complete(ctx.model, { messages: [{ role: "user", content: "hm" }] }, { apiKey: "router-key", maxTokens: 100000 });
       ctx.ui.notify([answer.provider, answer.model, answer.content[0].text].join(" "));`,
    );
    expect(lastNotice(agent)).toBe("shop small asked");
    expect(models()).toEqual(["big", "big", "small", "small", "small"]);
    expect(model().requests[4]?.headers).toMatchObject({ "x-api-key": "shop-key" });
    expect(model().requests[4]?.body).toMatchObject({ max_tokens: 4000 });
    expect((await asked(agent)).map((line) => line.split(" | ")[0])).toEqual(["user", "user", "direct", "direct"]);
  });

  it("compacts before the request when the chosen model has a smaller window", async () => {
    const agent = start(router(`return to(ctx, request.reason !== "direct" && request.previous ? "small" : "big");`), {
      args: AUTO,
      settings: { compaction: { keepRecentTokens: 1 } },
    });
    model().enqueue(reply("one", { usage: { input_tokens: 120_000 } }), reply("a summary"), reply("two"));
    await agent.run("first question");
    await agent.run("second question");
    expect(models()).toEqual(["big", "big", "small"]);
    expect(agent.types()).toContain("compaction_end");
  });
});

describe("the state of a router", () => {
  const PHASES = `const state = request.state ?? { phase: "plan" };
    if (request.reason === "direct") return to(ctx, "small");
    const isPlanned = state.phase === "plan" && request.messages.some(({ role, toolName }) => role === "toolResult" && toolName === "ls");
    if (isPlanned) return to(ctx, "small", "off", { phase: "build" });
    return to(ctx, state.phase === "plan" ? "big" : "small", "off", request.state ?? state);`;

  it("is kept on the branch of the session, and comes back with it", async () => {
    const agent = startKeeping({
      "mine.ts": `const URL = ${JSON.stringify(model().url)}; export default (pi) => { ${router(PHASES)} };`,
    });
    await agent.call("set_model", { provider: "router", modelId: "auto" });
    model().enqueue(reply([toolCall("ls", {})]), reply("planned"), reply("built"), reply("anew"));
    await agent.run("do it");
    await agent.run("go on");
    const states = agent.frames.flatMap(({ type, entry }) => (type === "entry_appended" ? [asRecord(entry)] : []));
    expect(states).toMatchObject([
      { customType: "pi.virtual-model-state", data: { provider: "router", modelId: "auto", state: { phase: "plan" } } },
      {
        customType: "pi.virtual-model-state",
        data: { provider: "router", modelId: "auto", state: { phase: "build" } },
      },
    ]);
    const { messages } = await agent.call("get_fork_messages");
    const [first] = Array.isArray(messages) ? messages.map(asRecord) : [];
    await agent.call("fork", { entryId: first?.entryId });
    expect((await agent.call("get_state")).model).toMatchObject({ provider: "router", id: "auto" });
    await agent.run("do it differently");
    expect(models()).toEqual(["big", "small", "small", "big"]);
  });

  it("and the selection are restored with the session; without the router, the model that responded last answers", async () => {
    const source = `const URL = ${JSON.stringify(model().url)}; export default (pi) => { ${router(PHASES)} };`;
    const first = startKeeping({ "mine.ts": source });
    await first.call("set_model", { provider: "router", modelId: "auto" });
    model().enqueue(reply([toolCall("ls", {})]), reply("planned"), reply("built"), reply("without"));
    await first.run("do it");
    const { sessionFile } = await first.call("get_state");
    await first.call("new_session");
    expect((await first.call("get_state")).model).toMatchObject({ provider: "router", id: "auto" });
    await first.call("set_model", { provider: "shop", modelId: "big" });
    await first.call("switch_session", { sessionPath: sessionFile });
    expect((await first.call("get_state")).model).toMatchObject({ provider: "router", id: "auto" });
    await first.run("go on");
    expect(models()).toEqual(["big", "small", "small"]);
    writeFiles(first.agentDir, {
      "extensions/mine.ts": `const URL = ${JSON.stringify(model().url)}; export default (pi) => { ${SHOP} };`,
    });
    await first.call("new_session");
    await first.call("switch_session", { sessionPath: sessionFile });
    expect((await first.call("get_state")).model).toMatchObject({ provider: "shop", id: "small" });
    await first.run("go on");
    expect(models().at(-1)).toBe("small");
  });
});

describe("a registration of a virtual model", () => {
  it("may use the name of a provider with models, but not that of a model", async () => {
    const agent = start(`${SHOP}
      const route = (_request, ctx) => ({ model: ctx.modelRegistry.find("shop", "big"), thinkingLevel: "off" });
      pi.registerVirtualModel({ provider: "shop", id: "auto", name: "Auto", contextWindow: 1000, maxTokens: 100, input: ["text"], route });
      pi.registerVirtualModel({ provider: "shop", id: "big", name: "Big", route });`);
    const failure = await agent.waitFor(({ type }) => type === "extension_error");
    expect(failure).toMatchObject({
      event: "register_virtual_model",
      error: "Virtual model shop/big conflicts with a physical model.",
    });
    const { models: all } = await agent.call("get_available_models");
    const shop = Array.isArray(all) ? all.map(asRecord).filter(({ provider }) => provider === "shop") : [];
    expect(shop).toMatchObject([{ id: "big" }, { id: "small" }, { id: "auto", contextWindow: 1000, maxTokens: 100 }]);
  });

  it("can be made and taken back later, and ends with the extension", async () => {
    const agent = start(router(`return to(ctx, "big");`));
    const has = async () => JSON.stringify((await agent.call("get_available_models")).models).includes('"pi-virtual"');
    expect(await has()).toBe(true);
    await go(agent, `pi.unregisterVirtualModel("router", "auto"); await ctx.reload();`);
    expect(await has()).toBe(true);
    await go(agent, `pi.unregisterVirtualModel("router", "auto");`);
    expect(await has()).toBe(false);
    await go(
      agent,
      `ctx.modelRegistry.registerVirtualModel({ provider: "late", id: "one", name: "One", route: () => to(ctx, "small") });`,
    );
    await agent.call("set_model", { provider: "late", modelId: "one" });
    model().enqueue(reply("late"));
    await agent.run("hello");
    expect(models()).toEqual(["small"]);
    await go(agent, `ctx.modelRegistry.unregisterVirtualModel("late", "one");`);
    expect((await agent.request("prompt", { message: "hello" })).error).toContain("late/one is not there any more");
    await go(
      agent,
      `ctx.ui.notify([ctx.modelRegistry.findOfType("classifier", "shop", "big"), ctx.modelRegistry.findOfType("chat", "shop", "big").id].join(" "))`,
    );
    expect(lastNotice(agent)).toBe(" big");
  });

  it("names what is wrong", async () => {
    const agent = start(
      `try { pi.registerVirtualModel({ provider: "", id: "x" }); } catch (error) { console.error("REFUSED", error.message); }`,
    );
    await agent.until(
      () => (agent.stderr.includes("REFUSED Virtual model cannot be registered:") ? true : undefined),
      "the refusal",
    );
  });

  it("isn't chosen for a new session when nobody names it", async () => {
    const agent = start(
      `pi.registerVirtualModel({ provider: "router", id: "auto", name: "Auto", route: () => undefined });`,
      { hasClaude: false },
    );
    expect((await agent.call("get_state")).model).toBe(null);
  });
});
