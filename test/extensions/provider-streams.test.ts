import { describe, expect, it } from "vitest";
import { extensionBench } from "../support/extension-bench.ts";
import { type AgentUnderTest, asRecord, type Frame } from "../support/spawn-agent.ts";

const { start } = extensionBench();

const NO_RETRY = { retry: { enabled: false } };

/** An agent whose model is answered by this body; `push` adds an event with the message so far, `end` the last one. */
function answering(body: string, more = "", settings: object = NO_RETRY): AgentUnderTest {
  return start(
    `const { createAssistantMessageEventStream, calculateCost, getCurrentSystemPrompt, getCurrentTools } = await import("@earendil-works/pi-ai");
     let turn = 0;
     pi.registerProvider("own", {
       baseUrl: "http://own.invalid", apiKey: "own-key", api: "own-api", headers: { "x-own": "1" },
       models: [{ id: "m", name: "M", reasoning: true, input: ["text"], contextWindow: 9000, maxTokens: 900,
                  cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 }, note: "mine" }],
       streamSimple(model, context, options) {
         turn++;
         const stream = createAssistantMessageEventStream();
         const message = { role: "assistant", content: [], api: model.api, provider: model.provider, model: model.id, stopReason: "pending",
           usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } }, timestamp: Date.now() };
         const push = (event) => stream.push({ ...event, partial: message });
         const say = (text) => {
           const contentIndex = message.content.push({ type: "text", text: "" }) - 1;
           push({ type: "text_start", contentIndex });
           for (const delta of text.split(/(?= )/)) { message.content[contentIndex].text += delta; push({ type: "text_delta", contentIndex, delta }); }
           push({ type: "text_end", contentIndex, content: text });
         };
         const done = (reason = "stop") => { message.stopReason = reason; stream.push({ type: "done", reason, message }); stream.end(); };
         ${body}
         return stream;
       },
     }); ${more}`,
    { args: ["--no-session", "--model", "own/m"], settings },
  );
}

const last = (frames: readonly Frame[]) => asRecord(frames.findLast(({ type }) => type === "message_end")?.message);
/** Kinds of steps; those that hosts may get as one count as one. */
const steps = (frames: readonly Frame[]) =>
  frames
    .flatMap(({ type, assistantMessageEvent }) =>
      type === "message_update" ? [asRecord(assistantMessageEvent).type] : [],
    )
    .filter((type, index, all) => type !== all[index - 1]);

