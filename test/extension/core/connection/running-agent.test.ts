import { afterEach, expect, test } from "vitest";
import { type AgentObserver, RunningAgent } from "../../../../extension/core/connection/running-agent.ts";
import { fixtureAgent } from "../../../support/fixture-agent.ts";

interface Crash {
  readonly text: string;
  readonly restartInMs: number | undefined;
}

let agent: RunningAgent;
afterEach(() => agent.stop());

/** An agent from a fixture program, and the calls of its observer. */
function watch(program: () => string, now: () => number = Date.now) {
  const crashes: Crash[] = [];
  const starts: string[] = [];
  const wire: string[] = [];
  const observer: AgentObserver = {
    processStatus: () => {},
    session: () => {},
    event: () => {},
    uiRequest: () => {},
    hostToolCall: () => {},
    hostToolCancel: () => {},
    hostModelRequest: () => {},
    hostModelCancel: () => {},
    hostSecretRequest: () => {},
    crashed: (error, restartInMs) => crashes.push({ text: error.message, restartInMs }),
    disconnected: () => {},
    stderr: () => {},
    wire: (direction) => wire.push(direction),
    problem: () => {},
    refused: () => {},
  };
  agent = new RunningAgent({
    launch: async () => {
      starts.push(program());
      return fixtureAgent(program(), ["--permission-mode", "auto"]);
    },
    hostTools: { definitions: [], ownDefinitions: [] },
    hostModels: { provider: "editor", definitions: [] },
    observer,
    now,
  });
  return { crashes, starts, wire };
}

test("an agent that crashes repeatedly is restarted after 1 and 2 s, and not after the third time", async () => {
  const { crashes, starts } = watch(() => "exits-at-once");
  await expect(agent.start()).rejects.toThrow("exited with code 1");
  await expect.poll(() => crashes, { timeout: 20_000 }).toHaveLength(3);
  const text = "The agent exited with code 1.";
  expect(crashes).toEqual([
    { text, restartInMs: 1_000 },
    { text, restartInMs: 2_000 },
    { text, restartInMs: undefined },
  ]);
  expect(starts).toHaveLength(3);
  expect(agent.lastFailure?.error.message).toBe(text);
  expect(agent.command?.args[0]).toMatch(/exits-at-once/);
  // Whoever asks for it again begins anew.
  await expect(agent.restart()).rejects.toThrow("exited with code 1");
  expect(crashes.at(-1)).toEqual({ text, restartInMs: 1_000 });
});

test("an agent that was healthy for a minute has its earlier crashes forgotten", async () => {
  let now = 0;
  const { crashes } = watch(
    () => "chat-agent",
    () => now,
  );
  for (const seconds of [10, 10, 61]) {
    await agent.start();
    expect(agent.version).toBe("0.0.0");
    now += seconds * 1_000;
    const before = crashes.length;
    process.kill(agent.pid ?? 0, "SIGKILL");
    await expect.poll(() => crashes.length, { timeout: 20_000 }).toBe(before + 1);
  }
  expect(crashes.map(({ restartInMs }) => restartInMs)).toEqual([1_000, 2_000, 1_000]);
});

test("the lines of the wire are reported in both directions", async () => {
  const { wire } = watch(() => "chat-agent");
  await agent.start();
  expect(new Set(wire)).toEqual(new Set(["in", "out"]));
});
