import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { keyVariable } from "../../agent/config/credentials.ts";
import { googleAdvice } from "../../agent/config/google-cloud.ts";
import { CATALOGUE } from "../../agent/providers/catalogue.ts";
import { traitsOf } from "../../agent/providers/completions-settings.ts";
import { knownModels } from "../../agent/providers/known-models.ts";
import { addressProblem } from "../../agent/util/server-address.ts";
import { rowsOf } from "../../scripts/catalogue/rows.ts";

const ALL = [...CATALOGUE, ...knownModels()];

function find(provider: string, id: string) {
  return ALL.find((model) => model.provider === provider && model.id === id);
}

describe("the table of known models", () => {
  test("has each model once, with a name", () => {
    const names = ALL.map(({ provider, id }) => `${provider}/${id}`);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    expect(ALL.filter(({ id, name }) => id.trim() !== id || id === "" || name === "")).toEqual([]);
  });

  test("has plausible sizes and prices", () => {
    const isPlausible = ({ contextWindow: window, maxTokens, cost }: (typeof ALL)[number]) =>
      Number.isInteger(window) &&
      Number.isInteger(maxTokens) &&
      window >= 16_000 &&
      window <= 10_000_000 &&
      maxTokens > 0 &&
      maxTokens <= window &&
      Object.values(cost).every((price) => price >= 0 && price < 1000) &&
      cost.cacheRead <= cost.input;
    expect(ALL.filter((model) => !isPlausible(model))).toEqual([]);
  });

  test("has providers with an address and a variable for their key", () => {
    const providers = new Map(ALL.map(({ provider, baseUrl }) => [provider, baseUrl]));
    expect(providers.size).toBeGreaterThan(8);
    for (const [provider, baseUrl] of providers) {
      expect(keyVariable(provider) ?? googleAdvice(provider)).toBeDefined();
      expect(addressProblem(baseUrl)).toBeUndefined();
    }
  });

  test("has at least one thinking level for each model that thinks", () => {
    const isSilent = ({ reasoning, thinkingLevelMap: map = { low: "low" } }: (typeof ALL)[number]) =>
      reasoning && Object.values(map).every((word) => word === null);
    expect(ALL.filter(isSilent)).toEqual([]);
  });

  test("stays small", () => {
    const file = readFileSync(new URL("../../agent/providers/known-models.json", import.meta.url));
    expect(gzipSync(file).length).toBeLessThan(20_000);
  });

  test("says what the models are", () => {
    expect(find("google", "gemini-2.5-pro")).toEqual({
      id: "gemini-2.5-pro",
      name: "Gemini 2.5 Pro",
      api: "google-generative-ai",
      provider: "google",
      baseUrl: "https://generativelanguage.googleapis.com/v1beta",
      reasoning: true,
      input: ["text", "image"],
      contextWindow: 1_048_576,
      maxTokens: 65_536,
      cost: { input: 1.25, output: 10, cacheRead: 0.125, cacheWrite: 0 },
      thinkingLevelMap: {
        off: null,
        minimal: 128,
        low: 2048,
        medium: 8192,
        high: 32_768,
        xhigh: null,
        max: null,
      },
      compat: {
        longPrompt: { aboveTokens: 200_000, cost: { input: 2.5, output: 15, cacheRead: 0.25, cacheWrite: 0 } },
      },
    });
    expect(find("openai", "gpt-6-sol")).toMatchObject({
      api: "openai-responses",
      thinkingLevelMap: { off: "none", minimal: null, xhigh: "xhigh" },
    });
    expect(find("anthropic", "claude-sonnet-4-6")).toMatchObject({ maxTokens: 128_000 });
  });

  test("gives the highest of ours the model's own highest word, and `off` no word where it has none", () => {
    expect(find("deepseek", "deepseek-v4-pro")?.thinkingLevelMap).toEqual({
      minimal: null,
      low: null,
      medium: null,
      high: "high",
      xhigh: "max",
      max: null,
    });
    expect(find("openai", "gpt-6.1-sol")?.thinkingLevelMap).toMatchObject({ xhigh: "xhigh", max: "max" });
  });

  test("knows of Claude on Bedrock how it thinks, and what it costs there", () => {
    const claude = CATALOGUE.find(({ id }) => id === "claude-haiku-5-5");
    expect(find("amazon-bedrock", "us.anthropic.claude-haiku-5-5")).toMatchObject({
      api: "bedrock-converse-stream",
      thinking: claude?.thinking,
      thinkingLevelMap: claude?.thinkingLevelMap,
      cost: { input: 0.11 },
      compat: { bindsThinking: true, longPrompt: { aboveTokens: 100_000, cost: { input: 0.55 } } },
    });
    const older = find("amazon-bedrock", "eu.anthropic.claude-sonnet-4-5-20250929-v1:0");
    expect(older).toMatchObject({ thinking: { mode: "budget" }, maxTokens: 64_000 });
    expect(ALL.find(({ provider }) => provider === "amazon-bedrock")?.id).toBe("global.anthropic.claude-opus-5-5");
    const lost = ALL.filter(
      ({ id, provider, thinking }) => /claude/.test(id) && provider === "amazon-bedrock" && !thinking,
    );
    expect(lost).toEqual([]);
  });

  test("says in what the servers differ", () => {
    const [kimi, deepseek] = [find("together", "moonshotai/Kimi-K3"), find("deepseek", "deepseek-v4-pro")];
    const claude = { baseUrl: "https://openrouter.ai/api/v1", compat: undefined };
    expect(traitsOf({ ...claude, id: "anthropic/claude-opus-4.5" }).marksCache).toBe(true);
    expect(traitsOf({ ...claude, id: "openai/gpt-5.2" }).marksCache).toBe(false);
    expect(kimi && traitsOf(kimi)).toMatchObject({ thinkingFormat: "together", supportsReasoningEffort: false });
    expect(deepseek && traitsOf(deepseek)).toMatchObject({
      thinkingFormat: "deepseek",
      requiresReasoningContentOnAssistantMessages: true,
    });
  });
});

