import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { AcpClient } from "../support/acp-client.ts";
import type { AcpMessage } from "../support/acp-schema.ts";
import { writeFiles } from "../support/extension-files.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { gate, reply, text, toolCall } from "../support/scripted-replies.ts";

/**
 * Requirements that the protocol's own Test Compatibility Kit (agentclientprotocol/acp-tck) makes of every agent. The kit is on no package
 * registry, so its requirements are played here, except those that other tests of this folder show anyway.
 */
let model: ScriptedModel;
let client: AcpClient;
let home: string;

/** An extension that prints whatever it does. */
const NOISY = `
console.log("loading");
module.exports = (api) => {
  process.stdout.write("raw");
  api.registerCommand("print", { description: "Prints", handler: async () => console.log("printing") });
};
`;

const Update = z.object({ update: z.object({ sessionUpdate: z.string() }) });

beforeEach(async () => {
  model = await ScriptedModel.start();
  home = mkdtempSync(join(tmpdir(), "tiller-acp-home-"));
  writeFiles(join(home, "agent", "extensions"), { "noisy.js": NOISY });
  client = await AcpClient.start({ modelUrl: model.url, home, args: ["--permission-mode", "auto"] });
});

afterEach(async () => {
  await client.dispose();
  await model.stop();
  rmSync(home, { recursive: true, force: true });
});

/** Answers of the agent on the wire: the SDK of the client forgives some. */
function answer(id: number): Promise<AcpMessage> {
  return client.until(
    () => client.messages.find(({ from, message }) => from === "agent" && message.id === id)?.message,
    `the answer to ${id}`,
  );
}

function send(id: number, method: string, params: object): Promise<AcpMessage> {
  client.send({ jsonrpc: "2.0", id, method, params });
  return answer(id);
}

/** The kinds of the updates so far, in the order of the wire. */
function updates(): string[] {
  const { messages } = client;
  return messages.flatMap(({ message: { params } }) => {
    const { data } = Update.safeParse(params);
    return data === undefined ? [] : [data.update.sessionUpdate];
  });
}

