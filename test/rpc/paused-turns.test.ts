import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkRuns } from "../support/run-grammar.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, text, thinking, toolCall, webSearch } from "../support/scripted-replies.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";

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

const PAUSED = { stopReason: "pause_turn" };
const lastMessage = () => model.requests.at(-1)?.body.messages.at(-1);

describe("a response that the model pauses", () => {
  it("goes on with the same content, in the same run", async () => {
    model.enqueue(reply([thinking("Hm."), text("First half, \n")], PAUSED), reply("second half."));
    const frames = await agent.run("go");
    expect(lastMessage()).toMatchObject({
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Hm." },
        { type: "text", text: "First half," },
      ],
    });
    expect(checkRuns(frames)).toBe(1);
    expect(agent.types(frames).filter((type) => type === "turn_end")).toHaveLength(2);
    expect(await agent.call("get_last_assistant_text")).toMatchObject({ text: "second half." });
  });

  it("is one turn of the model in later requests", async () => {
    model.enqueue(reply("One", PAUSED), reply("two"), reply("three"));
    await agent.run("go");
    await agent.run("and?");
    const roles = model.requests.at(-1)?.body.messages.map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "user"]);
  });

  it("is told to continue when it used a tool of the service, which can't be sent back", async () => {
    model.enqueue(reply([text("Searching"), ...webSearch("news", []).slice(0, 1)], PAUSED), reply("Found it."));
    await agent.run("go");
    expect(lastMessage()).toMatchObject({ role: "user", content: [{ type: "text", text: "Continue." }] });
  });

  it("gets the results of its calls instead, if it made some", async () => {
    model.enqueue(reply([text("Looking"), toolCall("ls")], PAUSED), reply("Done."));
    await agent.run("go");
    expect(lastMessage()).toMatchObject({ role: "user", content: [{ type: "tool_result" }] });
  });

  it("is not asked to go on for ever", async () => {
    for (let count = 0; count < 11; count += 1) model.enqueue(reply(`Part ${count}.`, PAUSED));
    await agent.run("go");
    expect(model.requests).toHaveLength(11);
  });

  it("without content ends the run", async () => {
    model.enqueue(reply([], PAUSED));
    await agent.run("go");
    expect(model.requests).toHaveLength(1);
  });
});

describe("a response that the model refuses", () => {
  it("ends the run, and says why and what helps", async () => {
    model.enqueue(reply("I", { stopReason: "refusal", explanation: "This asks for malware" }));
    const frames = await agent.run("go");
    expect(frames.findLast(({ type }) => type === "message_end")?.message).toMatchObject({
      stopReason: "error",
      errorMessage: expect.stringMatching(/^The model declined to respond: This asks for malware\. Rephrase/),
    });
    expect(agent.types(frames)).not.toContain("auto_retry_start");
  });
});
