import { describe, expect, test } from "vitest";
import { spawnAgent } from "../../agent/client/agent-process.ts";
import { AgentExited, AgentNotStarted } from "../../agent/client/client-errors.ts";
import { startAgent } from "../../agent/client/start-agent.ts";
import { fixtureAgent, isAlive } from "../support/fixture-agent.ts";

describe("spawnAgent", () => {
  test("fails for a missing program, with its name and the folder", async () => {
    const command = { ...fixtureAgent("echo-agent"), file: "/no/such/agent" };
    const failure = await spawnAgent(command).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AgentNotStarted);
    expect(failure).toMatchObject({
      message: `Couldn't start the agent "/no/such/agent" in ${command.cwd}: spawn /no/such/agent ENOENT.`,
    });
  });

  test("reads stderr all the time and keeps its end", async () => {
    let received = 0;
    const { client, process: agent } = await startAgent(
      fixtureAgent("floods-stderr"),
      {},
      {
        onStderr: (text) => {
          received += text.length;
        },
      },
    );
    await client.close();
    const { stderrTail } = await agent.exited;
    expect(received).toBe(800_015);
    expect(stderrTail).toHaveLength(16_384);
    expect(stderrTail.endsWith("x\nthe last words\n")).toBe(true);
  });

  test("ends a well-behaved agent without a signal when stdin ends", async () => {
    const agent = await spawnAgent(fixtureAgent("never-ready"));
    expect(await agent.stop()).toMatchObject({ exitCode: 0, signal: null });
  });

  test("kills an agent that ignores stdin and SIGTERM, with its children, on stop()", async () => {
    const { process: agent, ready } = await startAgent(fixtureAgent("ignores-everything"), {}, { stopGraceMs: 50 });
    const childPid = Number(ready.version);
    expect(isAlive(childPid)).toBe(true);
    expect(await agent.stop()).toMatchObject({ exitCode: null, signal: "SIGKILL" });
    await expect.poll(() => isAlive(childPid)).toBe(false);
  });

  test("ends the rest of the process group when an agent is killed from outside", async () => {
    const { process: agent, ready } = await startAgent(fixtureAgent("ignores-everything"), {});
    process.kill(agent.pid, "SIGKILL");
    expect(await agent.exited).toMatchObject({ exitCode: null, signal: "SIGKILL" });
    await expect.poll(() => isAlive(Number(ready.version))).toBe(false);
  });
});

describe("startAgent", () => {
  test("rejects with exit code and last output when an agent ends before it is ready", async () => {
    const failure = await startAgent(fixtureAgent("exits-at-once"), {}).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AgentExited);
    expect(failure).toMatchObject({ exitCode: 1, stderrTail: "Error: no such option\n" });
  });

  test("ends an agent that is not ready in time", async () => {
    const starting = startAgent(fixtureAgent("never-ready"), {}, { readyTimeoutMs: 50 });
    await expect(starting).rejects.toThrow(/was not ready within 50 ms/);
  });

  test("ends the process and rejects with the reason when the start is aborted", async () => {
    const controller = new AbortController();
    const starting = startAgent(fixtureAgent("never-ready"), {}, { signal: controller.signal });
    controller.abort(new Error("the window closes"));
    await expect(starting).rejects.toThrow("the window closes");
  });
});
