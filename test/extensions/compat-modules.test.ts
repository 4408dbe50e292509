import { afterEach, describe, expect, it } from "vitest";
import { agentDirWith } from "../support/extension-files.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Returns the value of an expression in an extension with these imports, which reports it at the start. */
async function found(imports: string, expression: string, name = "mine.ts"): Promise<unknown> {
  const tells = `pi.on("session_start", async (_event, ctx) => ctx.ui.notify(JSON.stringify(await (${expression}))));`;
  const { agentDir, remove } = agentDirWith({ [name]: `${imports}\nexport default (pi) => { ${tells} };` });
  cleanups.push(remove);
  const agent = new AgentUnderTest({ args: ["--no-session", "--demo"], agentDir });
  cleanups.push(() => agent.dispose());
  const notice = await agent.waitFor(({ method, type }) => method === "notify" || type === "extension_error");
  return notice.method === "notify" ? JSON.parse(String(notice.message)) : notice.error;
}

describe("modules that extensions written for pi import", () => {
  it("provide TypeBox under both of its names, with checks of values", async () => {
    const imports = `import { Type } from "@sinclair/typebox";
      import { Value } from "@sinclair/typebox/value";
      import { TypeCompiler } from "@sinclair/typebox/compiler";
      import * as typebox from "typebox";
      const Point = Type.Object({ x: Type.Number({ default: 1 }), label: Type.Optional(Type.String()) });
      const Both = typebox.Intersect([Point, typebox.Object({ kind: Type.Union([Type.Literal("a"), Type.Literal("b")]) })]);`;
    const expression = `[Point, Value.Check(Both, { x: 1, kind: "a" }), Value.Check(Both, { x: 1, kind: "c" }),
      Value.Default(Point, {}), TypeCompiler.Compile(Point).Check({ x: "1" })]`;
    expect(await found(imports, expression)).toEqual([
      {
        type: "object",
        required: ["x"],
        properties: { x: { type: "number", default: 1 }, label: { type: "string" } },
      },
      true,
      false,
      { x: 1 },
      false,
    ]);
  });

  it("provide classes to extend and key names for what only a terminal can do", async () => {
    const imports = `import { CustomEditor, getMarkdownTheme } from "@mariozechner/pi-coding-agent";
      import { Key, matchesKey, SomethingNew, somethingNew, visibleWidth, truncateToWidth, wrapTextWithAnsi, fuzzyFilter } from "@mariozechner/pi-tui";
      class Vim extends CustomEditor {
        #mode = "insert";
        handleInput(data) { if (matchesKey(data, Key.escape)) this.#mode = "normal"; else super.handleInput(data); return this.#mode; }
        render(width) { return [...super.render(width), this.#mode]; }
      }
      class Card extends SomethingNew { title = "card"; }
      const editor = new Vim("tui", "theme");
      const card = new Card();`;
    const expression = `[editor.handleInput("x"), editor.render(80), card.title, card.addChild(editor) ?? null, somethingNew() ?? null,
      [Key.escape, Key.ctrl("c"), Key.ctrlShift("p"), Key.slash], getMarkdownTheme().heading("t"),
      visibleWidth("\\u001b[1mab\\u001b[0m漢"), truncateToWidth("abcdefgh", 6), wrapTextWithAnsi("one two three", 7),
      fuzzyFilter(["release", "read", "bash"], "rd", (item) => item)]`;
    expect(await found(imports, expression)).toEqual([
      "insert",
      ["insert"],
      "card",
      null,
      null,
      ["escape", "ctrl+c", "ctrl+shift+p", "/"],
      "t",
      4,
      "abc...",
      ["one two", "three"],
      ["read"],
    ]);
  });

  it("cut texts and say what was left out", async () => {
    const imports = `import { truncateHead, truncateTail, truncateLine, formatSize, DEFAULT_MAX_LINES, DEFAULT_MAX_BYTES } from "@earendil-works/pi-coding-agent";`;
    const expression = `[truncateHead("a\\nb\\nc", { maxLines: 2 }), truncateTail("a\\nb\\nc", { maxLines: 1 }).content, truncateLine("abcdef", 3),
      formatSize(51200), DEFAULT_MAX_LINES, DEFAULT_MAX_BYTES]`;
    expect(await found(imports, expression)).toEqual([
      {
        content: "a\nb",
        truncated: true,
        truncatedBy: "lines",
        totalLines: 3,
        totalBytes: 5,
        outputLines: 2,
        outputBytes: 3,
        lastLinePartial: false,
        firstLineExceedsLimit: false,
        maxLines: 2,
        maxBytes: 51200,
      },
      "c",
      { text: "abc... [truncated]", wasTruncated: true },
      "50.0KB",
      2000,
      51200,
    ]);
  });

  it("read front matter, and compare texts", async () => {
    const imports = `import { parseFrontmatter, stripFrontmatter, generateDiffString, generateUnifiedPatch, getLanguageFromPath } from "@earendil-works/pi-coding-agent";
      const text = "---\\r\\nname: plan\\r\\ntools: [a, b]\\r\\n---\\r\\nDo it.\\r\\n";`;
    const expression = `[parseFrontmatter(text), stripFrontmatter(text), parseFrontmatter("plain"), generateDiffString("a\\nb\\n", "a\\nc\\n"),
      generateUnifiedPatch("f.ts", "a\\nb\\n", "a\\nc\\n"), getLanguageFromPath("src/a.TSX")]`;
    expect(await found(imports, expression)).toEqual([
      { frontmatter: { name: "plan", tools: ["a", "b"] }, body: "Do it." },
      "Do it.",
      { frontmatter: {}, body: "plain" },
      { diff: " 1 a\n-2 b\n+2 c", firstChangedLine: 2 },
      "--- f.ts\n+++ f.ts\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n",
      "typescript",
    ]);
  });

  it("convert conversations to text for a model", async () => {
    const imports = `import { convertToLlm, serializeConversation, estimateTokens } from "@earendil-works/pi-coding-agent";
      const messages = [
        { role: "user", content: "hi", timestamp: 1 },
        { role: "assistant", content: [{ type: "thinking", thinking: "hm" }, { type: "text", text: "yes" },
          { type: "toolCall", id: "1", name: "read", arguments: { path: "a" } }], timestamp: 2 },
        { role: "toolResult", toolCallId: "1", toolName: "read", content: [{ type: "text", text: "x".repeat(2010) }], timestamp: 3 },
        { role: "bashExecution", command: "ls", output: "", excludeFromContext: true, timestamp: 4 },
        { role: "custom", customType: "note", content: "noted", timestamp: 5 },
      ];`;
    const expression = `[convertToLlm(messages).map(({ role }) => role), serializeConversation(convertToLlm(messages)), estimateTokens(messages[4])]`;
    expect(await found(imports, expression)).toEqual([
      ["user", "assistant", "toolResult", "user"],
      [
        "[User]: hi",
        "[Assistant thinking]: hm",
        "[Assistant]: yes",
        '[Assistant tool calls]: read(path="a")',
        `[Tool result]: ${"x".repeat(2000)}`,
        "[... 10 more characters truncated]",
        "[User]: noted",
      ].join("\n\n"),
      2,
    ]);
  });

  it("provide the same helpers under all names of the packages", async () => {
    const imports = `import * as agent from "@mariozechner/pi-coding-agent";
      import * as core from "@mariozechner/pi-agent-core";
      import { StringEnum, uuidv7, Type } from "@mariozechner/pi-ai";
      import { calculateCost } from "@earendil-works/pi-ai/compat";
      const model = { cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 } };
      const usage = { input: 1000000, output: 1000000, cacheRead: 0, cacheWrite: 0, cost: {} };`;
    const expression = `[agent.CONFIG_DIR_NAME, agent.isBashToolResult({ toolName: "bash" }), agent.isToolCallEventType("read", { toolName: "edit" }),
      agent.VERSION, typeof agent.getAgentDir(), core.formatSize(1024), typeof core.Whatever, StringEnum(["a", "b"]), Type.String(),
      uuidv7().length, calculateCost(model, usage).total, usage.cost.total]`;
    expect(await found(imports, expression)).toEqual([
      ".tiller",
      true,
      false,
      "1.5.2",
      "string",
      "1.0KB",
      "function",
      { type: "string", enum: ["a", "b"] },
      { type: "string" },
      36,
      3,
      3,
    ]);
  });

  it("work under the names of pi's forks, and for files inside the packages", async () => {
    const imports = `import { StringEnum } from "@oh-my-pi/pi-ai/oauth";
      import { formatSize } from "@f5xc-salesdemos/xcsh";
      import { Markdown } from "@mariozechner/pi-tui/dist/components/markdown.js";
      import { visibleWidth } from "@mariozechner/pi-tui/dist/utils.js";
      import { defineTool } from "tiller/extension";`;
    const expression = `[StringEnum(["a"]).enum, formatSize(1), new Markdown("# t").render(80), visibleWidth("ab"), defineTool({ name: "x" })]`;
    expect(await found(imports, expression)).toEqual([["a"], "1B", [], 2, { name: "x" }]);
  });

  it("can be loaded with require", async () => {
    const imports = `const { Type } = require("@sinclair/typebox"); const { formatSize } = require("@mariozechner/pi-coding-agent");`;
    expect(await found(imports, "[Type.Number(), formatSize(5)]")).toEqual([{ type: "number" }, "5B"]);
  });

  it("report missing parts of another agent when they are used, not when they are imported", async () => {
    const imports = `import { SessionManager, SettingsManager, createAgentSession, createBashTool, copyToClipboard } from "@earendil-works/pi-coding-agent";
      import { Agent } from "@earendil-works/pi-agent-core";
      const attempt = async (work) => { try { return await work(); } catch (error) { return error.message; } };`;
    const expression = `Promise.all([attempt(() => SessionManager.open("x")), attempt(() => new SessionManager()),
      attempt(() => createAgentSession({})), attempt(() => new Agent({})),
      attempt(() => createBashTool("/", { shellPath: SettingsManager.create("/").getShellPath() }).name), attempt(() => copyToClipboard("x"))])`;
    expect(await found(imports, expression)).toEqual([
      "SessionManager belongs to another agent: an extension cannot use it here.",
      "SessionManager belongs to another agent: an extension cannot use it here.",
      "createAgentSession belongs to another agent: an extension cannot use it here.",
      "Agent belongs to another agent: an extension cannot use it here.",
      "bash",
      "The agent has no clipboard: show the text with ctx.ui.notify or ctx.ui.editor instead.",
    ]);
  });
});
