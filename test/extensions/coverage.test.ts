import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const AGENT = fileURLToPath(new URL("../../agent/extensions", import.meta.url));
const TESTS = fileURLToPath(new URL(".", import.meta.url));

const read = (folder: string, isWanted: (name: string) => boolean) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".ts") && isWanted(name))
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("\n");

const declared = read(AGENT, (name) => name.startsWith("api") || name.endsWith("-events.ts")).replace(
  /\/\*[\s\S]*?\*\/|\/\/.*/g,
  "",
);
const tested = read(TESTS, (name) => name !== "coverage.test.ts");

/** The names of an interface's own members, from its source. */
function membersOf(name: string): string[] {
  const head = new RegExp(`export interface ${name}\\b[^{]*\\{`).exec(declared);
  if (head === null) throw new Error(`There is no interface ${name}.`);
  const members = new Set<string>();
  let depth = 0;
  let isAtStart = true;
  for (const [token] of declared.slice(head.index + head[0].length).matchAll(/[\w$]+|[^\s\w$]/g)) {
    if ("({[".includes(token)) depth++;
    if (")}]".includes(token) && --depth < 0) break;
    if (depth === 0 && isAtStart && /^\w/.test(token) && token !== "readonly") members.add(token);
    if (token !== "readonly") isAtStart = depth === 0 && token === ";";
  }
  return [...members];
}

/** The texts of a union type, from its source. */
function textsOf(name: string): string[] {
  const [, union = ""] = new RegExp(`type ${name} =([^;]*);`).exec(declared) ?? [];
  return [...union.matchAll(/"(\w+)"/g)].map(([, text = ""]) => text);
}

/** Every name of an interface of events, with those of the interfaces that it is made of. */
function eventNames(): string[] {
  const [, parts = ""] = /export interface ExtensionEvents extends ([^{]*)\{/.exec(declared) ?? [];
  const others = parts.split(",").map((part) => part.trim());
  const named = others.filter((part) => part !== "ToldEvents").flatMap(membersOf);
  return [...membersOf("ExtensionEvents"), ...named, ...textsOf("ToldEventType")];
}

describe("the API of extensions", () => {
  it("is read from the source, known members included", () => {
    expect(membersOf("ExtensionUi")).toEqual(expect.arrayContaining(["select", "notify", "theme"]));
    expect(membersOf("ExtensionAPI")).toEqual(expect.arrayContaining(["on", "registerProvider", "events"]));
    expect(eventNames()).toEqual(expect.arrayContaining(["tool_call", "agent_start", "session_start"]));
  });

  it("has a test for each event", () => {
    expect(eventNames().filter((name) => !tested.includes(`"${name}"`))).toEqual([]);
  });

  it.each([
    "ExtensionAPI",
    "ExtensionContext",
    "ExtensionUi",
    "SessionActions",
    "SessionView",
    "SessionDraft",
    "ModelRegistryView",
  ])("has a test for each member of %s", (name) => {
    const isUsed = (member: string) => new RegExp(`\\.${member}\\b|"${member}"`).test(tested);
    expect(membersOf(name).filter((member) => !isUsed(member))).toEqual([]);
  });

  it("has a test for each field of a tool", () => {
    const isGiven = (field: string) => new RegExp(`\\b${field}:|\\b${field}\\(`).test(tested);
    expect(membersOf("ToolDefinition").filter((field) => !isGiven(field))).toEqual([]);
  });
});
