import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answer, callUnasked, questionAbout } from "../support/approval-agent.ts";
import { writeFiles } from "../support/extension-files.ts";
import { type LocalServer, startServer } from "../support/local-server.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply } from "../support/scripted-replies.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let server: LocalServer;
let folder: string;
/** The key of the last search. */
let key: string | undefined;
let agent: AgentUnderTest | undefined;

beforeEach(async () => {
  model = await ScriptedModel.start();
  server = await startServer((request, response) => {
    const isSearch = request.url?.startsWith("/search") === true;
    response.setHeader("content-type", isSearch ? "application/json" : "text/html");
    key = request.headers.authorization;
    const result = { title: "Found", url: "https://a.example/", content: `key ${key}` };
    response.end(isSearch ? JSON.stringify({ results: [result] }) : "<title>T</title><h1>Words</h1>");
  });
  folder = mkdtempSync(join(tmpdir(), "tiller-web-"));
});

afterEach(async () => {
  await agent?.dispose();
  agent = undefined;
  await model.stop();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

function start(web: object | undefined, args: string[] = ["--permission-mode", "auto-edit"]): AgentUnderTest {
  const agentDir = join(folder, "agent");
  writeFiles(agentDir, { "settings.json": JSON.stringify(web === undefined ? {} : { web }) });
  agent = new AgentUnderTest({
    cwd: folder,
    modelUrl: model.url,
    args: ["--no-session", ...args],
    env: { PI_CODING_AGENT_DIR: agentDir, SEARCH_KEY: "planted-secret" },
  });
  return agent;
}

function fetching() {
  return { fetch: true, privateHosts: ["127.0.0.1"] };
}

async function offeredTools(web: object | undefined, args: string[] = []): Promise<unknown[]> {
  model.enqueue(reply("Hi"));
  await start(web, args).run("Hi");
  const tools = model.requests[0]?.body.tools;
  return Array.isArray(tools) ? tools.map(({ name }) => name).filter((name) => String(name).startsWith("web_")) : [];
}

describe("the tools for the web", () => {
  it("don't exist without the setting, and not offline", async () => {
    expect(await offeredTools(undefined)).toEqual([]);
    await agent?.dispose();
    model.requests.length = 0;
    expect(await offeredTools(fetching(), ["--offline"])).toEqual([]);
  });

  it("are those that the user's settings switch on", async () => {
    const search = { service: "searxng", url: server.url };
    expect(await offeredTools({ fetch: true, search })).toEqual(["web_fetch", "web_search"]);
  });

  it.each(["readonly", "confirm", "plan", "auto-edit"])("ask by host in the mode %s", async (mode) => {
    const started = start(fetching(), ["--permission-mode", mode]);
    const url = `${server.url}/page?q=1`;
    const question = await questionAbout(started, model, "web_fetch", { url });
    const { host } = new URL(server.url);
    expect(question.approval).toMatchObject({
      tool: "web_fetch",
      subject: url,
      reasons: [`connects to ${host}`],
      rules: [
        { scope: "session", option: `Allow for this session: web_fetch ${host}` },
        { scope: "workspace" },
        { scope: "always" },
      ],
    });
    expect(server.requests).toEqual([]);
    const outcome = await answer(started, question, { value: `Allow for this session: web_fetch ${host}` });
    expect(outcome.text).toContain("# Words");
    const again = await callUnasked(started, model, "web_fetch", { url: `${server.url}/other` });
    expect(again).toMatchObject({ isAsked: false, isError: false });
    const other = await questionAbout(started, model, "web_fetch", { url: "https://other.example/" });
    expect(other.approval).toMatchObject({ reasons: ["connects to other.example"] });
    expect((await answer(started, other, { value: "Deny" })).isError).toBe(true);
  });

  it("refuse a private address without a question", async () => {
    const refused = await callUnasked(start({ fetch: true }), model, "web_fetch", { url: server.url });
    expect(refused).toMatchObject({ isAsked: false, isError: true });
    expect(refused.text).toContain("is this machine or in a private network");
    expect(server.requests).toEqual([]);
  });

  it("ask before a search, whose key no command sees", async () => {
    const started = start({ search: { service: "tavily", url: server.url, key: "SEARCH_KEY" } });
    const question = await questionAbout(started, model, "web_search", { query: "how to" });
    expect(question.approval).toMatchObject({
      subject: "how to",
      reasons: [`connects to ${new URL(server.url).host}`],
    });
    expect((await answer(started, question, { value: "Allow once" })).text).toContain("key Bearer [redacted]");
    expect(key).toBe("Bearer planted-secret");
    const shell = await questionAbout(started, model, "bash", { command: "env | sort" });
    expect((await answer(started, shell, { value: "Allow once" })).text).not.toContain("planted-secret");
  });
});
