import { describe, expect, it } from "vitest";
import { extensionBench } from "../support/extension-bench.ts";
import { hang, httpError, reply, text, thinking, toolCall } from "../support/scripted-replies.ts";
import { type AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

const { start, model } = extensionBench();

/** An agent whose command `/go` does this and tells the result as JSON. */
function calling(body: string, env: Record<string, string> = {}): AgentUnderTest {
  return start(
    `const ai = await import("@earendil-works/pi-ai/compat");
     pi.registerCommand("go", { handler: async (args, ctx) => {
       const models = ctx.modelRegistry;
       const opus = models.find("anthropic", "claude-opus-4-5");
       const ask = (text) => ({ systemPrompt: "Be brief.", messages: [{ role: "user", content: text, timestamp: 1 }] });
       ctx.ui.notify(JSON.stringify(await (async () => { ${body} })()) ?? "undefined");
     } });`,
    { env },
  );
}

async function result(agent: AgentUnderTest): Promise<unknown> {
  await agent.call("prompt", { message: "/go" });
  const { message } = await agent.waitFor(({ method }) => method === "notify");
  return JSON.parse(String(message));
}

const DONE = { role: "assistant", stopReason: "stop", content: [{ type: "text", text: "four" }] };

describe("a model call of an extension", () => {
  it.each([
    ["models.complete(opus, ask('2 + 2?'))"],
    ["ai.complete(opus, ask('2 + 2?'))"],
    ["ai.completeSimple(opus, ask('2 + 2?'), {})"],
    ["models.stream(opus, ask('2 + 2?')).result()"],
    ["ai.anthropicMessagesApi().streamSimple({ ...opus, api: 'strange' }, ask('2 + 2?')).result()"],
  ])("is answered through %s", async (call) => {
    model().enqueue(reply("four"));
    const answer = await result(calling(`return await ${call};`));
    expect(answer).toMatchObject({
      ...DONE,
      provider: "anthropic",
      model: "claude-opus-4-5",
      usage: { input: 10, output: 5 },
    });
    expect(model().requests[0]?.body).toMatchObject({
      system: [{ text: "Be brief." }],
      messages: [{ role: "user", content: [{ type: "text", text: "2 + 2?" }] }],
    });
    expect(model().requests[0]?.body.tools).toBeUndefined();
  });

  it("streams steps with the message so far, and calls the tools it was given", async () => {
    model().enqueue(reply([thinking("hm"), text("one two"), toolCall("look", { at: 1 }, { id: "t1" })]));
    const agent = calling(`
      const context = { messages: [{ role: "system", content: "Be brief.", toolsAdded: [{ name: "look", description: "Looks", parameters: { type: "object" } }] }, ...ask("go").messages] };
      const events = [];
      for await (const event of ai.streamSimple(opus, context, { reasoning: "low" })) {
        events.push(event.type);
        if (event.type === "toolcall_end") events.push(event.toolCall.name, event.partial.content.length);
      }
      return events;`);
    expect(await result(agent)).toEqual([
      "start",
      "thinking_start",
      "thinking_delta",
      "thinking_end",
      "text_start",
      "text_delta",
      "text_end",
      "toolcall_start",
      "toolcall_delta",
      "toolcall_end",
      "look",
      3,
      "done",
    ]);
    expect(model().requests[0]?.body).toMatchObject({
      system: [{ text: "Be brief." }],
      tools: [{ name: "look" }],
      thinking: { type: "enabled", budget_tokens: 4096 },
    });
  });

  it("respects the limit, headers and key, and shows the request to a handler", async () => {
    model().enqueue(reply("four"));
    const agent = calling(`
      const seen = [];
      const answer = await models.complete(opus, ask("2 + 2?"), { maxTokens: 77, apiKey: "other-key", headers: { "x-mine": "1" },
        onPayload: (payload, { id }) => { seen.push(id); return { ...payload, metadata: { user_id: "me" } }; },
        onResponse: ({ status, headers }) => { seen.push(status, headers["content-type"]); } });
      return [answer.stopReason, ...seen];`);
    expect(await result(agent)).toEqual(["stop", "claude-opus-4-5", 200, "text/event-stream; charset=utf-8"]);
    expect(model().requests[0]?.headers).toMatchObject({ "x-mine": "1", "x-api-key": "other-key" });
    expect(model().requests[0]?.body).toMatchObject({ max_tokens: 77, metadata: { user_id: "me" } });
  });

  it("that is refused becomes an answer with an error", async () => {
    model().enqueue(httpError(529, "overloaded_error", "Overloaded"));
    const answer = asRecord(await result(calling(`return await models.complete(opus, ask("hello"));`)));
    expect(answer).toMatchObject({ stopReason: "error", content: [], provider: "anthropic" });
    expect(answer.errorMessage).toMatch(/is overloaded/);
  });

  it.each([
    ["models.complete(undefined, ask('x'))", /^The model cannot be asked like this:/],
    ["models.complete(opus, { messages: [{ role: 'nobody' }] })", /^The model cannot be asked like this:/],
    ["models.complete(opus, undefined)", /^The model cannot be asked like this:/],
    ["models.complete(opus, ask('x'), { maxTokens: 'many' })", /^The model cannot be asked like this:/],
    ["models.complete({ ...opus, provider: 'nobody' }, ask('x'))", /^No API key for nobody\/claude-opus-4-5\.$/],
    ["models.complete({ ...opus, api: 'strange' }, ask('x'))", /uses api "strange", which is not supported/],
    [
      "models.complete(opus, ask('x'), { onPayload() { throw new Error('not that'); } })",
      /^Couldn't send the request: not that$/,
    ],
    [
      "ai.mistralConversationsApi().streamSimple(opus, ask('x')).result()",
      /uses api "mistral-conversations", which is not supported/,
    ],
  ])("that makes no sense becomes an answer with an error: %s", async (call, words) => {
    const answer = asRecord(await result(calling(`return await ${call};`)));
    expect(answer).toMatchObject({ role: "assistant", stopReason: "error", content: [] });
    expect(answer.errorMessage).toMatch(words);
  });

  it("is released by an abort", async () => {
    const hanging = hang({ afterBlocks: [text("so far")] });
    model().enqueue(hanging);
    const agent = calling(`
      const abort = new AbortController();
      const stream = models.streamSimple(opus, ask("hello"), { signal: abort.signal });
      for await (const event of stream) if (event.type === "text_delta") abort.abort();
      return await stream.result();`);
    expect(await result(agent)).toMatchObject({ stopReason: "aborted", content: [{ type: "text", text: "so far" }] });
    await hanging.clientClosed.promise;
  });

  it("can be answered by another extension", async () => {
    const agent = calling(`
      ai.registerApiProvider({ api: "echo", stream() {}, streamSimple(model, { messages }) {
        const stream = ai.createAssistantMessageEventStream();
        stream.push({ type: "done", reason: "stop", message: { content: [{ type: "text", text: messages.at(-1).content[0].text + "!" }] } });
        return stream;
      } });
      pi.registerProvider("parrot", { baseUrl: "http://parrot.invalid", api: "echo", models: [{ id: "p" }] });
      return await ai.complete(models.find("parrot", "p"), { messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }] });`);
    expect(await result(agent)).toMatchObject({ stopReason: "stop", content: [{ type: "text", text: "hello!" }] });
  });
});

describe("the models that an extension sees", () => {
  it("show which can be asked, and how", async () => {
    const agent = calling(`
      pi.registerProvider("mine", { baseUrl: URL, api: "anthropic-messages", apiKey: "!echo my-key", models: [{ id: "m", headers: { a: "b" } }] });
      pi.registerProvider("login", { baseUrl: URL, api: "anthropic-messages", oauth: { name: "Login" }, models: [{ id: "l" }] });
      const mine = models.find("mine", "m"), login = models.find("login", "l");
      return [
        models.hasConfiguredAuth(mine), models.hasConfiguredAuth(login), models.isUsingOAuth(login),
        await models.getApiKey(mine), await models.getApiKeyForProvider("login") ?? null, await models.getApiKeyForProvider("anthropic"),
        await models.getApiKeyAndHeaders(mine), await models.getApiKeyAndHeaders(login),
        models.getProviderAuthStatus("mine"), models.getProviderAuthStatus("login"), models.getRegisteredProviderIds(),
        models.getAvailable().some(({ id }) => id === "l"), models.getAll().some(({ id }) => id === "l"),
        ai.getModel("mine", "m").name, ai.getModels("login").length, ai.modelsAreEqual(mine, { ...mine }),
      ];`);
    expect(await result(agent)).toEqual([
      true,
      false,
      false,
      "my-key",
      null,
      "test-key",
      { ok: true, apiKey: "my-key", headers: { a: "b" } },
      { ok: false, error: 'Provider "login" has a login only, which needs a terminal.' },
      { configured: true },
      { configured: false },
      ["mine", "login"],
      false,
      true,
      "m",
      1,
      true,
    ]);
  });

  it("get instructions and tools from a conversation", async () => {
    const agent = calling(`
      const messages = [
        { role: "system", content: "One.", sections: { a: "[a]", b: "[b]" }, toolsAdded: [{ name: "x", description: "", parameters: {} }] },
        { role: "user", content: "hi" },
        { role: "system", content: "Two.", sections: { a: null }, toolsRemoved: [{ name: "x" }], toolsAdded: [{ name: "y", description: "", parameters: {} }] },
      ];
      const collapsed = ai.collapseSystemMessages({ messages });
      return [ai.getCurrentSystemPrompt(messages), ai.getCurrentTools(messages).map(({ name }) => name), collapsed.messages.map(({ role }) => role),
        ai.getCurrentSystemPrompt(collapsed.messages), ai.normalizeContext({ systemPrompt: "S", messages: [] }).messages[0].content];`);
    expect(await result(agent)).toEqual(["One.\n\nTwo.\n\n[b]", ["y"], ["system", "user"], "One.\n\nTwo.\n\n[b]", "S"]);
  });
});