describe("a stream from an extension", () => {
  it("becomes an answer with text, thinking, usage and cost", async () => {
    const agent = answering(`
      push({ type: "start" });
      message.content.push({ type: "thinking", thinking: "" });
      push({ type: "thinking_start", contentIndex: 0 });
      push({ type: "thinking_delta", contentIndex: 0, delta: "hm" });
      message.content[0] = { type: "thinking", thinking: "hm", thinkingSignature: "sig" };
      push({ type: "thinking_end", contentIndex: 0, content: "hm" });
      say("well done");
      Object.assign(message.usage, { input: 1000000, output: 500000 });
      calculateCost(model, message.usage);
      done();`);
    const frames = await agent.run("hello");
    expect(last(frames)).toMatchObject({
      api: "own-api",
      provider: "own",
      model: "m",
      stopReason: "stop",
      content: [
        { type: "thinking", thinking: "hm", thinkingSignature: "sig" },
        { type: "text", text: "well done" },
      ],
      usage: { input: 1000000, output: 500000, totalTokens: 1500000, cost: { input: 1, output: 1, total: 2 } },
    });
    expect(steps(frames)).toEqual([
      "thinking_start",
      "thinking_delta",
      "thinking_end",
      "text_start",
      "text_delta",
      "text_end",
    ]);
  });

  it("calls tools, and gets their results in the next request", async () => {
    const agent = answering(
      `push({ type: "start" });
       if (turn === 2) { say(JSON.stringify(context.messages.slice(1).map((one) => [one.role, one.toolName ?? null]))); return done(), stream; }
       message.content.push({ type: "toolCall", id: "c1", name: "add", arguments: {} });
       push({ type: "toolcall_start", contentIndex: 0 });
       push({ type: "toolcall_delta", contentIndex: 0, delta: '{"a":1,' });
       push({ type: "toolcall_delta", contentIndex: 0, delta: '"b":2}' });
       push({ type: "toolcall_end", contentIndex: 0, toolCall: { type: "toolCall", id: "c1", name: "add", arguments: { a: 1, b: 2 } } });
       message.content[0].arguments = { a: 1, b: 2 };
       done("toolUse");`,
      `pi.registerTool({ name: "add", description: "Adds", parameters: { type: "object", properties: {} },
         execute: async (id, { a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }) });`,
    );
    const frames = await agent.run("hello");
    const end = frames.find(({ type }) => type === "tool_execution_end");
    expect(end).toMatchObject({ toolCallId: "c1", toolName: "add", isError: false });
    expect(asRecord(end?.result).content).toEqual([{ type: "text", text: "3" }]);
    expect(last(frames).content).toEqual([
      { type: "text", text: '[["user",null],["assistant",null],["toolResult","add"]]' },
    ]);
  });

  it("gets the model as its author wrote it, the instructions, tools and options", async () => {
    const agent = answering(`
      push({ type: "start" });
      say(JSON.stringify([model.note, model.provider, options.apiKey, options.headers["x-own"], options.reasoning, options.signal.aborted,
        getCurrentSystemPrompt(context.messages) === context.systemPrompt, context.systemPrompt.length > 100,
        getCurrentTools(context.messages).map((tool) => tool.name).includes("read")]));
      done();`);
    await agent.call("set_thinking_level", { level: "high" });
    expect(last(await agent.run("hello")).content).toEqual([
      { type: "text", text: '["mine","own","own-key","1","high",false,true,true,true]' },
    ]);
  });

  it("can leave everything to the final message", async () => {
    const agent = answering(`
      message.content = [{ type: "text", text: "at once" }, { type: "toolCall", id: "", name: "nothing", arguments: { a: 1 } }];
      if (turn === 2) message.content.pop();
      done(turn === 2 ? "stop" : "toolUse");`);
    const frames = await agent.run("hello");
    expect(steps(frames).slice(0, 5)).toEqual([
      "text_start",
      "text_delta",
      "text_end",
      "toolcall_start",
      "toolcall_end",
    ]);
    expect(frames.find(({ type }) => type === "tool_execution_end")).toMatchObject({
      toolName: "nothing",
      isError: true,
    });
    expect(last(frames).content).toEqual([{ type: "text", text: "at once" }]);
  });

  it("need not be made with our library", async () => {
    const agent = answering(`
      return (async function* () {
        yield { type: "start" };
        yield { type: "ping" };
        yield { type: "done", reason: "length", message: { content: [{ type: "text", text: "plain" }] } };
      })();`);
    expect(last(await agent.run("hello"))).toMatchObject({
      stopReason: "length",
      content: [{ type: "text", text: "plain" }],
    });
  });
});

describe("a provider with its own code for everything", () => {
  it("lists models, finds its key and answers", async () => {
    const agent = start(
      `const { createAssistantMessageEventStream } = await import("@earendil-works/pi-ai");
       class Own {
         id = "own"; name = "Own"; greeting = "hello from ";
         ids = ["first"];
         auth = { apiKey: { greeting: "key-of-", resolve: async function ({ ctx }) { return { auth: { apiKey: this.greeting + (await ctx.env("WHO")) } }; } } };
         getModels() { return this.ids.map((id) => ({ id, name: id, api: "own-api", provider: "own", baseUrl: "http://own.invalid" })); }
         async refreshModels({ publish }) { await publish({ update: () => { this.ids = ["first", "second"]; } }); }
         streamSimple(model, context, { apiKey }) {
           const stream = createAssistantMessageEventStream();
           stream.push({ type: "done", reason: "stop", message: { content: [{ type: "text", text: this.greeting + model.id + " with " + apiKey }] } });
           return stream;
         }
       }
       pi.registerProvider(new Own());`,
      { args: ["--no-session", "--model", "own/first"], env: { WHO: "ada" } },
    );
    expect(last(await agent.run("hello")).content).toEqual([
      { type: "text", text: "hello from first with key-of-ada" },
    ]);
    await agent.call("set_model", { provider: "own", modelId: "second" });
    expect(last(await agent.run("hello")).content).toEqual([
      { type: "text", text: "hello from second with key-of-ada" },
    ]);
  });
});