describe("an agent of the protocol", () => {
  it("answers initialize as often as it is asked, with its name and distinct ways to sign in", async () => {
    const again = await client.agent.request("initialize", { protocolVersion: 65_535, clientCapabilities: {} });
    expect(again).toMatchObject({ protocolVersion: 1, agentInfo: { name: "tiller", version: expect.any(String) } });
    const ids = again.authMethods?.map(({ id }) => id) ?? [];
    expect(new Set(ids).size).toBe(ids.length);
    expect(JSON.stringify(again.authMethods)).not.toContain('terminal"');
  });

  it("answers custom methods with an error of one line, and takes custom notifications in silence", async () => {
    const { error } = await send(901, "_acme.com/thing", { a: 1 });
    expect(error).toMatchObject({ code: -32_601, message: expect.stringMatching(/^[^\n]+$/) });
    client.send({ jsonrpc: "2.0", method: "_acme.com/note", params: {} });
    expect(await client.newSession()).not.toBe(await client.newSession());
  });

  it("takes prompts with _meta and with links", async () => {
    model.enqueue(reply("fine"));
    const sessionId = await client.newSession();
    const link: ContentBlock = { type: "resource_link", name: "a", uri: "file:///a.txt" };
    const prompt: ContentBlock[] = [{ type: "text", text: "hi" }, link];
    const _meta = { traceparent: "00-80e1afed08e019fc1110464cfa66635c-7a085853722dc6d2-01" };
    expect(await client.agent.request("session/prompt", { sessionId, prompt, _meta })).toEqual({
      stopReason: "end_turn",
    });
  });

  it("asks nothing of a client that can do nothing", async () => {
    model.enqueue(
      reply([toolCall("write", { path: "a.txt", content: "x" }), toolCall("bash", { command: "cat a.txt" })]),
      reply("done"),
    );
    await client.prompt(await client.newSession(), "work");
    const asked = client.messages.filter(({ from, message: { id, method } }) => {
      return from === "agent" && id !== undefined && method !== undefined;
    });
    expect(asked).toEqual([]);
    expect(readFileSync(join(client.cwd, "a.txt"), "utf8")).toBe("x");
  });

  it("sends every update of a cancelled turn before the answer to its prompt", async () => {
    const stop = gate();
    model.enqueue(reply([text("It begins", { chunks: 3 }), stop]));
    const sessionId = await client.newSession();
    client.send({
      jsonrpc: "2.0",
      id: 902,
      method: "session/prompt",
      params: { sessionId, prompt: [{ type: "text", text: "begin" }] },
    });
    await client.until(() => (client.said().includes("It begins") ? true : undefined), "the beginning");
    await client.agent.notify("session/cancel", { sessionId });
    expect((await answer(902)).result).toEqual({ stopReason: "cancelled" });
    const told = updates().length;
    stop.release();
    await send(903, "session/list", {});
    expect(updates().slice(told)).toEqual([]);
  });

  it("replays a session before it answers session/load, and replays nothing for session/resume", async () => {
    model.enqueue(reply("hello"));
    const sessionId = await client.newSession();
    await client.prompt(sessionId, "hi");
    await client.agent.request("session/close", { sessionId });
    const history = () => updates().filter((kind) => kind.endsWith("message_chunk"));
    const before = history().length;
    await send(904, "session/resume", { sessionId, cwd: client.cwd });
    await client.agent.request("session/close", { sessionId });
    expect(history().length).toBe(before);
    await send(905, "session/load", { sessionId, cwd: client.cwd, mcpServers: [] });
    const replayed = history().length;
    expect(replayed).toBe(before + 2);
    await send(906, "session/list", {});
    expect(history().length).toBe(replayed);
  });

  it("deletes sessions that have no message, are deleted already, or never were", async () => {
    const sessionId = await client.newSession();
    for (const id of [907, 908]) expect((await send(id, "session/delete", { sessionId })).result).toEqual({});
    expect((await send(909, "session/delete", { sessionId: "../../nothing" })).result).toEqual({});
    await expect(client.prompt(sessionId, "hi")).rejects.toMatchObject({ code: -32_002 });
  });

  it("answers the prompt of a session that is closed with cancelled", async () => {
    const stop = gate();
    model.enqueue(reply([text("It begins"), stop]));
    const sessionId = await client.newSession();
    const prompt = client.prompt(sessionId, "begin");
    await stop.reached.promise;
    expect((await send(910, "session/close", { sessionId })).result).toEqual({});
    expect(await prompt).toBe("cancelled");
    stop.release();
  });

  it("offers modes and options whose current value is one of the choices, and answers a change with all options", async () => {
    const { sessionId, modes, configOptions } = await client.agent.request("session/new", {
      cwd: client.cwd,
      mcpServers: [],
    });
    expect(modes?.availableModes.map(({ id }) => id)).toContain(modes?.currentModeId);
    const Options = z.array(
      z.looseObject({
        id: z.string(),
        currentValue: z.string(),
        options: z.array(z.looseObject({ value: z.string() })),
      }),
    );
    const offered = Options.parse(configOptions);
    for (const { currentValue, options } of offered) expect(options.map(({ value }) => value)).toContain(currentValue);
    const changed = await client.agent.request("session/set_config_option", {
      sessionId,
      configId: "mode",
      value: "plan",
    });
    const now = Options.parse(changed.configOptions);
    expect(now.map(({ id }) => id)).toEqual(offered.map(({ id }) => id));
    expect(now[0]?.currentValue).toBe("plan");
  });

  it("writes nothing but the protocol to stdout, whatever extensions print, and ends when stdin closes", async () => {
    expect(await client.prompt(await client.newSession(), "/print")).toBe("end_turn");
    expect(client.stderr).toContain("loading");
    expect(client.stderr).toContain("printing");
    expect(await client.end()).toEqual({ code: 0, signal: null });
  });
});
