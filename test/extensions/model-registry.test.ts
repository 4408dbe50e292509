import { describe, expect, it } from "vitest";
import { extensionBench } from "../support/extension-bench.ts";

const { start } = extensionBench();

describe("the models that extensions see", () => {
  it("have providers shown by their own names, and nothing is said of their files", async () => {
    const agent =
      start(`pi.registerProvider("mine", { baseUrl: URL, api: "anthropic-messages", apiKey: "k", models: [{ id: "m" }] });
      pi.registerCommand("go", { handler: (_args, { modelRegistry: models, ui }) => ui.notify(JSON.stringify([
        models.getProviderDisplayName("anthropic"), models.getProviderDisplayName("mine"), models.getProviderDisplayName("none"),
        typeof models.getError(), models.getRegisteredProviderIds()])) });`);
    await agent.call("prompt", { message: "/go" });
    const { message } = await agent.waitFor(({ method }) => method === "notify");
    expect(JSON.parse(String(message))).toEqual(["anthropic", "mine", "none", "undefined", ["mine"]]);
  });
});
