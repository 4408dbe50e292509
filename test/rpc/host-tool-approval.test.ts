import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { outcome, questionAbout } from "../support/approval-agent.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";
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

/** Starts an agent with the host tool `act`. */
async function start(mode: string, approval: string, fields: object = {}): Promise<void> {
  agent = new AgentUnderTest({ modelUrl: model.url, args: ["--no-session", "--permission-mode", mode] });
  const act = { name: "act", description: "Does something.", parameters: { type: "object" }, approval, ...fields };
  await agent.call("set_host_tools", { tools: [act] });
}

describe("a host tool that must be approved each time", () => {
  it.each(["auto", "auto-edit", "confirm"])("asks in the mode %s, and offers no rule", async (mode) => {
    await start(mode, "always");
    const question = await questionAbout(agent, model, "act", {});
    expect(question.options).toEqual(["Allow once", "Deny"]);
    agent.send({ type: "extension_ui_response", id: question.id, value: "Deny" });
    await agent.settled();
    expect(outcome(agent.frames)).toEqual({ isError: true, text: "Blocked by user: act" });
  });

  it("is refused in the mode readonly", async () => {
    await start("readonly", "always");
    model.enqueue(reply([toolCall("act", {})], { stopReason: "tool_use" }), reply("ok"));
    expect(outcome(await agent.run("go"))).toEqual({
      isError: true,
      text: "Blocked: act is not allowed in read-only mode",
    });
  });
});

describe("a host tool that is approved like a change of files", () => {
  it("runs without a question in auto-edit when it touches no file, but not in confirm", async () => {
    await start("auto-edit", "edit", { paths: [] });
    model.enqueue(reply([toolCall("act", {})], { stopReason: "tool_use" }), reply("ok"));
    await agent.call("prompt", { message: "go" });
    const call = await agent.waitFor(({ type }) => type === "host_tool_call");
    agent.send({ type: "host_tool_result", id: call.id, result: { content: [] } });
    await agent.settled();
    expect(agent.frames.some(({ method }) => method === "select")).toBe(false);
    await agent.call("set_permission_mode", { mode: "confirm", enforce: true });
    const question = await questionAbout(agent, model, "act", {});
    expect(question.title).toBe("Allow act? {}");
    agent.send({ type: "extension_ui_response", id: question.id, value: "Deny" });
    await agent.settled(agent.frames.indexOf(question));
  });
});
