import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { McpBench, outcome, outcomeText, stdioServer } from "../../support/mcp-fixtures.ts";
import { actAsUser } from "../../support/signing-user.ts";
import type { AgentUnderTest, Frame } from "../../support/spawn-agent.ts";

const PAGE = "https://pay.example/connect?id=7";

let bench: McpBench;
beforeEach(async () => {
  bench = await McpBench.open();
});
afterEach(() => bench.close());

/** Starts an agent whose user answers each question with the first of these answers that is an option. */
function start(...answers: string[]): { agent: AgentUnderTest; opened: string[] } {
  const agent = bench.start({ servers: { fix: stdioServer() } });
  const opened: string[] = [];
  actAsUser(agent, {
    answer: ({ options }: Frame) =>
      Array.isArray(options) ? answers.find((answer) => options.includes(answer)) : undefined,
    open: (url) => opened.push(url),
  });
  return { agent, opened };
}

function titles(agent: AgentUnderTest): string[] {
  return agent.frames.filter(({ method }) => method === "select").map(({ title }) => String(title));
}

describe("a server that wants the user to visit a page", () => {
  it("gets it opened after the user has seen its address", async () => {
    const { agent, opened } = start("Open Page");
    expect(outcomeText(await bench.callTool(agent, "mcp__fix__visit", { url: PAGE }))).toBe('{"action":"accept"}');
    expect(titles(agent)).toEqual([
      `MCP server "fix" asks you to open a page at pay.example: Connect your account\n${PAGE}`,
    ]);
    expect(opened).toEqual([PAGE]);
  });

  it("is told when the user doesn't want to", async () => {
    const { agent, opened } = start("No");
    expect(outcomeText(await bench.callTool(agent, "mcp__fix__visit", { url: PAGE }))).toBe('{"action":"decline"}');
    expect(opened).toEqual([]);
  });

  it("gets an unsafe address declined without a question", async () => {
    const { agent, opened } = start("Open Page");
    const unsafe = ["http://pay.example/", "file:///etc/passwd", "https://bank.example@evil.example/", "vscode://x"];
    for (const url of unsafe) {
      expect(outcomeText(await bench.callTool(agent, "mcp__fix__visit", { url }))).toBe('{"action":"decline"}');
    }
    expect([...titles(agent), ...opened]).toEqual([]);
  });
});

describe("a tool that needs a page first", () => {
  it("is called again when the server says that the page is done", async () => {
    const { agent, opened } = start("Open Page");
    expect(outcomeText(await bench.callTool(agent, "mcp__fix__locked", { url: PAGE }))).toBe("unlocked");
    expect(opened).toEqual([PAGE]);
  });

  it("is called again when the user says so", async () => {
    const { agent } = start("Open Page", "Continue");
    expect(outcomeText(await bench.callTool(agent, "mcp__fix__locked", { url: PAGE, isSlow: true }))).toBe("unlocked");
    expect(titles(agent)[1]).toContain("waits for the page at pay.example");
  });

  it("fails when the user declines", async () => {
    const { agent, opened } = start("No");
    const { isError, content } = outcome(await bench.callTool(agent, "mcp__fix__locked", { url: PAGE }));
    expect(isError).toBe(true);
    expect(content[0]?.text).toContain("it needs the user to visit a web page first, and the user has declined.");
    expect(opened).toEqual([]);
  });
});