describe("a failing stream from an extension", () => {
  it.each([
    [
      "with an error event",
      `push({ type: "start" }); say("so far"); message.errorMessage = "quota is gone"; stream.push({ type: "error", reason: "error", error: message });`,
      "quota is gone",
    ],
    ["before it begins", `throw new Error("no stream");`, "no stream"],
    ["because it is none", `return { events: [] };`, "Provider own returned something other than a stream of events."],
    [
      "without an end",
      `push({ type: "start" }); say("so far"); stream.end();`,
      "Provider own ended its response without saying how.",
    ],
    ["in the middle", `return (async function* () { yield { type: "start" }; throw new Error("broke"); })();`, "broke"],
    [
      "with an event that cannot be read",
      `stream.push({ type: "text_delta", contentIndex: -1, delta: "x" });`,
      'The provider sent an event that can\'t be read: {"type":"text_delta","contentIndex":-1,"delta":"x"}',
    ],
    [
      "with null",
      `stream.push({ type: "start" }); return (async function* () { yield null; })();`,
      "The provider sent an event that can't be read: null",
    ],
    [
      "in a wrong order",
      `stream.push({ type: "text_delta", contentIndex: 3, delta: "x" });`,
      "The provider sent text_delta for block 3, which is not open as such.",
    ],
    [
      "with a block of another kind",
      `push({ type: "text_start", contentIndex: 0 }); push({ type: "thinking_end", contentIndex: 0, content: "" });`,
      "The provider sent thinking_end for block 0, which is not open as such.",
    ],
    [
      "with a block that begins twice",
      `push({ type: "text_start", contentIndex: 0 }); push({ type: "text_start", contentIndex: 0 });`,
      "The provider began block 0 twice.",
    ],
    [
      "with a call that has no arguments",
      `push({ type: "toolcall_start", contentIndex: 0 }); push({ type: "toolcall_end", contentIndex: 0 });`,
      "The provider ended tool call 0 without its name.",
    ],
    [
      "with an object that holds itself",
      `const round = { type: "done" }; round.round = round; stream.push(round);`,
      "The provider sent an event that can't be read: object",
    ],
  ])("%s becomes an answer with an error", async (_, body, words) => {
    const agent = answering(body);
    expect(last(await agent.run("hello"))).toMatchObject({ stopReason: "error", errorMessage: words, provider: "own" });
    expect((await agent.call("get_state")).isStreaming).toBe(false);
  });

  it("is tried again after a temporary error", async () => {
    const agent = answering(`if (turn === 1) throw new Error("503 service unavailable"); say("better"); done();`, "", {
      retry: { baseDelayMs: 1 },
    });
    const frames = await agent.run("hello");
    expect(agent.types(frames)).toContain("auto_retry_start");
    expect(last(frames).content).toEqual([{ type: "text", text: "better" }]);
  });

  it("that never continues ends with an abort, and its signal fires", async () => {
    const agent = answering(
      `push({ type: "start" }); say("so far");
      options.signal.addEventListener("abort", () => pi.events.emit("left"));`,
      `pi.on("agent_start", (_, ctx) => pi.events.on("left", () => ctx.ui.notify("left")));`,
    );
    await agent.call("prompt", { message: "hello" });
    await agent.waitFor(
      ({ type, assistantMessageEvent }) =>
        type === "message_update" && asRecord(assistantMessageEvent).type === "text_end",
    );
    await agent.call("abort");
    await agent.settled();
    await agent.waitFor(({ method, message }) => method === "notify" && message === "left");
    expect(last(agent.frames)).toMatchObject({ stopReason: "aborted", content: [{ type: "text", text: "so far" }] });
  });

  it("that never starts ends with an abort", async () => {
    const agent = answering(
      `pi.events.emit("begun"); return new Promise(() => {});`,
      `pi.on("agent_start", (_, ctx) => pi.events.on("begun", () => ctx.ui.notify("begun")));`,
    );
    await agent.call("prompt", { message: "hello" });
    await agent.waitFor(({ method }) => method === "notify");
    await agent.call("abort");
    await agent.settled();
    expect(last(agent.frames).stopReason).toBe("aborted");
  });
});
