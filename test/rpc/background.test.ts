import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isRunning } from "../support/process-state.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord, type Frame } from "../support/spawn-agent.ts";

/** Prints a line, waits for the file `go`, prints another one, and stays. */
const SERVER = "(echo up; until [ -e go ]; do sleep 0.05; done; echo later; sleep 600)";

let model: ScriptedModel;
let agent: AgentUnderTest;

beforeEach(async () => {
  model = await ScriptedModel.start();
  agent = new AgentUnderTest({ modelUrl: model.url });
});

afterEach(async () => {
  await agent.dispose();
  await model.stop();
});

async function use(name: string, args: Record<string, unknown>): Promise<string> {
  const from = agent.frames.length;
  model.enqueue(reply([toolCall(name, args)], { stopReason: "tool_use" }), reply("ok"));
  await agent.run("go");
  const end = await agent.waitFor(({ type }) => type === "tool_execution_end", from);
  const { content } = asRecord(end.result);
  return Array.isArray(content) ? String(asRecord(content[0]).text) : "";
}

function changes(): unknown[] {
  return agent.frames.filter(({ type }) => type === "background_changed").map(({ processes }) => processes);
}

const isChange = (count: number) => (frame: Frame) =>
  frame.type === "background_changed" && Array.isArray(frame.processes) && frame.processes.length === count;

async function pidOf(): Promise<number> {
  const { processes } = await agent.waitFor(isChange(1));
  return Number(asRecord(Array.isArray(processes) ? processes[0] : undefined).pid);
}

/** Reads until the output has come. */
async function readUntil(text: string): Promise<string> {
  for (;;) {
    const output = await use("bash_output", { id: "b1" });
    if (output.includes(text)) return output;
  }
}

describe("a process that a command leaves running", () => {
  it.each([
    ["with its output in the pipe", `${SERVER} &`],
    ["with its output in a file", `nohup sh -c '${SERVER}' > log 2>&1 & sleep 0.2`],
  ])("is named in the result, can be read and stopped, and the host is told: %s", async (_, command) => {
    const result = await use("bash", { command });
    const pid = await pidOf();
    const file = join(agent.cwd, "log");
    const output = command.includes("log") ? `, output in ${file}` : "";
    expect(result).toContain(`[1 running in the background: b1 (pid ${pid}, `);
    expect(result).toContain(`${output}). bash_output reads what it prints from here on, bash_stop ends it;`);
    expect(await agent.call("get_state")).toMatchObject({ backgroundProcesses: [{ id: "b1", pid }] });

    await agent.call("bash", { command: "touch go" });
    expect(await readUntil("later")).toBe("later\n\n[b1 is running]");
    if (output !== "") expect(readFileSync(file, "utf8")).toBe("up\nlater\n");
    expect(await use("bash_stop", { id: "b1" })).toMatch(/^Stopped b1: /);
    expect(isRunning(pid)).toBe(false);
    expect(changes().at(-1)).toEqual([]);
    expect(await use("bash_output", { id: "b1" })).toBe("(no output)\n\n[b1 has ended]");
    expect(await use("bash_output", { id: "b7" })).toBe("No background process b7. None is running.");
  });

  it("gives the model the tools for it from then on, and not before", async () => {
    await use("bash", { command: "sleep 600 &" });
    const tools = model.requests.map(({ body }) => JSON.stringify(asRecord(body).tools));
    expect(tools.map((text) => text.includes("bash_output"))).toEqual([false, true]);
  });

  it("is told to the host when it ends by itself", async () => {
    await use("bash", { command: "(sleep 0.6) > log 2>&1 &" });
    await agent.waitFor(isChange(1));
    await agent.waitFor(isChange(0), agent.frames.findIndex(isChange(1)));
  });

  it("is ended by the host", async () => {
    await use("bash", { command: "sleep 600 & sleep 601 > log &" });
    const pid = await pidOf();
    await agent.call("stop_background", {});
    expect(isRunning(pid)).toBe(false);
    expect(await agent.request("stop_background", { processId: "b9" })).toMatchObject({ code: "invalid_request" });
  });

  it("ends with the agent when its output goes to a file, unless setsid was asked for", async () => {
    await use("bash", {
      command: "sleep 600 > log & setsid sleep 602 > log2 2>&1 & echo $! > pid; sleep 0.3",
    });
    const pid = await pidOf();
    const other = Number(readFileSync(join(agent.cwd, "pid"), "utf8").split("\n")[0]);
    agent.child.stdin.end();
    await agent.exited;
    expect(isRunning(pid)).toBe(false);
    expect(isRunning(other)).toBe(true);
    process.kill(other);
  });

  it.each([["new_session"], ["switch_session"]] as const)(
    "ends with the session, unless setsid was asked for: %s",
    async (command) => {
      await agent.dispose();
      agent = new AgentUnderTest({ modelUrl: model.url, args: [] });
      await use("bash", { command: "sleep 600 > log & setsid sleep 602 > log2 2>&1 & echo $! > pid; sleep 0.3" });
      const pid = await pidOf();
      const other = Number(readFileSync(join(agent.cwd, "pid"), "utf8").split("\n")[0]);
      const { sessionFile } = await agent.call("get_state");
      await (command === "new_session"
        ? agent.call("new_session")
        : agent.call("switch_session", { sessionPath: sessionFile }));
      expect([isRunning(pid), isRunning(other)]).toEqual([false, true]);
      expect(changes().at(-1)).toEqual([]);
      process.kill(other);
      expect(await use("bash_output", { id: "b1" })).toBe("No background process b1. None is running.");
    },
  );

  it("is not read where its output is in a file that no tool may read", async () => {
    await agent.dispose();
    agent = new AgentUnderTest({ modelUrl: model.url, args: ["--deny-read", "**/hidden.log"] });
    await use("bash", { command: "(echo word; sleep 600) > hidden.log 2>&1 & sleep 0.2" });
    const output = await use("bash_output", { id: "b1" });
    expect(output).toContain("Call read for that file.");
    expect(output).not.toContain("word");
  });

  it("leaves its tools' names to a host that has tools of these names", async () => {
    await use("bash", { command: "sleep 600 &" });
    const tools = ["bash_output", "recall"].map((name) => ({
      name,
      description: "ours",
      parameters: { type: "object" },
    }));
    expect(await agent.call("set_host_tools", { tools })).toMatchObject({ toolNames: ["bash_output", "recall"] });
  });
});
