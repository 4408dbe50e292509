import { describe, expect, it } from "vitest";
import { deferredSources } from "../../../agent/session/tool-search/deferral.ts";
import { type AnyTool, anyTool, type ToolOrigin, textOutput } from "../../../agent/tools/tool.ts";

function tools(
  source: string | undefined,
  count: number,
  origin: ToolOrigin = "extension",
  description = "",
): AnyTool[] {
  return Array.from({ length: count }, (_, at) =>
    anyTool({
      name: `${source ?? origin}_${at}`,
      label: "",
      description,
      origin,
      source,
      concurrency: "shared",
      isReadOnly: true,
      parameters: {},
      parse: () => ({ ok: true, input: {} }),
      summarize: () => "",
      run: async () => textOutput(""),
    }),
  );
}

const NOTHING = { deferred: new Set<string>(), told: new Set<string>() };
const limits = { maxTools: 60, maxCharacters: Number.POSITIVE_INFINITY };
const deferred = (all: readonly AnyTool[], given: Partial<Parameters<typeof deferredSources>[3]> = {}, to = limits) =>
  [...deferredSources(all, () => true, to, { ...NOTHING, ...given })].sort();

describe("the sources of tools that a model has to search for", () => {
  const own = tools(undefined, 7, "builtin");

  it("are none up to the limit, and never the agent's own tools", () => {
    expect(deferred([...own, ...tools("a", 53)])).toEqual([]);
    expect(deferred(tools(undefined, 100, "builtin"))).toEqual([]);
  });

  it("are the largest ones, until the others fit, and those of the host last", () => {
    const host = tools(undefined, 45, "host");
    expect(deferred([...own, ...tools("big", 200), ...tools("small", 5), ...host])).toEqual(["big"]);
    expect(deferred([...own, ...tools("small", 20), ...host])).toEqual(["small"]);
    expect(deferred([...own, ...tools("small", 20), ...tools(undefined, 80, "host")])).toEqual(["host", "small"]);
  });

  it("are none because of tools that are held back in any case", () => {
    const kept = tools("big", 100).map((tool) => ({ ...tool, isDeferred: true }));
    expect(deferred([...own, ...kept, ...tools("small", 20)])).toEqual([]);
  });

  it("are those whose definitions take too much", () => {
    const wordy = tools("wordy", 2, "extension", "x".repeat(5000));
    expect(deferred([...own, ...wordy, ...tools("a", 3)], {}, { ...limits, maxCharacters: 9000 })).toEqual(["wordy"]);
  });

  it("are new ones rather than those that the model was told of", () => {
    const old = tools("old", 50);
    const told = new Set(old.map(({ name }) => name));
    expect(deferred([...own, ...old, ...tools("new", 20)], { told })).toEqual(["new"]);
  });

  it("stay deferred when others are gone", () => {
    const before = { deferred: new Set(["a"]) };
    expect(deferred([...own, ...tools("a", 3)], before)).toEqual(["a"]);
    expect(deferred(own, before)).toEqual([]);
  });
});
