import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AcpClient } from "../support/acp-client.ts";
import { writeFiles } from "../support/extension-files.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";

/** An extension that does what the protocol has no word for. */
const UNUSUAL = `
module.exports = (pi) => {
  pi.registerTool({ name: "caller", description: "Calls another tool", parameters: { type: "object" },
    execute: async (id, params, signal, onUpdate, ctx) => {
      const { result } = await ctx.executeTool("read", { path: "a.txt" });
      return { content: result.content };
    } });
  pi.registerCommand("ask-secret", { description: "Asks for a secret",
    handler: async (_args, ctx) => ctx.ui.notify("got " + await ctx.ui.input("Your token?", "", { password: true }), "info") });
  pi.registerCommand("go-on", { description: "Goes on to a new session", handler: (_args, ctx) => ctx.newSession() });
  pi.on("turn_end", (event) => { if (event.message.content[0].text === "break") throw new Error("broken by the test"); });
};
`;

let model: ScriptedModel;
let client: AcpClient;
let home: string;

beforeEach(async () => {
  model = await ScriptedModel.start();
  home = mkdtempSync(join(tmpdir(), "tiller-acp-home-"));
  writeFiles(join(home, "agent"), {
    "extensions/unusual.js": UNUSUAL,
    "settings.json": '{"compaction":{"keepRecentTokens":1}}',
  });
  client = await AcpClient.start({ modelUrl: model.url, home, args: ["--permission-mode", "auto"] });
});

afterEach(async () => {
  await client.dispose();
  await model.stop();
  rmSync(home, { recursive: true, force: true });
});

/** What was told under the name of the agent in the `_meta` of updates of the session. */
function told(): unknown[] {
  return client.updates("session_info_update").flatMap(({ _meta }) => (_meta == null ? [] : [_meta.tiller]));
}

describe("what the protocol has no place for", () => {
  it("is the call of a tool that made another one", async () => {
    writeFiles(client.cwd, { "a.txt": "text" });
    model.enqueue(reply([toolCall("caller")]), reply("done"));
    await client.prompt(await client.newSession(), "call");
    const [caller, nested] = client.updates("tool_call");
    expect(caller).toMatchObject({ name: "caller" });
    expect(nested).toMatchObject({
      name: "read",
      kind: "read",
      _meta: { tiller: { parentToolCallId: caller?.toolCallId } },
    });
    expect(client.updates("tool_call_update").filter(({ status }) => status === "completed")).toHaveLength(2);
  });

  it("is a process that a command leaves behind", async () => {
    model.enqueue(reply([toolCall("bash", { command: "sleep 30 & echo started" })]), reply("done"));
    const sessionId = await client.newSession();
    await client.prompt(sessionId, "start it");
    expect(told()).toContainEqual({ backgroundProcesses: [expect.objectContaining({ command: "sleep 30" })] });
  });

  it("is another session that an extension goes on to", async () => {
    await client.prompt(await client.newSession(), "/go-on");
    const changed = await client.until(() => told().at(-1), "the change");
    expect(changed).toMatchObject({ sessionChanged: { type: "session_changed" } });
  });
});

describe("an extension", () => {
  it("that asks for a secret gets none, and the user learns where to put it", async () => {
    await client.prompt(await client.newSession(), "/ask-secret");
    expect(client.said()).toContain("> Your token?\n> This is a secret, which can't be asked for here.");
    expect(client.said()).toContain("got undefined");
  });

  it("that fails is told with its error, and the turn ends as it would", async () => {
    model.enqueue(reply("break"));
    expect(await client.prompt(await client.newSession(), "go")).toBe("end_turn");
    expect(client.said()).toMatch(/> .*unusual\.js \(turn_end\)\n> broken by the test/);
  });
});

describe("a session of RPC mode", () => {
  it("is shown with its commands and its summary", async () => {
    const agentDir = join(home, "agent");
    const agent = new AgentUnderTest({ modelUrl: model.url, cwd: client.cwd, agentDir, args: [] });
    model.enqueue(reply("A story."), reply("More of it."), reply("Summary: a story."), reply("It went on."));
    await agent.run("tell me");
    await agent.run("go on");
    await agent.call("compact");
    await agent.call("bash", { command: "echo from-rpc; exit 3" });
    const { sessionId } = await agent.call("get_state");
    await agent.dispose();
    await client.agent.request("session/load", { sessionId: String(sessionId), cwd: client.cwd, mcpServers: [] });
    expect(client.said()).toContain("> The earlier conversation was summarized.\n> ");
    expect(client.updates("tool_call").at(-1)).toMatchObject({ kind: "execute", title: "echo from-rpc; exit 3" });
    const end = client.updates("tool_call_update").at(-1);
    expect(end).toMatchObject({ status: "failed" });
    expect(JSON.stringify(end?.content)).toContain("from-rpc");
  });
});
