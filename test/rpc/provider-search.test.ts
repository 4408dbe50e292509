import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeFiles } from "../support/extension-files.ts";
import { citation, foundPage } from "../support/messages-api-search.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, serverBlock, text, thinking, toolCall, webSearch } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord, type Frame } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let folder: string;
let agent: AgentUnderTest | undefined;

beforeEach(async () => {
  model = await ScriptedModel.start();
  folder = mkdtempSync(join(tmpdir(), "tiller-search-"));
});

afterEach(async () => {
  await agent?.dispose();
  agent = undefined;
  await model.stop();
  expect(model.rejections).toEqual([]);
  rmSync(folder, { recursive: true, force: true });
});

function start(web: object = { search: "provider" }, args: string[] = ["--no-session"]): AgentUnderTest {
  const agentDir = join(folder, "agent");
  writeFiles(agentDir, { "settings.json": JSON.stringify({ web }) });
  agent = new AgentUnderTest({ cwd: folder, modelUrl: model.url, agentDir, args });
  return agent;
}

async function again(message: string): Promise<Frame[]> {
  if (agent === undefined) throw new Error("no agent");
  return agent.run(message);
}

const PAGE = foundPage("https://a.example/news", "The [news]");
const CITED = citation("https://a.example/news", "The [news]", "It is out.");

function searched() {
  return [
    thinking("Look it up."),
    ...webSearch("new release", [PAGE]),
    text("It "),
    text("is out", { citations: [CITED], chunks: 2 }),
    text("."),
  ];
}

const COUNTED = { usage: { server_tool_use: { web_search_requests: 2 } } };

function lastMessage(frames: readonly Frame[]) {
  return asRecord(frames.findLast(({ type }) => type === "message_end")?.message);
}

function sentAnswer(at: number) {
  return model.requests[at]?.body.messages.find(({ role }) => role === "assistant")?.content;
}

