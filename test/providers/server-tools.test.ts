import { expect, test } from "vitest";
import { hasServerTool } from "../../agent/providers/server-tools.ts";
import { modelAt } from "./collect.ts";

const claude = modelAt("claude-opus-5-5", "");
const gpt = (id: string) => ({ ...claude, id, api: "openai-responses", provider: "openai" });

test("the tools of services are there for models that are known to take them", () => {
  expect([hasServerTool(claude, "search"), hasServerTool(claude, "fetch")]).toEqual([true, true]);
  expect([hasServerTool(gpt("gpt-6.1-sol"), "search"), hasServerTool(gpt("gpt-6.1-sol"), "fetch")]).toEqual([
    true,
    false,
  ]);
  for (const id of ["gpt-5-nano", "gpt-4-turbo", "o3-mini", "gpt-5.3-codex-spark"]) {
    expect(hasServerTool(gpt(id), "search")).toBe(false);
  }
  for (const api of ["anthropic-vertex", "bedrock-converse-stream", "openai-completions", "azure-openai-responses"]) {
    expect(hasServerTool({ ...claude, api }, "search")).toBe(false);
  }
});

test("Gemini searches beside functions from version 3 on", () => {
  const gemini = (id: string) => ({ ...claude, id, api: "google-generative-ai", provider: "google" });
  const searching = ["gemini-4-argon", "gemini-3.5-flash", "gemini-pro-latest"];
  for (const id of searching) expect(hasServerTool(gemini(id), "search")).toBe(true);
  for (const id of ["gemini-2.5-pro", "gemma-4-31b-it"]) expect(hasServerTool(gemini(id), "search")).toBe(false);
});

test("other servers have them if the user says so", () => {
  const other = { ...claude, provider: "gateway" };
  expect(hasServerTool(other, "search")).toBe(false);
  expect(hasServerTool({ ...other, compat: { webSearch: true } }, "search")).toBe(true);
  expect(hasServerTool({ ...claude, compat: { webFetch: false } }, "fetch")).toBe(false);
});
