import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answer, callUnasked, questionAbout } from "../support/approval-agent.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";

let model: ScriptedModel;
const agents: AgentUnderTest[] = [];

beforeEach(async () => {
  model = await ScriptedModel.start();
});

afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.dispose();
  await model.stop();
});

function start(): AgentUnderTest {
  const agent = new AgentUnderTest({ modelUrl: model.url, args: ["--no-session", "--permission-mode", "confirm"] });
  agents.push(agent);
  return agent;
}

const npm = { command: "npm run build --version" };

describe("add_approval_rules", () => {
  it("allow the next process of a session what the previous one was allowed, and end with the session", async () => {
    const before = start();
    const question = await questionAbout(before, model, "bash", npm);
    await answer(before, question, { value: "Allow for this session: bash npm run *" });
    const { rules } = await before.call("get_approval_rules");
    await before.end();
    const after = start();
    await after.call("add_approval_rules", { rules });
    await after.call("add_approval_rules", { rules });
    expect((await after.call("get_approval_rules")).rules).toEqual(rules);
    expect(await callUnasked(after, model, "bash", npm)).toMatchObject({ isAsked: false });
    await after.call("new_session");
    expect((await after.call("get_approval_rules")).rules).toEqual([]);
  });

  it("are refused when they outlast the session", async () => {
    const agent = start();
    const rule = {
      id: "r",
      scope: "always",
      tool: "bash",
      pattern: "npm *",
      text: "bash npm *",
      createdAt: 1,
      uses: 0,
    };
    expect(await agent.request("add_approval_rules", { rules: [rule] })).toMatchObject({
      success: false,
      code: "invalid_request",
      error: "Only rules of the session can be handed over.",
    });
    expect((await agent.call("get_approval_rules")).rules).toEqual([]);
  });
});