describe("the search of the provider", () => {
  it("is declared in its own form, in front of no other tool's place, and only if it is switched on", async () => {
    model.enqueue(reply("Hi"));
    await start().run("Hi");
    const tools = model.requests[0]?.body.tools ?? [];
    expect(tools.find(({ name }) => name === "web_search")).toMatchObject({ type: "web_search_20250305" });
    expect(tools.some(({ name }) => name === "web_fetch")).toBe(false);
    expect(model.requests[0]?.headers["anthropic-beta"] ?? "").not.toContain("web-fetch");
  });

  it("is left out if the user excludes it, and offline", async () => {
    for (const args of [["--exclude-tools", "web_search"], ["--offline"]]) {
      model.enqueue(reply("Hi"));
      await start(undefined, ["--no-session", ...args]).run("Hi");
      await agent?.dispose();
      expect(model.requests.at(-1)?.body.tools?.some(({ name }) => name === "web_search")).toBe(false);
    }
  });

  it("tells what was searched, keeps a text that citations cut whole, and links the sources", async () => {
    model.enqueue(reply(searched(), COUNTED));
    const frames = await start().run("Is it out?");
    const { content, usage } = lastMessage(frames);
    expect(content).toMatchObject([
      { type: "thinking" },
      { type: "text", note: "search", text: "\n\n> Searched the web: new release" },
      { type: "text", text: "It is out." },
      { type: "text", note: "sources", text: "\n\nSources: [The \\[news\\]](https://a.example/news)" },
    ]);
    expect(usage).toMatchObject({ webSearches: 2 });
    expect(asRecord(await agent?.call("get_last_assistant_text")).text).toBe(
      "It is out.\n\nSources: [The \\[news\\]](https://a.example/news)",
    );
  });

  it("counts what the searches cost", async () => {
    model.enqueue(reply(searched(), COUNTED), reply("Hi"));
    const paid = asRecord(asRecord(lastMessage(await start().run("Is it out?")).usage).cost);
    const free = asRecord(asRecord(lastMessage(await again("Hi")).usage).cost);
    expect(Number(paid.total) - Number(free.total)).toBeCloseTo(0.02, 6);
  });

  it("goes back exactly as it came, with its citations and without the notes", async () => {
    model.enqueue(reply([...searched(), toolCall("ls")]), reply("Done."), reply("Bye."));
    await start().run("Is it out?");
    await again("And?");
    const [, use, result, ...rest] = Array.isArray(sentAnswer(2)) ? [...(sentAnswer(2) ?? [])] : [];
    expect(use).toMatchObject({ type: "server_tool_use", input: { query: "new release" }, caller: { type: "direct" } });
    expect(result).toMatchObject({ type: "web_search_tool_result", content: [PAGE] });
    expect(rest).toMatchObject([
      { type: "text", text: "It " },
      { type: "text", text: "is out", citations: [CITED] },
      { type: "text", text: "." },
      { type: "tool_use" },
    ]);
    expect(sentAnswer(1)).toEqual(sentAnswer(2));
  });

  it("survives the session file and a fork", async () => {
    model.enqueue(reply(searched()), reply("Again."), reply("Forked."));
    const sessions = join(folder, "sessions");
    await start(undefined, ["--session-dir", sessions]).run("Is it out?");
    await agent?.dispose();
    await start(undefined, ["--session-dir", sessions, "--continue"]).run("And?");
    await agent?.dispose();
    const file = join(sessions, String(readdirSync(sessions)[0]));
    await start(undefined, ["--session-dir", sessions, "--fork", file]).run("Fork");
    expect(sentAnswer(1)).toEqual(sentAnswer(2));
    expect(JSON.stringify(sentAnswer(2))).toContain(PAGE.encrypted_content);
    expect(readFileSync(file, "utf8")).toContain(PAGE.encrypted_content);
  });

  it("is not sent to another model, which only reads the sources", async () => {
    model.enqueue(reply(searched()), reply("Hi"));
    await start().run("Is it out?");
    await agent?.call("set_model", { provider: "anthropic", modelId: "claude-haiku-4-5" });
    await again("And?");
    expect(sentAnswer(1)).toEqual([
      { type: "text", text: "It is out." },
      { type: "text", text: "\n\nSources: [The \\[news\\]](https://a.example/news)" },
    ]);
  });

  it("is left out of requests once it is switched off", async () => {
    model.enqueue(reply(searched()), reply("Hi"));
    const sessions = join(folder, "sessions");
    await start(undefined, ["--session-dir", sessions]).run("Is it out?");
    await agent?.dispose();
    await start({}, ["--session-dir", sessions, "--continue"]).run("And?");
    expect(sentAnswer(1)).toMatchObject([{ type: "thinking" }, { text: "It " }, { text: "is out" }, { text: "." }]);
  });

  it("says why a search failed", async () => {
    model.enqueue(reply([...webSearch("a *b*", "max_uses_exceeded"), text("I can't.")]), reply("Hi"));
    const frames = await start().run("Is it out?");
    expect(lastMessage(frames).content).toMatchObject([
      { note: "search", text: "\n\n> Searched the web: a \\*b\\*\n\n> The search failed: max uses exceeded." },
      { text: "I can't." },
    ]);
    await again("And?");
    expect(sentAnswer(1)).toMatchObject([
      { type: "server_tool_use" },
      { type: "web_search_tool_result", content: { error_code: "max_uses_exceeded" } },
      { text: "I can't." },
    ]);
  });

  it("goes on after a pause between a call and its result", async () => {
    const [use, result] = webSearch("new release", [PAGE]);
    if (use === undefined || result === undefined) throw new Error("no search");
    model.enqueue(reply([text("Searching."), use], { stopReason: "pause_turn" }), reply([result, text("Found.")]));
    model.enqueue(reply("Hi"));
    await start().run("Is it out?");
    expect(sentAnswer(1)).toMatchObject([{ text: "Searching." }, { type: "server_tool_use" }]);
    expect(model.requests[1]?.body.messages.at(-1)?.role).toBe("assistant");
    await again("And?");
    expect(sentAnswer(2)).toMatchObject([
      { text: "Searching." },
      { type: "server_tool_use" },
      { type: "web_search_tool_result" },
      { text: "Found." },
    ]);
  });

  it("is left out if its result never came", async () => {
    const [use] = webSearch("new release", [PAGE]);
    if (use === undefined) throw new Error("no search");
    model.enqueue(reply([text("Searching."), use], { stopReason: "max_tokens" }), reply("Hi"));
    await start().run("Is it out?");
    await again("And?");
    expect(sentAnswer(1)).toEqual([{ type: "text", text: "Searching." }]);
  });
});

describe("the reading of the provider", () => {
  it("has its header, and goes back as it came", async () => {
    const id = "srvtoolu_read";
    const url = "https://a.example/";
    const source = { type: "text", media_type: "text/plain", data: "Words" } as const;
    const page = { type: "web_fetch_result", url, content: { type: "document", source } } as const;
    const blocks = [
      serverBlock({ type: "server_tool_use", id, name: "web_fetch", input: { url } }),
      serverBlock({ type: "web_fetch_tool_result", tool_use_id: id, content: page }),
      text("Read."),
    ];
    model.enqueue(reply(blocks), reply("Hi"));
    const frames = await start({ fetch: "provider" }).run(`Read ${url}`);
    expect(model.requests[0]?.headers["anthropic-beta"]).toContain("web-fetch-2025-09-10");
    expect(lastMessage(frames).content).toMatchObject([
      { note: "search", text: `\n\n> Read ${url}` },
      { text: "Read." },
    ]);
    await again("And?");
    expect(sentAnswer(1)).toMatchObject([{ name: "web_fetch" }, { content: page }, { text: "Read." }]);
  });
});
