import { readFileSync, statSync } from "node:fs";
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

/** Has the model call a tool of the host, which answers with `frame`. @returns the result's text, as the model gets it. */
async function resultSent(frame: object): Promise<string> {
  const tool = { name: "fetch_log", description: "Fetches a log.", parameters: { type: "object" } };
  await agent.call("set_host_tools", { tools: [tool] });
  model.enqueue(reply([toolCall("fetch_log", {})], { stopReason: "tool_use" }), reply("ok"));
  await agent.call("prompt", { message: "go" });
  const { id } = await agent.waitFor(({ type }) => type === "host_tool_call");
  agent.send({ type: "host_tool_result", id, ...frame });
  await agent.settled();
  const [block] = model.requests[1]?.body.messages.at(-1)?.content ?? [];
  const { content } = asRecord(block);
  return Array.isArray(content) ? content.map((part) => String(asRecord(part).text)).join("|") : String(content);
}

function fileNamed(text: string): string {
  return /Full result: (\S+)\]/.exec(text)?.[1] ?? "";
}

describe("a long result of a host's tool", () => {
  it("is sent with its beginning, its end, and a file with all of it", async () => {
    const lines = Array.from({ length: 50_000 }, (_, at) => `line ${at} ${"x".repeat(30)}`);
    const whole = lines.join("\n");
    const text = await resultSent({ result: { content: [{ type: "text", text: whole }] } });
    expect(Buffer.byteLength(text)).toBeLessThan(55_000);
    expect(text.startsWith("line 0 x")).toBe(true);
    expect(text.endsWith(lines.at(-1) ?? "?")).toBe(true);
    expect(text).toContain("[The middle of the result is left out: it has 2.0MB, 50000 lines. Full result: ");
    const file = fileNamed(text);
    expect(readFileSync(file, "utf8")).toBe(whole);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("of one line is cut inside it", async () => {
    const whole = `{"a":"${"é".repeat(100_000)}"}`;
    const text = await resultSent({ result: { content: [{ type: "text", text: whole }] } });
    expect(text.startsWith('{"a":"éé')).toBe(true);
    expect(text.endsWith('éé"}')).toBe(true);
    expect(text).not.toContain("\ufffd");
    expect(readFileSync(fileNamed(text), "utf8")).toBe(whole);
  });

  it("that is a failure is cut as well", async () => {
    const text = await resultSent({ isError: true, error: "broken ".repeat(50_000) });
    expect(Buffer.byteLength(text)).toBeLessThan(55_000);
    expect(text).toContain("Full result: ");
  });

  it("that is no longer than the agent's own tools allow stays as it is", async () => {
    const whole = "x".repeat(51_200);
    expect(await resultSent({ result: { content: [{ type: "text", text: whole }] } })).toBe(whole);
  });
});
