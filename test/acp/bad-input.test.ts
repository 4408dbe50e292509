import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { afterEach, describe, expect, it } from "vitest";
import { AcpClient } from "../support/acp-client.ts";
import { png } from "../support/pictures.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply } from "../support/scripted-replies.ts";

const clients: AcpClient[] = [];
const models: ScriptedModel[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) await client.dispose();
  for (const model of models.splice(0)) await model.stop();
});

async function start(...replies: ReturnType<typeof reply>[]): Promise<AcpClient> {
  const model = await ScriptedModel.start(replies);
  models.push(model);
  const client = await AcpClient.start({ modelUrl: model.url });
  clients.push(client);
  return client;
}

/** The error that the agent answers an ID with. */
function errorOf(client: AcpClient, id: string | number | null): Promise<unknown> {
  return client.until(
    () =>
      client.messages.find(({ from, message }) => from === "agent" && message.id === id && message.error)?.message
        .error,
    `an error for ${id}`,
  );
}

describe("bad input", () => {
  it("a client of another version is told which version there is", async () => {
    for (const protocolVersion of [0, 2, 9]) {
      const client = new AcpClient();
      clients.push(client);
      const answer = await client.agent.request("initialize", { protocolVersion, clientCapabilities: {} });
      expect(answer.protocolVersion).toBe(1);
    }
  });

  it("a request before initialize is refused", async () => {
    const client = new AcpClient();
    clients.push(client);
    await expect(client.newSession()).rejects.toMatchObject({ code: -32600 });
    await client.agent.request("initialize", { protocolVersion: 1 });
  });

  it("an unknown method, a batch, and a line that is no JSON get the errors of the protocol, and the session goes on", async () => {
    const client = await start(reply("fine"));
    const session = await client.newSession();
    await expect(client.agent.request("session/explode", {})).rejects.toMatchObject({ code: -32601 });
    client.write("{nonsense\n");
    expect(await errorOf(client, null)).toMatchObject({ code: -32700 });
    client.write("[]\n");
    await client.until(
      () => client.messages.find(({ message }) => JSON.stringify(message.error ?? "").includes("batches")),
      "the refusal",
    );
    client.write('{"jsonrpc":"2.0","id":77,"result":{}}\n');
    client.write('{"jsonrpc":"2.0","method":"session/nothing"}\n');
    expect(await client.prompt(session, "still there?")).toBe("end_turn");
  });

  it("a line of more than 64 MiB is refused, and the next one is read", async () => {
    const client = await start(reply("fine"));
    const session = await client.newSession();
    client.write(`{"jsonrpc":"2.0","id":78,"method":"session/prompt","params":"${"x".repeat(65 * 1024 * 1024)}"}\n`);
    expect(await errorOf(client, null)).toMatchObject({ code: -32700, message: expect.stringContaining("67108864") });
    expect(await client.prompt(session, "still there?")).toBe("end_turn");
  });

  it("a wrong parameter is named", async () => {
    const client = await start();
    const wrong = client.agent.request("session/new", JSON.parse('{"cwd":1,"mcpServers":[]}'));
    await expect(wrong).rejects.toMatchObject({ code: -32602, data: { cwd: expect.anything() } });
  });

  it("a folder that is missing, relative, or a file is refused", async () => {
    const client = await start();
    writeFileSync(join(client.cwd, "file"), "");
    const texts: [string, string][] = [
      [join(client.cwd, "nowhere"), "doesn't exist"],
      ["relative", "not an absolute path"],
      [join(client.cwd, "file"), "not a folder"],
    ];
    for (const [cwd, text] of texts) {
      await expect(client.newSession(cwd)).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining(text),
      });
    }
  });

  it("a session that doesn't exist is not found, whatever is asked of it", async () => {
    const client = await start();
    const sessionId = "01a219bd-0000-7000-8000-000000000000";
    const asked = [
      client.prompt(sessionId, "hi"),
      client.agent.request("session/set_mode", { sessionId, modeId: "auto" }),
      client.agent.request("session/load", { sessionId, cwd: client.cwd, mcpServers: [] }),
      client.agent.request("session/resume", { sessionId, cwd: client.cwd }),
    ];
    for (const result of await Promise.allSettled(asked)) {
      expect(result).toMatchObject({ status: "rejected", reason: { code: -32002 } });
    }
  });

  it("an ID that is used twice gets two answers", async () => {
    const client = await start(reply("one"), reply("two"));
    const sessionId = await client.newSession();
    const prompt = { sessionId, prompt: [{ type: "text", text: "hi" }] };
    const request = { jsonrpc: "2.0", id: 900, method: "session/prompt", params: prompt } as const;
    const answers = () => client.messages.filter(({ from, message }) => from === "agent" && message.id === 900);
    client.send(request);
    client.send(request);
    await client.until(() => (answers().length === 2 ? true : undefined), "two answers");
  });

  it("an image that can't be read is left out, and megabytes of one reach the model in a size that it takes", async () => {
    const client = await start(reply("fine"), reply("seen"));
    const sessionId = await client.newSession();
    const see = async (file: Buffer) => {
      const image: ContentBlock = { type: "image", data: file.toString("base64"), mimeType: "image/png" };
      const prompt: ContentBlock[] = [{ type: "text", text: "see" }, image];
      const { stopReason } = await client.agent.request("session/prompt", { sessionId, prompt });
      expect(stopReason).toBe("end_turn");
      return JSON.stringify(models[0]?.requests.at(-1)?.body.messages.at(-1));
    };
    expect(await see(Buffer.alloc(20 * 1024 * 1024, 7))).toContain("it isn't a readable image");
    const sent = await see(png(1600, 1200, "noise")); // 7.7 MB as text
    expect(sent).toContain('"type":"image"');
    expect(sent.length).toBeLessThan(5 * 1024 * 1024);
  });

  it("audio and files that are no text are refused with what to send instead", async () => {
    const client = await start();
    const sessionId = await client.newSession();
    const audio = { type: "audio" as const, data: "AAAA", mimeType: "audio/wav" };
    await expect(client.agent.request("session/prompt", { sessionId, prompt: [audio] })).rejects.toMatchObject({
      code: -32602,
    });
    const blob = Buffer.from([0, 1, 2, 255]).toString("base64");
    const resource = { type: "resource" as const, resource: { uri: "file:///a.bin", blob } };
    await expect(client.agent.request("session/prompt", { sessionId, prompt: [resource] })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("Send its path"),
    });
    await expect(client.prompt(sessionId, "  ")).rejects.toMatchObject({ code: -32602 });
  });

  it("an MCP server that fails is reported, and the session works", async () => {
    const client = await start(reply("fine"));
    const { sessionId } = await client.agent.request("session/new", {
      cwd: client.cwd,
      mcpServers: [{ name: "my server", command: "/nowhere/server", args: [], env: [] }],
    });
    expect(await client.prompt(sessionId, "hi")).toBe("end_turn");
    await client.until(() => (client.said().includes("my_server") ? true : undefined), "the report");
  });
});
