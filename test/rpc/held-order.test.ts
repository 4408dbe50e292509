import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkRuns } from "../support/run-grammar.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { gate, reply, text } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let agent: AgentUnderTest;

beforeEach(async () => {
  model = await ScriptedModel.start();
  agent = new AgentUnderTest({ modelUrl: model.url });
  await agent.call("get_state");
});

afterEach(async () => {
  await agent.dispose();
  await model.close();
});

function sendTogether(...commands: object[]): void {
  agent.write(commands.map((command) => `${JSON.stringify(command)}\n`).join(""));
}

function userTexts(): string[] {
  return agent.frames.flatMap((frame) => {
    const { role, content } = asRecord(frame.message);
    if (frame.type !== "message_end" || role !== "user" || !Array.isArray(content)) return [];
    return content.map((block: unknown) => String(asRecord(block).text));
  });
}

function settled(): unknown[] {
  return agent.frames.filter(({ type }) => type === "agent_settled").map(({ aborted }) => aborted);
}

function untilSettled(count: number): Promise<true> {
  return agent.until(() => settled().length === count || undefined, "the end of the runs");
}

describe("held prompts", () => {
  it("dropped during another run are settled after it, not in the middle of it", async () => {
    const held = gate();
    model.enqueue(reply([text("Working"), held]));
    sendTogether(
      { type: "compact" },
      { type: "abort_and_prompt", message: "first" },
      { id: "p", type: "prompt", message: "held" },
    );
    await held.reached.promise;
    expect(agent.frames.find(({ id }) => id === "p")).toMatchObject({ data: { disposition: "queued" } });
    expect(await agent.call("clear_queue")).toEqual({ steering: [], followUp: ["held"] });
    expect(settled()).toEqual([]);
    held.release();
    await untilSettled(2);
    expect(settled()).toEqual([false, true]);
    expect(checkRuns(agent.frames)).toBe(2);
  });

  it("run in the order in which they arrived, even when the session is replaced between them", async () => {
    model.enqueue(reply("ok"), reply("ok"), reply("ok"));
    sendTogether(
      { type: "compact" },
      { type: "abort_and_prompt", message: "first" },
      { type: "prompt", message: "second" },
      { type: "new_session" },
      { type: "prompt", message: "third" },
    );
    await untilSettled(3);
    expect(userTexts().filter((said) => said !== "first")).toEqual(["second", "third"]);
    expect(checkRuns(agent.frames)).toBe(3);
  });
});
