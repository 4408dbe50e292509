import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { manageMcpServers } from "../../../extension/chat/mcp-servers.ts";
import { mcpFixture, stdioServer } from "../../support/mcp-fixtures.ts";
import { openChat } from "../../support/open-chat.ts";
import { ScriptedModel } from "../../support/scripted-model.ts";
import { reply } from "../../support/scripted-replies.ts";
import { BUILT_AGENT } from "../../support/spawn-agent.ts";
import { TranscriptHarness } from "../core/transcript/transcript-harness.ts";

let folder: string;
let model: ScriptedModel;
let given: string[];
let opened: ReturnType<typeof openChat>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tiller-mcp-chat-"));
  model = await ScriptedModel.start();
  given = [];
  opened = openChat(folder, {
    launch: async () => ({
      file: process.execPath,
      args: [BUILT_AGENT, "--mode", "rpc", "--no-session", "--permission-mode", "confirm"],
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        PI_CODING_AGENT_DIR: folder,
        ANTHROPIC_API_KEY: "test-key",
        ANTHROPIC_BASE_URL: model.url,
      },
    }),
    giveBack: (text) => given.push(text),
  });
});
afterEach(async () => {
  await opened.chat.dispose();
  await model.stop();
  await rm(folder, { recursive: true, force: true });
});

async function addSlowServer(): Promise<void> {
  const slow = { command: process.execPath, args: [mcpFixture("hang.mjs")] };
  await writeFile(join(folder, "mcp.json"), JSON.stringify({ mcpServers: { slow } }));
}

describe("while MCP servers start", () => {
  test("the chat says so until the run starts", async () => {
    await addSlowServer();
    await writeFile(join(folder, "settings.json"), JSON.stringify({ mcp: { waitMs: 2_000 } }));
    model.enqueue(reply("hello"));
    await opened.chat.prompt({ text: "hi", delivery: "steer" });
    await expect.poll(() => opened.ui().work).toBe("Starting MCP server slow…");
    expect(opened.ui().status).toBe("running");
    await expect.poll(() => opened.items().some(({ kind }) => kind === "prompt"), { timeout: 10_000 }).toBe(true);
    expect(opened.ui().work).toBeUndefined();
    expect(given).toEqual([]);
  });

  test("Stop ends the wait, and the message returns to the input", async () => {
    await addSlowServer();
    await opened.chat.prompt({ text: "hi there", delivery: "steer" });
    await expect.poll(() => opened.ui().status).toBe("running");
    await opened.chat.stop();
    expect(opened.ui()).toMatchObject({ status: "idle" });
    expect(opened.ui().work).toBeUndefined();
    expect(given).toEqual(["hi there"]);
    expect(model.requests).toEqual([]);
  });
});

describe("the list of MCP servers", () => {
  test("opens as a question", async () => {
    await addSlowServer();
    await writeFile(join(folder, "settings.json"), JSON.stringify({ mcp: { waitMs: 0 } }));
    await manageMcpServers(opened.chat);
    await expect.poll(() => opened.chat.questions.pending[0]?.request).toMatchObject({ title: "MCP servers" });
  });

  test("has a way past it, for a sign-in", async () => {
    await addSlowServer();
    await writeFile(join(folder, "settings.json"), JSON.stringify({ mcp: { waitMs: 0 } }));
    const told = () => opened.items().flatMap((item) => (item.kind === "notice" ? [item.text] : []));
    await manageMcpServers(opened.chat, "slow");
    await expect.poll(told).toContain("slow needs no sign-in.");
    await manageMcpServers(opened.chat, "gone");
    await expect.poll(told).toContain('There is no MCP server "gone".');
    expect(opened.chat.questions.pending).toEqual([]);
  });

  test("says where to add servers when there are none", async () => {
    await expect(manageMcpServers(opened.chat)).rejects.toThrow("There are no MCP servers. Add them to .mcp.json");
    expect(model.requests).toEqual([]);
  });
});

test("a password that a server needs is shown nowhere", async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the file holds a variable
  const fix = stdioServer({ KEY: "${input:key}" });
  const inputs = [{ type: "promptString", id: "key", description: "The key", password: true }];
  await writeFile(join(folder, "mcp.json"), JSON.stringify({ inputs, mcpServers: { fix } }));
  const { chat, items } = opened;
  chat.transcript.trace.configure({ isEnabled: true, maxChars: 1_000_000 });
  model.enqueue(reply("hello"));
  await chat.prompt({ text: "hi", delivery: "steer" });
  await expect.poll(() => chat.questions.pending.length, { timeout: 10_000 }).toBe(1);
  const [question] = items().filter(({ kind }) => kind === "question");
  expect(question).toMatchObject({ method: "input", isSecret: true });
  chat.questions.answer(chat.questions.pending[0]?.request.id ?? "", { type: "value", value: "planted-password" });
  await expect.poll(() => items().some(({ kind }) => kind === "prompt"), { timeout: 10_000 }).toBe(true);
  expect(items().find(({ kind }) => kind === "question")).toMatchObject({ state: "answered" });
  await expect.poll(() => model.requests.length, { timeout: 10_000 }).toBe(1);
  expect(JSON.stringify([items(), chat.transcript.trace.after(0)])).not.toContain("planted-password");
});

test("a server that needs a sign-in has a button for it", () => {
  const chat = new TranscriptHarness();
  const error = { type: "extension_error", extensionPath: "<mcp>", event: "server" } as const;
  chat.dispatch({ ...error, error: "It is not running: you aren't signed in.", signIn: "far" });
  chat.dispatch({ ...error, error: "It is not running: it crashed." });
  expect(chat.ops).toMatchObject([
    {
      item: {
        text: "You aren't signed in to MCP server far",
        action: { label: "Sign In", command: "tiller.manageMcpServers", subject: "far" },
      },
    },
    { item: { text: "Extension <mcp> failed in server", action: { command: "tiller.showLog" } } },
  ]);
});
