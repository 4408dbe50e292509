import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { extensionBench } from "../support/extension-bench.ts";

const docs = readFileSync(new URL("../../docs/extensions.md", import.meta.url), "utf8");
/** The names in code spans of the page, and in the calls and objects that the spans contain. */
const documented = new Set([...docs.matchAll(/`[^`\n]+`/g)].flatMap(([span]) => span.match(/\w+/g) ?? []));
const { start } = extensionBench();

/** Members of `ctx.ui` that need a terminal, which the page describes together. */
const NEEDS_TERMINAL = [
  "addAutocompleteProvider",
  "getAllThemes",
  "getEditorComponent",
  "getEditorText",
  "getTheme",
  "getToolsExpanded",
  "onTerminalInput",
  "setEditorComponent",
  "setFooter",
  "setHeader",
  "setHiddenThinkingLabel",
  "setTheme",
  "setToolsExpanded",
  "setWorkingIndicator",
  "setWorkingMessage",
  "setWorkingVisible",
  "theme",
];

/** Returns the names of the members of an object that a running agent gives to an extension. @param object the expression for it. */
async function membersAtRuntime(object: string): Promise<string[]> {
  const agent = start(`
    const members = (object) => {
      const names = new Set();
      for (let at = object; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
        for (const name of Object.getOwnPropertyNames(at)) if (name !== "constructor") names.add(name);
      }
      return [...names].sort();
    };
    const handler = async (_, ctx) => ctx.ui.notify(members(${object}).join(" "));
    pi.registerCommand("members", { description: "Lists the members of an object.", handler });
  `);
  await agent.call("prompt", { message: "/members" });
  const { message } = await agent.waitFor(({ method }) => method === "notify");
  return String(message).split(" ");
}

describe("an extension of a running agent", () => {
  it.each(["pi", "ctx", "ctx.sessionManager", "ctx.modelRegistry"])(
    "finds only documented members in %s",
    async (object) => {
      const members = await membersAtRuntime(object);
      expect(members.length).toBeGreaterThan(10);
      expect(members.filter((name) => !documented.has(name))).toEqual([]);
    },
  );

  it("finds in ctx.ui only documented members, and those that need a terminal", async () => {
    const members = await membersAtRuntime("ctx.ui");
    expect(members.filter((name) => !documented.has(name))).toEqual(NEEDS_TERMINAL);
  });
});
