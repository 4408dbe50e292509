import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isRunning } from "../support/process-state.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { type Gate, gate, hang, httpError, reply, text, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let agent: AgentUnderTest;

beforeEach(async () => {
  model = await ScriptedModel.start();
});

afterEach(async () => {
  await agent.dispose();
  await model.stop();
});

/** Lasts until it is killed, and writes down who it is. */
const STUBBORN = "trap '' TERM; echo $$ > pid; echo up; while :; do sleep 0.2; done";
const SLEEPER = "sleep 300 & echo $! > pid; echo up; wait";

function childPid(): number {
  return Number(readFileSync(join(agent.cwd, "pid"), "utf8"));
}

/** Resolves when the child has said so. */
function isUp(): Promise<unknown> {
  return agent.waitFor(({ delta, partialResult }) => JSON.stringify([delta, partialResult]).includes("up"));
}

describe("a second signal", () => {
  it("ends the process at once, with the commands that ignored the first one", async () => {
    agent = new AgentUnderTest({ modelUrl: model.url });
    agent.send({ id: "b", type: "bash", command: STUBBORN });
    await isUp();
    const pid = childPid();
    model.enqueue(hang());
    await agent.call("prompt", { message: "go" });
    agent.child.kill("SIGTERM");
    await agent.settled();
    const from = performance.now();
    agent.child.kill("SIGTERM");
    expect(await agent.exited).toEqual({ code: 143, signal: null });
    expect(performance.now() - from).toBeLessThan(1500);
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), 2000);
  });
});

interface State {
  args?: string[];
  /** Brings the agent into the state. @returns whether a child process runs then. */
  enter(): Promise<boolean>;
}

let held: Gate | undefined;

const STATES: Record<string, State> = {
  "while it is idle": {
    async enter() {
      await agent.call("get_state");
      return false;
    },
  },
  "while the model streams": {
    async enter() {
      held = gate();
      model.enqueue(reply([text("Half"), held]));
      await agent.call("prompt", { message: "go" });
      await agent.waitFor(({ type }) => type === "message_update");
      return false;
    },
  },
  "while the model says nothing": {
    async enter() {
      const silent = hang();
      model.enqueue(silent);
      await agent.call("prompt", { message: "go" });
      await agent.waitFor((frame) => frame.type === "message_start" && JSON.stringify(frame).includes("assistant"));
      return false;
    },
  },
  "while a tool runs": {
    async enter() {
      model.enqueue(reply([toolCall("bash", { command: SLEEPER })], { stopReason: "tool_use" }));
      await agent.call("prompt", { message: "go" });
      await isUp();
      return true;
    },
  },
  "while it waits to try again": {
    async enter() {
      model.enqueue(httpError(529, "overloaded_error", "Overloaded"));
      await agent.call("prompt", { message: "go" });
      await agent.waitFor(({ type }) => type === "auto_retry_start");
      return false;
    },
  },
  "while a question is open": {
    args: ["--no-session", "--permission-mode", "confirm"],
    async enter() {
      model.enqueue(reply([toolCall("bash", { command: "touch never" })], { stopReason: "tool_use" }));
      await agent.call("prompt", { message: "go" });
      await agent.waitFor(({ type }) => type === "extension_ui_request");
      return false;
    },
  },
  "while a host tool is pending": {
    async enter() {
      await agent.call("set_host_tools", {
        tools: [{ name: "pick", description: "Picks.", parameters: { type: "object" } }],
      });
      model.enqueue(reply([toolCall("pick", {})], { stopReason: "tool_use" }));
      await agent.call("prompt", { message: "go" });
      await agent.waitFor(({ type }) => type === "host_tool_call");
      return false;
    },
  },
  "while the host's own command runs": {
    async enter() {
      agent.send({ id: "b", type: "bash", command: SLEEPER });
      await isUp();
      return true;
    },
  },
};

describe("a host that closes its end of the pipe", () => {
  it.each(Object.entries(STATES))(
    "%s: the agent exits with 0 in five seconds and leaves no child",
    async (_, state) => {
      agent = new AgentUnderTest({ modelUrl: model.url, args: state.args ?? ["--no-session"] });
      const hasChild = await state.enter();
      const pid = hasChild ? childPid() : undefined;
      const from = performance.now();
      expect(await agent.end()).toEqual({ code: 0, signal: null });
      expect(performance.now() - from).toBeLessThan(5000);
      if (pid !== undefined) expect(isRunning(pid)).toBe(false);
      const runs = agent.types().filter((type) => type === "agent_settled").length;
      expect(runs).toBe(agent.types().filter((type) => type === "agent_start").length);
      held?.release();
      held = undefined;
    },
  );
});
