import { expect, test } from "vitest";
import { describeEditorModels } from "../../../../extension/host/editor-models/model-list.ts";

test("editor models are named with their vendor, each once, and without ours", () => {
  const fox = { vendor: "acme", id: "fox", name: "Fox", maxInputTokens: 32_000 };
  const models = [
    { ...fox, capabilities: { supportsImageToText: true, supportsToolCalling: true } },
    { ...fox, name: "Another version" },
    { ...fox, vendor: "other", name: " ", capabilities: { supportsToolCalling: false } },
    { ...fox, vendor: "tiller" },
    { ...fox, id: 5 },
    { vendor: "odd", id: "one", maxInputTokens: Number.NaN },
  ];
  expect(describeEditorModels(models)).toEqual([
    { id: "acme/fox", name: "Fox", contextWindow: 32_000, input: ["text", "image"], tools: true },
    { id: "other/fox", contextWindow: 32_000, input: ["text"], tools: false },
    { id: "odd/one", input: ["text"], tools: true },
  ]);
});
