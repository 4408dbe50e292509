import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AgentExited } from "../../agent/client/client-errors.ts";
import type { RpcListeners } from "../../agent/client/frame-client.ts";
import { type StartedAgent, startAgent } from "../../agent/client/start-agent.ts";
import type { AgentEvent } from "../../agent/protocol/events.ts";
import type { HostToolCall } from "../../agent/protocol/host-tools.ts";
import { locateAgent } from "../../extension/core/connection/locate-agent.ts";
import { isRunning } from "../support/process-state.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";
import { BUILT_AGENT } from "../support/spawn-agent.ts";
import { SshMachine } from "../support/ssh-machine.ts";

const PICK = { name: "pick", description: "Picks a colour.", parameters: { type: "object" } };
const SLEEPER = "echo $PPID $$ > pids; echo up; sleep 300; true";

let machine: SshMachine;
let model: ScriptedModel;
let started: StartedAgent[];
let events: AgentEvent[];

beforeEach(async () => {
  model = await ScriptedModel.start();
  machine = await SshMachine.start();
  started = [];
  events = [];
});

afterEach(async () => {
  await Promise.all(started.map(({ process: agent }) => agent.stop()));
  await machine.stop();
  await model.stop();
});

/** Starts an agent on the machine as the extension does. */
async function start(listeners: RpcListeners = {}): Promise<StartedAgent> {
  const variables = `PI_CODING_AGENT_DIR=${machine.folder}/agent ANTHROPIC_API_KEY=test-key ANTHROPIC_BASE_URL=${model.url}`;
  const program = `${process.execPath} ${BUILT_AGENT}`;
  const command = await locateAgent({
    commandLine: machine.commandLine(`cd ${machine.folder} && exec env ${variables} ${program}`),
    extraEnv: {},
    permissionMode: "auto",
    denyRead: [],
    askForReadOnlyCommands: false,
    titleModel: "",
    isProjectTrusted: true,
    model: "",
    thinkingLevel: "",
    cwd: process.cwd(),
    folders: ["it's here", "$(touch planted)"].map((name) => ({ name, path: `/work/${name}` })),
    extensionPath: process.cwd(),
    sessionFile: undefined,
    sessionId: "over-ssh",
    isTemporary: false,
    hasTools: true,
    keys: {},
    ripgrepPath: undefined,
    parentEnv: process.env,
    runtime: process.execPath,
  });
  const agent = await startAgent(command, { event: (event) => events.push(event), ...listeners });
  started.push(agent);
  return agent;
}

function settled(): Promise<void> {
  return expect.poll(() => events.some(({ type }) => type === "agent_settled")).toBe(true);
}

/** Starts a run whose command lasts. @returns the processes of the agent and of the command. */
async function startSleeper({ client }: StartedAgent): Promise<number[]> {
  model.enqueue(reply([toolCall("bash", { command: SLEEPER })], { stopReason: "tool_use" }));
  await client.request("prompt", { message: "sleep" });
  await expect.poll(() => JSON.stringify(events)).toContain("up\\n");
  return readFileSync(join(machine.folder, "pids"), "utf8").trim().split(" ").map(Number);
}

describe("an agent over SSH", () => {
  it("gets prompts, and its tools work on the other machine", async () => {
    const { client } = await start();
    model.enqueue(
      reply([toolCall("write", { path: "a.txt", content: "ünï" })], { stopReason: "tool_use" }),
      reply("Done."),
    );
    await client.request("prompt", { message: "write" });
    await settled();
    expect(readFileSync(join(machine.folder, "a.txt"), "utf8")).toBe("ünï");
    expect(await client.request("get_last_assistant_text", {})).toEqual({ text: "Done." });
    const system = JSON.stringify(model.requests[0]?.body.system);
    expect(system).toContain("- it's here: /work/it's here");
    expect(system).toContain("- $(touch planted): /work/$(touch planted)");
  });

  it("calls tools of the host", async () => {
    const calls: HostToolCall[] = [];
    const { client } = await start({ hostToolCall: (call) => calls.push(call) });
    await client.request("set_host_tools", { tools: [PICK] });
    model.enqueue(reply([toolCall("pick", { shade: "dark" })], { stopReason: "tool_use" }), reply("Green."));
    await client.request("prompt", { message: "pick" });
    await expect.poll(() => calls).toMatchObject([{ toolName: "pick", arguments: { shade: "dark" } }]);
    client.send({
      type: "host_tool_result",
      id: calls[0]?.id ?? "",
      result: { content: [{ type: "text", text: "green" }] },
    });
    await settled();
    expect(JSON.stringify(model.requests[1]?.body.messages)).toContain("green");
  });

  it("ends the command when the run is aborted, and goes on", async () => {
    const agent = await start();
    const [, shell = 0] = await startSleeper(agent);
    expect(isRunning(shell)).toBe(true);
    await agent.client.request("abort", {});
    await settled();
    expect(isRunning(shell)).toBe(false);
    model.enqueue(reply("Still here."));
    events.length = 0;
    await agent.client.request("prompt", { message: "hi" });
    await settled();
    expect(await agent.client.request("get_last_assistant_text", {})).toEqual({ text: "Still here." });
  });

  it.each([
    ["the SSH client is killed", (agent: StartedAgent) => process.kill(agent.process.pid, "SIGKILL")],
    ["the line goes silent", () => machine.goSilent()],
  ])("leaves nothing running when %s during a command, and a new agent has the session", async (_, cut) => {
    const agent = await start();
    const pids = await startSleeper(agent);
    const { sessionFile } = await agent.client.request("get_state", {});
    cut(agent);
    await agent.process.exited;
    await expect(agent.client.request("get_state", {})).rejects.toBeInstanceOf(AgentExited);
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);

    const next = await start();
    const state = await next.client.request("get_state", {});
    expect(state).toMatchObject({ sessionFile, sessionId: "over-ssh" });
    const { messages } = await next.client.request("get_messages", {});
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "assistant"]);
    expect(messages.at(-1)).toMatchObject({ stopReason: "aborted" });
    model.enqueue(reply("On with it."));
    events.length = 0;
    await next.client.request("prompt", { message: "go on" });
    await settled();
    expect(await next.client.request("get_last_assistant_text", {})).toEqual({ text: "On with it." });
  });
});
