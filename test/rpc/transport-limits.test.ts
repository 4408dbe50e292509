import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

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

function responses(): unknown[] {
  return agent.frames.filter(({ type }) => type === "response").map(({ id }) => id);
}

/** Processor time that the agent has used, in milliseconds: it does not depend on what else the machine does. */
function processorMs(): number {
  const fields = readFileSync(`/proc/${agent.child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  const MS_PER_TICK = 10;
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

describe("stdout", () => {
  it("carries one JSON object per line, whatever tools and commands print", async () => {
    model.enqueue(
      reply([toolCall("bash", { command: "echo plain; echo '{]' >&2; printf '\\r\\n\\r'; printf 'no newline'" })]),
      reply("Done"),
    );
    await agent.run("go");
    await agent.call("bash", { command: "echo naked; printf '\\n\\n{\\n'" });
    const bytes = Buffer.concat(agent.stdout);
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const lines = text.split("\n");
    expect(lines.pop()).toBe("");
    for (const line of lines) expect(line).toMatch(/^\{.*\}$/);
    expect(lines.map((line) => asRecord(JSON.parse(line)).type)).toEqual(agent.frames.map(({ type }) => type));
    expect(bytes.includes(0x0d)).toBe(false);
  });

  it("stays valid UTF-8 when a model's arguments contain a lone surrogate", async () => {
    model.enqueue(reply([toolCall("read", '{"path":"\\ud800"}')]), reply("Done"));
    await agent.run("go");
    const raw = Buffer.concat(agent.stdout);
    expect(() => new TextDecoder("utf-8", { fatal: true }).decode(raw)).not.toThrow();
    expect(raw.toString()).toContain("\\ud800");
  });
});

describe("ids", () => {
  it("that are numbers come back as numbers, and unknown fields are ignored", async () => {
    agent.send({ id: 4.5, type: "get_state", extra: { deep: [1] }, flavour: null });
    expect(await agent.waitFor(({ type }) => type === "response")).toMatchObject({ id: 4.5, success: true });
  });

  it("that are equal each get an answer", async () => {
    agent.send({ id: "same", type: "bash", command: "echo one" });
    agent.send({ id: "same", type: "bash", command: "echo two" });
    const outputs = await agent.until(() => {
      const found = agent.frames.filter(({ type, id }) => type === "response" && id === "same");
      return found.length < 2 ? undefined : found.map((frame) => asRecord(frame.data).output);
    }, "two responses");
    expect(outputs.sort()).toEqual(["one\n", "two\n"]);
  });

  it("of 200 mixed commands each get exactly one response", async () => {
    const MIX = [
      { type: "get_state" },
      { type: "set_session_name", name: "x" },
      { type: "get_messages" },
      { type: "set_steering_mode", mode: "tea" },
      { type: "follow_up", message: "later" },
      { type: "cycle_thinking_level" },
      { type: "make_tea" },
      { type: "clear_queue" },
      { type: "new_session" },
      { type: "abort" },
    ];
    for (let id = 0; id < 200; id++) agent.send({ ...MIX[id % MIX.length], id });
    await agent.call("get_state");
    const requestIds = agent.frames.flatMap(({ requestId }) => (requestId === undefined ? [] : [requestId]));
    const ids = [...responses(), ...requestIds].filter((id) => typeof id === "number").sort((a, b) => a - b);
    expect(ids).toEqual(Array.from({ length: 200 }, (_, id) => id));
  });
});

describe("a host", () => {
  it("that asks before the agent is ready gets its answer after ready", async () => {
    agent.send({ id: "early", type: "get_state" });
    await agent.waitFor(({ id }) => id === "early");
    expect(agent.types()).toEqual(["ready", "response"]);
  });

  it("can send 20 MiB of images, which are accepted in less than two seconds", async () => {
    await agent.call("get_state");
    const data = Buffer.alloc(3 * 1024 * 1024, 7).toString("base64");
    const images = Array.from({ length: 5 }, () => ({ type: "image", data, mimeType: "image/png" }));
    model.enqueue(reply("Many dots"));
    const before = processorMs();
    const accepted = await agent.request("prompt", { message: "what is it", images });
    expect(accepted).toMatchObject({ success: true });
    expect(processorMs() - before).toBeLessThan(2000);
    await agent.settled();
    expect(await agent.call("get_last_assistant_text")).toEqual({ text: "Many dots" });
  });
});
