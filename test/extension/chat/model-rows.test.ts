import { describe, expect, test } from "vitest";
import type { Model } from "../../../agent/protocol/model.ts";
import { type ModelRow, modelRows } from "../../../extension/chat/model-rows.ts";
import { RecentModels } from "../../../extension/features/models/recent-models.ts";

function model(id: string, changes: Partial<Model> = {}): Model {
  return {
    id,
    name: id.toUpperCase(),
    api: "anthropic-messages",
    provider: "anthropic",
    baseUrl: "http://127.0.0.1",
    reasoning: true,
    input: ["text", "image"],
    contextWindow: 1_000_000,
    maxTokens: 8_000,
    cost: { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 },
    ...changes,
  };
}

const LOCAL = model("qwen", {
  provider: "local",
  reasoning: false,
  input: ["text"],
  contextWindow: 131_072,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
});

const EDITORS = model("acme/fox", {
  name: "Fox",
  provider: "vscode",
  reasoning: false,
  contextWindow: 32_000,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
});

const lines = (rows: readonly ModelRow[]) => rows.map((row) => (row.kind === "heading" ? `# ${row.label}` : row.label));
const without = (rows: readonly ModelRow[], kind: ModelRow["kind"]) => rows.filter((row) => row.kind !== kind);

describe("the list of models", () => {
  test("leaves out a window that nobody knows", () => {
    const choices = { editorName: "VS Code", current: undefined, thinkingLevel: "off" as const, recent: [], used: [] };
    const rows = modelRows({ ...choices, models: [{ ...LOCAL, contextWindow: 0 }] });
    expect(rows.find((row) => row.kind === "model")).toMatchObject({ detail: "no thinking · no images" });
  });

  test("begins with the current model, then recent ones, those of the session, and the rest by provider, each once", () => {
    const rows = modelRows({
      models: [model("a"), model("b"), model("c"), model("d"), LOCAL, EDITORS],
      editorName: "Visual Studio Code",
      current: "anthropic/b",
      thinkingLevel: "high",
      recent: ["anthropic/b", "anthropic/c", "gone/x"],
      used: ["anthropic/c", "anthropic/d"],
    });
    expect(lines(without(rows, "setKey"))).toEqual([
      "# Current",
      "B",
      "# Recent",
      "C",
      "# This Session",
      "D",
      "# Anthropic",
      "A",
      "# local",
      "QWEN",
      "# Visual Studio Code",
      "Fox",
      "# Not set up yet",
      "# ",
      "Custom Models…",
    ]);
  });

  test("shows size, price, thinking and images of a model, and leaves out an unknown price", () => {
    const cheap = model("a", { cost: { input: 0.25, output: 1.5, cacheRead: 0, cacheWrite: 0 } });
    const rows = modelRows({
      models: [cheap, LOCAL, EDITORS],
      editorName: "Visual Studio Code",
      current: "anthropic/a",
      thinkingLevel: "low",
      recent: [],
      used: [],
    });
    const facts = rows.flatMap((row) => (row.kind === "model" ? [[row.description, row.detail]] : []));
    expect(facts).toEqual([
      ["anthropic/a · current", "1M tokens · $0.25 in, $1.5 out per 1M tokens · thinking: low · supports images"],
      ["local/qwen", "131.1k tokens · no thinking · no images"],
      ["vscode/acme/fox", "32k tokens · supports images"],
    ]);
  });

  test("ends with the providers that have no models, each with a way to set its key", () => {
    const rows = modelRows({
      models: [LOCAL],
      editorName: "",
      current: undefined,
      thinkingLevel: "off",
      recent: [],
      used: [],
    });
    const last = rows.flatMap((row) => (row.kind === "setKey" ? [`${row.provider}: ${row.description}`] : []));
    expect(last[0]).toBe("anthropic: Set API Key…");
    expect(last[1]).toBe("openai: Set API Key…");
    expect(last).toHaveLength(11);
  });
});

describe("recent models", () => {
  test("are sorted by last use, each once, at most ten, and ignore unreadable entries", async () => {
    const kept = new Map<string, unknown>([["tiller.recentModels", "broken"]]);
    const recent = new RecentModels({
      get: (key) => kept.get(key),
      update: async (key, value) => {
        kept.set(key, value);
      },
    });
    expect(recent.list).toEqual([]);
    for (let i = 0; i < 12; i += 1) await recent.add(`p/${i}`);
    await recent.add("p/5");
    expect(recent.list).toEqual(["p/5", "p/11", "p/10", "p/9", "p/8", "p/7", "p/6", "p/4", "p/3", "p/2"]);
  });
});
