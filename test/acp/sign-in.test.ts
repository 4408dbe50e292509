import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AcpClient } from "../support/acp-client.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { httpError, reply } from "../support/scripted-replies.ts";

let model: ScriptedModel;
let home: string;
let cwd: string;
const clients: AcpClient[] = [];

beforeEach(async () => {
  model = await ScriptedModel.start();
  home = mkdtempSync(join(tmpdir(), "tiller-acp-home-"));
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "tiller-acp-")));
});

afterEach(async () => {
  for (const client of clients.splice(0)) await client.dispose();
  for (const folder of [home, cwd]) rmSync(folder, { recursive: true, force: true });
  await model.stop();
});

/** An agent that has a key only if the user's `models.json` has one. */
async function start(): Promise<AcpClient> {
  const client = await AcpClient.start({ home, env: { ANTHROPIC_BASE_URL: model.url } });
  clients.push(client);
  return client;
}

function saveKey(apiKey: string): void {
  mkdirSync(join(home, "agent"), { recursive: true });
  writeFileSync(join(home, "agent", "models.json"), JSON.stringify({ providers: { anthropic: { apiKey } } }));
}

function removeKeys(): void {
  rmSync(join(home, "agent", "models.json"));
}

describe("a missing key", () => {
  it("asks to sign in; a key that comes later is found", async () => {
    const client = await start();
    await expect(client.newSession(cwd)).rejects.toMatchObject({ code: -32000 });
    await expect(client.agent.request("authenticate", { methodId: "file" })).rejects.toMatchObject({ code: -32000 });
    await expect(client.agent.request("authenticate", { methodId: "magic" })).rejects.toMatchObject({ code: -32602 });
    saveKey("k");
    await client.agent.request("authenticate", { methodId: "file" });
    model.enqueue(reply("hello"));
    expect(await client.prompt(await client.newSession(cwd), "hi")).toBe("end_turn");
  });

  it("keeps a session of the disk from being opened, and after the sign-in it goes on", async () => {
    saveKey("k");
    const first = await start();
    model.enqueue(reply("hello"));
    const sessionId = await first.newSession(cwd);
    await first.prompt(sessionId, "hi");
    await first.end();
    removeKeys();
    const client = await start();
    const session = { sessionId, cwd, mcpServers: [] };
    for (const method of ["session/load", "session/resume", "session/fork"]) {
      await expect(client.agent.request(method, session)).rejects.toMatchObject({ code: -32000 });
    }
    saveKey("later");
    await client.agent.request("authenticate", { methodId: "file" });
    await client.agent.request("session/load", session);
    expect(client.said()).toBe("hello");
    model.enqueue(reply("still here"));
    expect(await client.prompt(sessionId, "again")).toBe("end_turn");
  });
});

describe("a key that the provider refuses", () => {
  it("asks to sign in; the session takes the new key when it is opened again", async () => {
    saveKey("old");
    const client = await start();
    const sessionId = await client.newSession(cwd);
    model.enqueue(httpError(401, "authentication_error", "invalid x-api-key"));
    await expect(client.prompt(sessionId, "hi")).rejects.toMatchObject({ code: -32000 });
    saveKey("new");
    await client.agent.request("authenticate", { methodId: "file" });
    await client.agent.request("session/resume", { sessionId, cwd });
    model.enqueue(reply("hello"));
    expect(await client.prompt(sessionId, "again")).toBe("end_turn");
    expect(model.requests.map(({ headers }) => headers["x-api-key"])).toEqual(["old", "new"]);
    expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain("hi");
  });
});
