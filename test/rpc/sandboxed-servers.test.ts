import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { callUnasked } from "../support/approval-agent.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let cwd: string;
let port: number;
let agents: AgentUnderTest[];

beforeEach(async () => {
  model = await ScriptedModel.start();
  cwd = mkdtempSync(join(tmpdir(), "tiller-servers-"));
  port = await freePort();
  agents = [];
});

afterEach(async () => {
  await Promise.all(agents.map((agent) => agent.dispose()));
  await model.stop();
  for (const folder of [cwd, `${cwd}-agent`]) rmSync(folder, { recursive: true, force: true });
});

/** Returns a port below those that nobody is asked about. */
async function freePort(): Promise<number> {
  for (;;) {
    const wanted = 20_000 + Math.floor(Math.random() * 10_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(wanted, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return wanted;
  }
}

function start(sandbox: Record<string, unknown>): AgentUnderTest {
  const agentDir = `${cwd}-agent`;
  mkdirSync(agentDir, { recursive: true });
  writeFileSync(join(agentDir, "settings.json"), JSON.stringify({ sandbox }));
  const agent = new AgentUnderTest({
    cwd,
    agentDir,
    modelUrl: model.url,
    args: ["--no-session", "--tools", "bash", "--permission-mode", "sandboxed"],
  });
  agents.push(agent);
  return agent;
}

const serve = (agent: AgentUnderTest) => {
  const code = `require("http").createServer((_, r) => r.end("hello")).listen(${port}, "127.0.0.1")`;
  return callUnasked(agent, model, "bash", { command: `node -e '${code}' > log 2>&1 &` });
};
const textOf = async () => (await fetch(`http://127.0.0.1:${port}`)).text();

describe("a server in the sandbox", () => {
  it("is reachable once the user allows it, who is told where, and so is the model", async () => {
    const agent = start({});
    await serve(agent);
    const question = await agent.waitFor(({ method }) => method === "select");
    expect(JSON.stringify(question)).toContain(`opens port ${port}`);
    expect(JSON.stringify(question)).toContain(`sandbox port ${port}`);
    const from = agent.frames.length;
    agent.send({ type: "extension_ui_response", id: question.id, value: `Allow always: sandbox port ${port}` });
    const told = await agent.waitFor(({ method }) => method === "notify", from);
    expect(told).toMatchObject({
      message: `The server on port ${port} of the sandbox is at http://127.0.0.1:${port}.`,
      notifyType: "info",
    });
    expect(await textOf()).toBe("hello");
    const { text } = await callUnasked(agent, model, "bash_output", { id: "b1" });
    expect(text).toContain(
      `[Outside the sandbox, the user reaches the server on port ${port} of the sandbox at http://127.0.0.1:${port}.]`,
    );
    const log = readFileSync(join(agent.agentDir, "approvals.log"), "utf8");
    expect(log).toContain(`"what":"port ${port}"`);
    await agent.call("new_session");
    await expect(textOf()).rejects.toThrow();
  });

  it("is reachable without a question when the settings name its port", async () => {
    const agent = start({ ports: [port] });
    await serve(agent);
    await agent.waitFor(({ method }) => method === "notify");
    expect(await textOf()).toBe("hello");
    expect(agent.frames.some(({ method }) => method === "select")).toBe(false);
  });

  it("is not reachable when the settings say so, and nobody is asked", async () => {
    const agent = start({ ports: "off" });
    await serve(agent);
    const { text } = await callUnasked(agent, model, "bash", { command: `sleep 2; curl -s http://127.0.0.1:${port}` });
    expect(text).toBe("hello");
    expect(agent.frames.some(({ method }) => method === "select" || method === "notify")).toBe(false);
    await expect(textOf()).rejects.toThrow();
  });
});
