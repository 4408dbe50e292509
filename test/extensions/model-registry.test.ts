import { describe, expect, it } from "vitest";
import { extensionBench } from "../support/extension-bench.ts";
import { reply } from "../support/scripted-replies.ts";

const { model, start } = extensionBench();

describe("the model registry of extensions", () => {
  it("shows providers by their own names, and nothing of their files", async () => {
    const agent =
      start(`pi.registerProvider("mine", { baseUrl: URL, api: "anthropic-messages", apiKey: "k", models: [{ id: "m" }] });
      pi.registerCommand("go", { handler: (_args, { modelRegistry: models, ui }) => ui.notify(JSON.stringify([
        models.getProviderDisplayName("anthropic"), models.getProviderDisplayName("mine"), models.getProviderDisplayName("none"),
        typeof models.getError(), models.getRegisteredProviderIds()])) });`);
    await agent.call("prompt", { message: "/go" });
    const { message } = await agent.waitFor(({ method }) => method === "notify");
    expect(JSON.parse(String(message))).toEqual(["anthropic", "mine", "none", "undefined", ["mine"]]);
  });

  it("shows models by provider, with what was registered", async () => {
    const agent = start(`
      const native = { id: "own", auth: {}, getModels: () => [{ id: "o" }], streamSimple() {} };
      pi.registerProvider("mine", { baseUrl: URL, api: "anthropic-messages", apiKey: "k", models: [{ id: "m" }] });
      pi.registerProvider("free", { baseUrl: URL, api: "anthropic-messages", models: [{ id: "f" }] });
      pi.registerProvider(native);
      pi.registerCommand("go", { handler: async (_args, { modelRegistry: models, ui }) => {
        const mine = models.getProvider("mine");
        const ask = { messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }] };
        const answer = await mine.streamSimple(mine.getModels()[0], ask).result();
        ui.notify(JSON.stringify([
          mine, mine.baseUrl === URL, mine.getModels().map(({ id }) => id), await mine.auth.apiKey.resolve(), answer.content,
          await models.getProviderAuth("free"), await models.getProviderAuth("own") ?? null,
          models.getProvider("anthropic").getModels().length > 1, models.getProvider("none") ?? null,
          Object.keys(models.getRegisteredProviderConfig("mine")), models.getRegisteredProviderConfig("own") ?? null,
          models.getRegisteredNativeProvider("own") === native, models.getRegisteredNativeProvider("mine") ?? null,
        ]));
      } });`);
    model().enqueue(reply("hi"));
    await agent.call("prompt", { message: "/go" });
    const { message } = await agent.waitFor(({ method }) => method === "notify");
    expect(JSON.parse(String(message))).toEqual([
      { id: "mine", name: "mine", baseUrl: model().url, auth: { apiKey: { name: "mine" } } },
      true,
      ["m"],
      { auth: { apiKey: "k" } },
      [{ type: "text", text: "hi" }],
      { auth: {} },
      null,
      true,
      null,
      ["baseUrl", "api", "apiKey", "models"],
      null,
      true,
      null,
    ]);
  });
});
