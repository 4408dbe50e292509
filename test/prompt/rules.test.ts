import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rulePlaces } from "../../agent/prompt/resource-places.ts";
import { createRuleSource, type RuleSource } from "../../agent/prompt/rule-source.ts";

let root: string;
let told: string[];
let rules: RuleSource;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tiller-rules-"));
  told = [];
  rules = createRuleSource({
    places: rulePlaces({ agentDir: join(root, "agent"), cwd: join(root, "work") }),
    warn: (message) => told.push(message.replaceAll(root, "")),
    report: (path, problem) => told.push(`${path.replace(root, "")}: ${problem}`),
  });
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, ...lines: string[]): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, lines.join("\n"));
}

/** Reads one rule with this header. */
async function only(...header: string[]) {
  write("agent/rules/one.md", "---", ...header, "---", "", "Do not.", "");
  const [rule] = await rules.refresh();
  return rule;
}

const sources = (rule: { conditions: readonly RegExp[] } | undefined) => rule?.conditions.map(String);

describe("rule files", () => {
  it("are found in the three folders, the project's first; the first of a name wins", async () => {
    write("agent/rules/a.md", "---", "condition: user a", "---", "User.");
    write("agent/rules/b.md", "---", "condition: user b", "---", "User.");
    write("work/.pi/rules/a.md", "---", "condition: pi a", "---", "Pi.");
    write("work/.tiller/rules/c.md", "---", "condition: tiller c", "---", "Tiller.");
    write("work/.tiller/rules/ignored.txt", "---", "condition: x", "---", "No Markdown.");
    const found = await rules.refresh();
    expect(found.map(({ name, content }) => `${name} ${content}`)).toEqual(["c Tiller.", "a Pi.", "b User."]);
    expect(told).toEqual(['/agent/rules/a.md is ignored: /work/.pi/rules/a.md is a rule of the same name, "a".']);
  });

  it("are read again only when they change", async () => {
    const before = await only("condition: x");
    expect((await rules.refresh())[0]).toBe(before);
    const after = await only("condition: xyz");
    expect(after).not.toBe(before);
    expect(sources(after)).toEqual(["/xyz/gu"]);
  });

  it("without a condition are ignored silently", async () => {
    expect(await only("description: Always be kind.", "alwaysApply: true")).toBeUndefined();
    write("agent/rules/plain.md", "# Just a text");
    expect(await rules.refresh()).toEqual([]);
    expect(told).toEqual([]);
  });

  it("have one condition or several, under each of the three names", async () => {
    expect(sources(await only("condition: 'a\\.b'"))).toEqual(["/a\\.b/gu"]);
    expect(sources(await only("ttsrTrigger: [one, 2]"))).toEqual(["/one/gu", "/2/gu"]);
    expect(sources(await only("ttsr_trigger:", "  - one", "  - two"))).toEqual(["/one/gu", "/two/gu"]);
  });

  it("can begin with flags, and contain needless escapes", async () => {
    expect(sources(await only("condition: (?i)todo"))).toEqual(["/todo/giu"]);
    expect(sources(await only("condition: (?msm)^a.b"))).toEqual(["/^a.b/gmsu"]);
    expect(sources(await only("condition: a\\-b"))).toEqual(["/a\\-b/g"]);
  });

  it("with an invalid condition are reported, and use their others", async () => {
    const rule = await only("condition: ['(', 'fine', '*.rs']");
    expect(sources(rule)).toEqual(["/fine/gu"]);
    expect(told).toEqual([
      '/agent/rules/one.md: the condition "(" is ignored: Invalid regular expression: /(/g: Unterminated group',
      '/agent/rules/one.md: the condition "*.rs" is ignored: Invalid regular expression: /*.rs/g: Nothing to repeat',
    ]);
    expect(await only("condition: '['")).toBeUndefined();
  });

  it("define where they look, how often they apply and their purpose", async () => {
    expect(await only("condition: x")).toMatchObject({
      watchesText: true,
      watchesThinking: false,
      tools: [{ tool: undefined, isForPath: undefined }],
      repeat: "once",
      description: "",
    });
    const header = [
      "description: Why",
      "condition: x",
      "scope: thinking, tool:edit(*.{ts,tsx}), tool:bash",
      "repeat: 5",
    ];
    const rule = await only(...header);
    expect(rule).toMatchObject({ watchesText: false, watchesThinking: true, repeat: 5, description: "Why" });
    expect(rule?.tools.map(({ tool, isForPath }) => [tool, isForPath?.("src/a.tsx"), isForPath?.("a.md")])).toEqual([
      ["edit", true, false],
      ["bash", undefined, undefined],
    ]);
    expect((await only("condition: x", "repeat: always"))?.repeat).toBe("always");
    expect((await only("condition: x", "repeat: -1"))?.repeat).toBe("once");
  });

  it("that leave nothing to check are reported", async () => {
    expect(await only("condition: x", "scope: [answer, tool:(x)]")).toBeUndefined();
    expect(told).toEqual([
      '/agent/rules/one.md: "answer" in its scope is not known',
      '/agent/rules/one.md: "tool:(x)" in its scope is not known',
      "/agent/rules/one.md: the rule is ignored: its scope leaves nothing to look at",
    ]);
  });

  it("can be limited to prose or tools, or never interrupt", async () => {
    expect(await only("condition: x", "interruptMode: prose-only")).toMatchObject({ watchesText: true, tools: [] });
    expect(await only("condition: x", "interruptMode: tool-only")).toMatchObject({ watchesText: false, tools: [{}] });
    expect(await only("condition: x", "interruptMode: never")).toBeUndefined();
    expect(told).toEqual([]);
  });

  it("without a text give their description to the model; without both they are reported", async () => {
    write("agent/rules/one.md", "---", "condition: x", "description: Not so.", "---");
    write("agent/rules/two.md", "---", "condition: x", "---", "");
    expect((await rules.refresh()).map(({ content }) => content)).toEqual(["Not so."]);
    expect(told).toEqual(["/agent/rules/two.md: the rule is ignored: it has no text for the model"]);
  });

  it("with any content break nothing", async () => {
    write("agent/rules/binary.md", "---\ncondition: \u0000[\n---\n\u0000");
    write("agent/rules/list.md", "---\n- a\n- b\n---\ntext");
    write("agent/rules/odd.md", "---\ncondition: {a: 1}\nscope: 7\nglobs: true\n---\ntext");
    write("agent/rules/long.md", `---\ncondition: ${"a".repeat(2001)}\n---\ntext`);
    mkdirSync(join(root, "agent/rules/folder.md"));
    expect(await rules.refresh()).toEqual([]);
    expect(told.map((line) => line.slice(0, 70))).toContain(
      "/agent/rules/folder.md: the rule can't be read: it isn't a file",
    );
  });
});
