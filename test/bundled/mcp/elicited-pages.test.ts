import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ElicitedPages } from "../../../agent/bundled/mcp/elicited-pages.ts";
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

describe("two calls that need the same page", () => {
  const needed = new McpError(ErrorCode.UrlElicitationRequired, "x", {
    elicitations: [{ mode: "url", message: "m", elicitationId: "e1", url: PAGE }],
  });

  /** Two calls at once; the user opens pages and says no more. */
  function twoCalls(signals: readonly AbortSignal[]) {
    let isDone = false;
    const opened: string[] = [];
    const select = async (_title: string, options: readonly string[], dialog?: { signal?: AbortSignal }) =>
      options.includes("Open Page")
        ? "Open Page"
        : new Promise<undefined>((resolve) => dialog?.signal?.addEventListener("abort", () => resolve(undefined)));
    const pages = new ElicitedPages({ server: "s", ui: () => ({ select }), openUrl: (url) => opened.push(url) });
    const work = async () => {
      if (!isDone) throw needed;
      return "done";
    };
    const calls = signals.map((signal) => pages.run(work, signal));
    const complete = () => {
      isDone = true;
      pages.completed("e1");
    };
    return { calls, opened, complete };
  }

  it("share one visit, and both go on", async () => {
    const { signal } = new AbortController();
    const { calls, opened, complete } = twoCalls([signal, signal]);
    await expect.poll(() => opened).toEqual([PAGE]);
    complete();
    expect(await Promise.all(calls)).toEqual(["done", "done"]);
    expect(opened).toEqual([PAGE]);
  });

  it("don't end each other", async () => {
    const first = new AbortController();
    const { calls, opened, complete } = twoCalls([first.signal, new AbortController().signal]);
    const [aborted, other] = calls.map((call) => call.catch((error: unknown) => String(error)));
    await expect.poll(() => opened).toEqual([PAGE]);
    first.abort();
    expect(await aborted).toContain("aborted");
    complete();
    expect(await other).toBe("done");
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
