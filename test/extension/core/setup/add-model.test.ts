import { describe, expect, it } from "vitest";
import { addModel } from "../../../../extension/core/setup/add-model.ts";

const OLLAMA = { provider: "ollama", baseUrl: "http://127.0.0.1:11434/v1", id: "qwen3" };

describe("addModel", () => {
  it("creates the provider in an empty text", () => {
    expect(JSON.parse(addModel("", { ...OLLAMA, apiKey: "OLLAMA_KEY" }))).toEqual({
      providers: {
        ollama: {
          baseUrl: "http://127.0.0.1:11434/v1",
          api: "openai-completions",
          apiKey: "OLLAMA_KEY",
          models: [{ id: "qwen3" }],
        },
      },
    });
  });

  it("keeps comments, other providers, and the fields of the provider that is there", () => {
    const before = `{
  // Mine
  "providers": {
    "ollama": { "baseUrl": "http://box:11434/v1", "models": [{ "id": "old" }] },
  },
}`;
    const after = addModel(before, OLLAMA);
    expect(after).toContain("// Mine");
    expect(after).toContain('"baseUrl": "http://box:11434/v1"');
    expect(after.replace(/\s+/g, "")).toContain('"models":[{"id":"old"},{"id":"qwen3"}]');
    expect(addModel(after, OLLAMA)).toBe(after);
  });

  it("adds to a file whose providers are all comments", () => {
    const after = addModel('{\n  "providers": {\n    // "x": {}\n  }\n}\n', OLLAMA);
    expect(after).toContain('// "x": {}');
    expect(JSON.parse(after.replace(/^\s*\/\/.*$/gm, ""))).toHaveProperty("providers.ollama.models", [{ id: "qwen3" }]);
  });

  it("refuses a text with mistakes", () => {
    expect(() => addModel('{ "providers": ', OLLAMA)).toThrow("models.json has mistakes.");
  });
});
