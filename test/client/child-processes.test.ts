import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startAgent } from "../../agent/client/start-agent.ts";
import { processesUnder } from "../e2e/support/processes-under.ts";
import { mcpFixture } from "../support/mcp-fixtures.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";
import { AGENT_NODE, AgentUnderTest, BUILT_AGENT } from "../support/spawn-agent.ts";

const CLIENT = fileURLToPath(new URL("../../dist/client/index.js", import.meta.url));
const HOST = fileURLToPath(new URL("../fixtures/hosts/runs-a-command.mjs", import.meta.url));
/** A shell, a shell in it, and two programs that ignore the end of their terminal: children, grandchildren, and one without a waiting parent. */
const FAMILY = "(bash -c 'nohup sleep 7431 & wait' & sleep 7432) & sleep 7433";
const HANGING_SERVER = { command: AGENT_NODE, args: [mcpFixture("hang.mjs")] };
const DEADLINE = { timeout: 20_000 };

/** Inherited by all child processes, so that they can be found even after their parents have ended. */
let home: string;
const hosts: ChildProcess[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "tiller-family-"));
});

afterEach(async () => {
  for (const host of hosts.splice(0)) host.kill("SIGKILL");
  for (const pid of await left()) process.kill(pid, "SIGKILL");
  rmSync(home, { recursive: true, force: true });
});

const env = () => ({ PATH: process.env.PATH, HOME: home, PI_CODING_AGENT_DIR: home });
const left = () => processesUnder(home, "");
const sleepers = async () => (await processesUnder(home, "sleep 743")).length;

describe("child processes", () => {
  test("of ten opened and closed sessions all end, even grandchildren of commands", async () => {
    for (let session = 0; session < 10; session += 1) {
      const command = { file: process.execPath, args: [BUILT_AGENT, "--mode", "rpc"], cwd: home, env: env() };
      const { client } = await startAgent(command, {});
      const running = client.request("bash", { command: FAMILY }).catch((error: unknown) => error);
      await expect.poll(sleepers, DEADLINE).toBeGreaterThanOrEqual(3);
      await client.close();
      await running;
      await expect.poll(left, DEADLINE).toEqual([]);
    }
  }, 240_000);

  test("of a killed host's three agents all end", async () => {
    for (let count = 0; count < 3; count += 1) {
      hosts.push(spawn(process.execPath, [HOST, CLIENT, home, FAMILY], { env: env(), stdio: "ignore" }));
    }
    await expect.poll(sleepers, { timeout: 60_000 }).toBeGreaterThanOrEqual(9);
    for (const host of hosts) host.kill("SIGKILL");
    await expect.poll(left, DEADLINE).toEqual([]);
  }, 120_000);

  test("of a killed agent all end: for the model, the host, extensions and MCP", async () => {
    const model = await ScriptedModel.start();
    const extension = `export default (pi) => {
      pi.on("session_start", () => { void pi.exec("sh", ["-c", "sleep 7436; true"]); });
    };`;
    writeFileSync(join(home, "runs.ts"), extension);
    writeFileSync(join(home, "settings.json"), JSON.stringify({ mcp: { waitMs: 1 } }));
    writeFileSync(join(home, "mcp.json"), JSON.stringify({ mcpServers: { hang: HANGING_SERVER } }));
    const agent = new AgentUnderTest({
      args: ["--no-session", "-e", join(home, "runs.ts")],
      modelUrl: model.url,
      agentDir: home,
      env: { HOME: home },
    });
    model.enqueue(reply([toolCall("bash", { command: "sleep 7434 | sleep 7435" })]));
    agent.send({ type: "bash", command: FAMILY });
    agent.send({ type: "prompt", message: "wait" });
    // The shell that has the command and the program itself.
    for (const last of ["sleep 7433", "sleep 7435", "sleep 7436"]) {
      await expect.poll(async () => (await processesUnder(home, last)).length, DEADLINE).toBeGreaterThanOrEqual(2);
    }
    await expect.poll(() => processesUnder(home, "hang.mjs"), DEADLINE).toHaveLength(1);
    agent.child.kill("SIGKILL");
    await expect.poll(left, DEADLINE).toEqual([]);
    await agent.dispose();
    await model.stop();
  }, 60_000);

  test.each(["SIGTERM", "SIGKILL"] as const)(
    "in the background of a command end with an agent that ends by %s, except those in a session of their own",
    async (signal) => {
      const agent = new AgentUnderTest({ agentDir: home, env: { HOME: home } });
      const background = "nohup sleep 7437 >/dev/null 2>&1 & setsid sleep 7438 >/dev/null 2>&1 & sleep 7439 & kill $!";
      await agent.call("bash", { command: background });
      await expect.poll(() => processesUnder(home, "sleep 7438"), DEADLINE).toHaveLength(1);
      agent.child.kill(signal);
      await agent.exited;
      await expect.poll(async () => (await left()).length, DEADLINE).toBe(1);
      expect(await processesUnder(home, "sleep 7438")).toHaveLength(1);
      await agent.dispose();
    },
  );
});
