import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AcpClient } from "../support/acp-client.ts";
import { writeFiles } from "../support/extension-files.ts";
import { mcpFixture } from "../support/mcp-fixtures.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { httpError, type RecordedRequest, reply, toolCall } from "../support/scripted-replies.ts";

let model: ScriptedModel;
let client: AcpClient;

beforeEach(async () => {
  model = await ScriptedModel.start();
});

afterEach(async () => {
  await client.dispose();
  await model.stop();
});

describe("what happens beside the conversation", () => {
  it("a retry is told in words", async () => {
    client = await AcpClient.start({ modelUrl: model.url });
    model.enqueue(httpError(529, "overloaded_error", "Overloaded", { "retry-after": "0" }), reply("fine"));
    expect(await client.prompt(await client.newSession(), "hi")).toBe("end_turn");
    expect(client.said()).toMatch(/> Retrying in \d+ s \(1 of \d+\)/);
    expect(client.said()).toContain("fine");
  });

  it("/compact summarizes, and says so in words or in the protocol's own form", async () => {
    for (const compaction of [undefined, {}]) {
      client = new AcpClient({ modelUrl: model.url });
      writeFiles(join(client.home, "agent"), { "settings.json": '{"compaction":{"keepRecentTokens":1}}' });
      await client.agent.request("initialize", {
        protocolVersion: 1,
        clientCapabilities: { session: { compaction } },
      });
      const session = await client.newSession();
      model.enqueue(
        reply("A long story."),
        reply("A long story, part two."),
        reply("Summary: a story."),
        reply("It went on."),
      );
      await client.prompt(session, "tell me");
      await client.prompt(session, "go on");
      expect(await client.prompt(session, "/compact the plot")).toBe("end_turn");
      expect(JSON.stringify(model.requests.map(({ body }) => body))).toContain("the plot");
      if (compaction === undefined) {
        expect(client.said()).toContain("> The earlier conversation was summarized.");
        await client.dispose();
      } else {
        expect(client.updates("compaction_update").map(({ status }) => status)).toEqual(["in_progress", "completed"]);
      }
    }
  });

  it("an unknown failure of /compact is the answer to it", async () => {
    client = await AcpClient.start({ modelUrl: model.url });
    await expect(client.prompt(await client.newSession(), "/compact")).rejects.toMatchObject({ code: -32602 });
  });

  it("a name that is given to the session is told", async () => {
    client = await AcpClient.start({ modelUrl: model.url, args: ["--title-model", "haiku"] });
    const answer = ({ body }: RecordedRequest) => reply(body.model.includes("haiku") ? "A friendly greeting" : "hello");
    model.enqueue(answer, answer);
    await client.prompt(await client.newSession(), "hi there, how are you doing today?");
    const titled = () => client.updates("session_info_update").find(({ title }) => typeof title === "string");
    expect((await client.until(titled, "the title")).title).toBe("A friendly greeting");
  });
});

describe("a message of an extension", () => {
  it("is shown, also after a command that was no message", async () => {
    client = new AcpClient({ modelUrl: model.url });
    writeFiles(join(client.home, "agent", "extensions"), {
      "later.js": `module.exports = (api) => api.registerCommand("later", {
        description: "Sends a message after a while",
        handler: async () => void setTimeout(() => api.sendUserMessage("from the extension"), 50),
      });`,
    });
    await client.agent.request("initialize", { protocolVersion: 1 });
    model.enqueue(reply("hello"));
    await client.prompt(await client.newSession(), "/later");
    await client.until(() => (client.said().includes("hello") ? true : undefined), "the answer");
    expect(client.updates("user_message_chunk")).toMatchObject([{ content: { text: "from the extension" } }]);
  });
});

describe("the client's MCP servers", () => {
  it("bring their tools to the session", async () => {
    client = await AcpClient.start({ modelUrl: model.url, args: ["--permission-mode", "auto"] });
    const { sessionId } = await client.agent.request("session/new", {
      cwd: client.cwd,
      mcpServers: [{ name: "the fixture", command: process.execPath, args: [mcpFixture("stdio-server.mjs")], env: [] }],
    });
    model.enqueue(reply([toolCall("mcp__the_fixture__echo", { text: "through the client" })]), reply("done"));
    await client.prompt(sessionId, "echo");
    expect(client.updates("tool_call")[0]).toMatchObject({ title: "echo (the_fixture)", kind: "other" });
    expect(JSON.stringify(client.updates("tool_call_update").at(-1)?.rawOutput)).toContain("through the client");
  });

  it("come along when a session is forked", async () => {
    client = await AcpClient.start({ modelUrl: model.url, args: ["--permission-mode", "auto"] });
    model.enqueue(reply("hello"));
    const session = await client.newSession();
    await client.prompt(session, "hi");
    const fork: { sessionId: string } = await client.agent.request("session/fork", {
      sessionId: session,
      cwd: client.cwd,
      additionalDirectories: null,
      mcpServers: [{ name: "fork", command: process.execPath, args: [mcpFixture("stdio-server.mjs")], env: [] }],
    });
    model.enqueue(reply([toolCall("mcp__fork__echo", { text: "through the fork" })]), reply("done"));
    await client.prompt(fork.sessionId, "echo");
    expect(JSON.stringify(client.updates("tool_call_update").at(-1)?.rawOutput)).toContain("through the fork");
  });
});
