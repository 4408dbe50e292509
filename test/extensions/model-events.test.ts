import { describe, expect, it } from "vitest";
import { extensionBench } from "../support/extension-bench.ts";
import { hang, httpError, reply } from "../support/scripted-replies.ts";
import { type AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

const { start, model } = extensionBench();

const notices = (agent: AgentUnderTest) =>
  agent.frames.flatMap(({ method, message }) => (method === "notify" ? [message] : []));
const failed = (agent: AgentUnderTest) => agent.waitFor(({ type }) => type === "extension_error");

describe("a handler of before_provider_request", () => {
  it("sees the request and can change it, one after the other", async () => {
    const agent = start(`
      pi.on("before_provider_request", ({ payload }, ctx) => { ctx.ui.notify(payload.model); return { ...payload, max_tokens: 123 }; });
      pi.on("before_provider_request", ({ payload }) => ({ payload: { ...payload, system: [{ type: "text", text: "limit " + payload.max_tokens }] } }));
      pi.on("before_provider_request", ({ payload }) => { payload.messages[0].content[0].text += "!"; });`);
    model().enqueue(reply("one"), reply("two"));
    await agent.run("hello");
    await agent.run("again");
    expect(notices(agent)).toEqual(["claude-opus-5-5", "claude-opus-5-5"]);
    expect(model().requests[1]?.body).toMatchObject({
      max_tokens: 123,
      system: [{ text: "limit 123" }],
      messages: [{ content: [{ text: "hello!" }] }, { role: "assistant" }, { content: [{ text: "again" }] }],
    });
    expect((await agent.call("get_messages")).messages).toMatchObject([{ content: [{ text: "hello" }] }, {}, {}, {}]);
  });

  it("that throws or returns something else changes nothing", async () => {
    const agent = start(`
      pi.on("before_provider_request", () => { throw new Error("not now"); });
      pi.on("before_provider_request", () => 5);`);
    model().enqueue(reply("fine"));
    await agent.run("hello");
    expect(await failed(agent)).toMatchObject({ event: "before_provider_request", error: "not now" });
    expect(model().requests[0]?.body).toMatchObject({ model: "claude-opus-5-5", stream: true });
  });

  it("that hangs is abandoned after an abort, and nothing is sent", async () => {
    const agent = start(
      `pi.on("before_provider_request", (_, ctx) => { ctx.ui.notify("waits"); return new Promise(() => {}); });`,
    );
    await agent.call("prompt", { message: "hello" });
    await agent.waitFor(({ method }) => method === "notify");
    await agent.call("abort");
    await agent.settled();
    const end = agent.frames.findLast(({ type }) => type === "message_end");
    expect(asRecord(end?.message).stopReason).toBe("aborted");
    expect(model().requests).toEqual([]);
  });
});

describe("a handler of before_provider_headers", () => {
  it("adds headers to the request and removes others", async () => {
    const agent = start(`
      pi.registerProvider("anthropic", { headers: { "x-team": "blue", "x-old": "1" } });
      pi.on("before_provider_headers", ({ headers }) => { headers["x-trace"] = headers["x-team"] + "-7"; headers["x-odd"] = 7; });
      pi.on("before_provider_headers", () => { throw new Error("not now"); });
      pi.on("before_provider_headers", async ({ headers }) => { await null; headers["x-old"] = null; });`);
    model().enqueue(reply("fine"));
    await agent.run("hello");
    expect(model().requests[0]?.headers).toMatchObject({
      "x-team": "blue",
      "x-trace": "blue-7",
      "x-api-key": "test-key",
    });
    expect(model().requests[0]?.headers).not.toHaveProperty("x-old");
    expect(model().requests[0]?.headers).not.toHaveProperty("x-odd");
    expect(await failed(agent)).toMatchObject({ event: "before_provider_headers", error: "not now" });
  });

  it("that sets an invalid header fails the run once, without repeating the value", async () => {
    for (const body of [
      "",
      `pi.registerProvider("chat", { baseUrl: URL, api: "openai-completions", apiKey: "k", models: [{ id: "tiny" }] });`,
    ]) {
      const agent = start(
        `${body} pi.on("before_provider_headers", ({ headers }) => { headers["x-token"] = "top-secret\\nvalue"; });`,
        { args: ["--no-session", ...(body === "" ? [] : ["--model", "chat/tiny"])] },
      );
      const frames = JSON.stringify(await agent.run("hello"));
      expect(frames).toContain("Couldn't send the request to 127.0.0.1");
      expect(frames).not.toContain("top-secret");
      expect(frames).not.toContain("auto_retry_start");
    }
    expect(model().requests).toEqual([]);
  });
});

describe("a provider of an extension", () => {
  it("gets the headers that other handlers have set", async () => {
    const agent = start(
      `pi.on("before_provider_headers", ({ headers }) => { headers["x-trace"] = headers["x-team"] + "-7"; headers["x-old"] = null; });
       pi.registerProvider("own", { api: "own-api", headers: { "x-team": "blue", "x-old": "1" }, models: [{ id: "m" }],
         async *streamSimple(model, context, { headers }) {
           yield { type: "done", reason: "stop", message: { content: [{ type: "text", text: JSON.stringify(headers) }] } };
         } });`,
      { args: ["--no-session", "--provider", "own", "--model", "m", "--api-key", "k"], hasClaude: false },
    );
    const end = (await agent.run("hello")).findLast(({ type }) => type === "message_end");
    expect(asRecord(end?.message).content).toEqual([
      { type: "text", text: '{"x-team":"blue","x-old":null,"x-trace":"blue-7"}' },
    ]);
  });

  it("lets other handlers see and change its request", async () => {
    const agent = start(
      `pi.on("before_provider_request", ({ payload }) => ({ ...payload, changed: true }));
       pi.on("after_provider_response", ({ status, headers }, ctx) => ctx.ui.notify(status + " " + headers.own));
       pi.registerProvider("own", { api: "own-api", models: [{ id: "m" }], async *streamSimple(model, context, options) {
         const sent = await options.onPayload({ model: model.id }, model);
         await options.onResponse({ status: 201, headers: { own: "yes" } }, model);
         yield { type: "done", reason: "stop", message: { content: [{ type: "text", text: JSON.stringify(sent) }] } };
       } });`,
      { args: ["--no-session", "--model", "own/m"] },
    );
    const end = (await agent.run("hello")).findLast(({ type }) => type === "message_end");
    expect(asRecord(end?.message).content).toEqual([{ type: "text", text: '{"model":"m","changed":true}' }]);
    expect(notices(agent)).toEqual(["201 yes"]);
  });
});

describe("a handler of after_provider_response", () => {
  it("sees status and headers, even of a refusal", async () => {
    const agent = start(
      `pi.on("after_provider_response", ({ status, headers }, ctx) => ctx.ui.notify(status + " " + headers["request-id"]));`,
      { settings: { retry: { enabled: false } } },
    );
    model().enqueue(httpError(400, "invalid_request_error", "no"), reply("yes"));
    await agent.run("hello");
    await agent.run("again");
    expect(notices(agent)[0]).toBe("400 req_scripted");
    expect(notices(agent)[1]).toMatch(/^200 /);
  });
});

describe("a handler of provider_stream_event", () => {
  it("sees each event as the service sent it, in order and before the message", async () => {
    const agent = start(`
      const seen = [];
      pi.on("provider_stream_event", async ({ provider, api, model, data }) => { await null; seen.push([provider, api, model, data.type].join(" ")); data.type = "broken"; });
      pi.on("provider_stream_event", () => { throw new Error("not now"); });
      pi.on("message_end", ({ message }) => void (message.role === "assistant" && pi.appendEntry("seen", seen.splice(0))));`);
    model().enqueue(reply("hello"));
    const frames = await agent.run("hi");
    const entry = frames.find(({ type }) => type === "entry_appended")?.entry;
    expect(asRecord(entry).data).toEqual(
      [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
      ].map((type) => `anthropic anthropic-messages claude-opus-5-5 ${type}`),
    );
    expect(await failed(agent)).toMatchObject({ event: "provider_stream_event", error: "not now" });
    const end = frames.findLast(({ type }) => type === "message_end");
    expect(end?.message).toMatchObject({ content: [{ type: "text", text: "hello" }], stopReason: "stop" });
  });

  it("sees the events that a provider of an extension shows, and whoever asks a model sees those of its request", async () => {
    const agent = start(
      `const { createAssistantMessageEventStream } = await import("@earendil-works/pi-ai");
      pi.on("provider_stream_event", ({ provider, data }, ctx) => ctx.ui.notify(provider + " " + data.note));
      pi.registerProvider("own", { baseUrl: "http://own.invalid", apiKey: "k", api: "own-api", models: [{ id: "m" }, { id: "c", type: "classifier" }, { id: "i", type: "image" }],
        streamSimple(model, context, options) {
          const stream = createAssistantMessageEventStream();
          void (async () => {
            await options.onProviderStreamEvent?.({ note: "raw" }, model);
            stream.push({ type: "done", reason: "stop", message: { content: [{ type: "text", text: "x" }] } });
          })();
          return stream;
        } });
      pi.registerCommand("ask", { handler: async (_args, ctx) => {
        const seen = [];
        await ctx.modelRegistry.complete(ctx.modelRegistry.find("anthropic", "claude-opus-5-5"), { messages: [{ role: "user", content: "hm" }] },
          { onProviderStreamEvent: (data, model) => seen.push(model.id + " " + data.type) });
        ctx.ui.notify(seen.at(-1));
        const types = ["chat", "classifier", "image"].map((type) => ctx.modelRegistry.getModelsOfType(type, "own").length);
        ctx.ui.notify(types.join() + (await ctx.modelRegistry.getAvailableOfType("chat", "own")).length + ctx.modelRegistry.getModelOfType("image", "own", "i"));
        ctx.ui.notify((await ctx.modelRegistry.classify({ provider: "own" }, {})).errorMessage);
        ctx.ui.notify((await ctx.modelRegistry.generateImages({ provider: "own" }, {})).stopReason);
      } });`,
    );
    await agent.call("set_model", { provider: "own", modelId: "m" });
    await agent.run("hi");
    model().enqueue(reply("ok"));
    await agent.call("prompt", { message: "/ask" });
    expect(notices(agent)).toEqual([
      "own raw",
      "claude-opus-5-5 message_stop",
      "1,0,01undefined",
      "Provider own does not support classification",
      "error",
    ]);
  });
});

describe("a model change", () => {
  const LISTENS = `
    pi.on("model_select", ({ model, previousModel, source }, ctx) => ctx.ui.notify([previousModel?.id, model.id, source].join(" ")));
    pi.on("thinking_level_select", ({ level, previousLevel }, ctx) => ctx.ui.notify(previousLevel + " " + level));`;

  it("is reported with its source, and with the thinking level when it changes", async () => {
    const agent = start(LISTENS, { args: ["--no-session", "--models", "claude-opus-5,claude-fable-5"] });
    await agent.call("set_thinking_level", { level: "off" });
    await agent.call("cycle_model");
    await agent.call("set_model", { provider: "anthropic", modelId: "claude-fable-5" });
    await agent.call("set_model", { provider: "anthropic", modelId: "claude-opus-5" });
    await agent.call("cycle_thinking_level");
    expect(notices(agent)).toEqual([
      "medium off",
      "claude-opus-5 claude-fable-5 cycle",
      "off low",
      "claude-fable-5 claude-opus-5 set",
      "low off",
      "off low",
    ]);
  });

  it("is reported when an extension makes it", async () => {
    const agent = start(`${LISTENS}
      pi.registerCommand("go", { handler: async (_, ctx) => {
        await pi.setModel(ctx.modelRegistry.find("anthropic", "claude-opus-5"));
        pi.setThinkingLevel("high");
      } });`);
    await agent.call("prompt", { message: "/go" });
    await agent.waitFor(({ message }) => message === "medium high");
    expect(notices(agent)).toEqual(["claude-opus-5-5 claude-opus-5 set", "medium high"]);
  });

  it("is reported as restored when another session brings it", async () => {
    const agent = start(LISTENS, { args: [] });
    model().enqueue(reply("ok"), reply("ok"));
    await agent.run("hello");
    const { sessionFile } = await agent.call("get_state");
    await agent.call("new_session");
    await agent.call("set_model", { provider: "anthropic", modelId: "claude-opus-5" });
    await agent.run("hello");
    await agent.call("switch_session", { sessionPath: sessionFile });
    expect(notices(agent)).toEqual(["claude-opus-5-5 claude-opus-5 set", "claude-opus-5 claude-opus-5-5 restore"]);
  });

  it("waits for a hanging handler until the user aborts", async () => {
    const agent = start(
      `pi.on("model_select", (_, ctx) => { ctx.ui.notify("waits"); return new Promise(() => {}); });`,
    );
    const change = agent.call("set_model", { provider: "anthropic", modelId: "claude-opus-5" });
    await agent.waitFor(({ method }) => method === "notify");
    await agent.call("abort");
    expect(await change).toMatchObject({ id: "claude-opus-5" });
  });
});

describe("a request without handlers", () => {
  it("can still be aborted", async () => {
    const agent = start("");
    const hanging = hang();
    model().enqueue(hanging);
    await agent.call("prompt", { message: "hello" });
    await agent.waitFor(({ type, message }) => type === "message_start" && asRecord(message).role === "assistant");
    await agent.call("abort");
    await hanging.clientClosed.promise;
    await agent.settled();
  });
});