describe("a row for a model of the source", () => {
  const model = {
    type: "chat",
    id: "b",
    name: "B",
    reasoning: true,
    input: ["text", "image"],
    cost: { input: 0.1 + 0.2, output: 1, cacheRead: 0, cacheWrite: -1 },
    contextWindow: 20_000,
    maxTokens: 40_000,
  };

  test("has its facts, with an output that fits the window and prices that can be", () => {
    const map = { off: "none", minimal: null, low: "low", max: "max" };
    const compat = { supportsReasoningEffort: false, requiresReasoningContentOnAssistantMessages: true, other: 1 };
    const cost = {
      ...model.cost,
      tiers: [{ inputTokensAbove: 5000, input: 2, output: 3, cacheRead: 4, cacheWrite: 5 }],
    };
    const file = { chat: { one: { ...model, cost, thinkingLevelMap: map, compat } } };
    expect(rowsOf(file, { best: "b" })).toEqual([
      "b\tB\triec\t20000\t20000\t0.3 1 0 0\toff=none low medium high max\t5000 2 3 4 5",
    ]);
  });

  test("comes in order, the best first, without other APIs, kinds, and ids, and without small windows", () => {
    const file = {
      chat: {
        a: { ...model, id: "a" },
        b: model,
        c: { ...model, id: "c:batch" },
        s: { ...model, id: "s", contextWindow: 4096 },
        d: { type: "image" },
      },
      old: { z: { ...model, id: "z" } },
    };
    const rows = rowsOf(file, { best: "b", apis: ["chat"], without: /:batch$/ });
    expect(rows.map((row) => row.split("\t")[0])).toEqual(["b", "a"]);
    expect(() => rowsOf(file, { best: "none" })).toThrow("The source has no none.");
  });
});
