import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkRuns } from "../support/run-grammar.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { httpError, reply, text, thinking, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let agentDir: string;
let agent: AgentUnderTest;

beforeEach(async () => {
  model = await ScriptedModel.start();
  agentDir = mkdtempSync(join(tmpdir(), "tiller-fallback-"));
});

afterEach(async () => {
  await agent.dispose();
  rmSync(agentDir, { recursive: true, force: true });
  await model.stop();
});

function start(fallbackModels: string[], retry: object = { maxRetries: 1, baseDelayMs: 1 }): void {
  writeFileSync(join(agentDir, "settings.json"), JSON.stringify({ fallbackModels, retry }));
  agent = new AgentUnderTest({ modelUrl: model.url, agentDir });
}

const overloaded = () => httpError(529, "overloaded_error", "Overloaded");
const asked = () => model.requests.map(({ body }) => body.model);
const notices = () => agent.frames.filter(({ method }) => method === "notify").map(({ message }) => String(message));
const selected = async () => asRecord((await agent.call("get_state")).model).id;

describe("fallbackModels", () => {
  it("continue after the last retry of an overloaded model, and the chat says so", async () => {
    start(["sonnet-5-5:high", "haiku-5-5"]);
    model.enqueue(overloaded(), overloaded(), reply("Here it is."));
    const frames = await agent.run("go");
    expect(asked()).toEqual(["claude-opus-5-5", "claude-opus-5-5", "claude-sonnet-5-5"]);
    expect(checkRuns(frames)).toBe(1);
    expect(frames.findLast(({ type }) => type === "message_end")?.message).toMatchObject({
      model: "claude-sonnet-5-5",
      thinkingLevel: "high",
    });
    expect(notices()).toEqual([
      expect.stringMatching(/is overloaded.*Claude Sonnet 5\.5 continues, .*"fallbackModels"/),
    ]);
    expect(await selected()).toBe("claude-sonnet-5-5");
    expect(frames.find(({ type }) => type === "entry_appended")?.entry).toMatchObject({
      customType: "tiller.fallback",
      data: { from: "anthropic/claude-opus-5-5", to: "anthropic/claude-sonnet-5-5" },
    });
  });

  it.each([
    ["exhausted credits", httpError(400, "invalid_request_error", "Your credit balance is too low")],
    ["a status 402", httpError(402, "billing_error", "Pay")],
    ["a limit that takes too long to wait for", httpError(429, "rate_limit_error", "Slow", { "retry-after": "3600" })],
    ["a service that is unavailable", httpError(503, "api_error", "Unavailable")],
  ])("continue at once or after retries with %s", async (_, failure) => {
    start(["sonnet-5-5"], { maxRetries: 0 });
    model.enqueue(failure, reply("Here it is."));
    await agent.run("go");
    expect(asked()).toEqual(["claude-opus-5-5", "claude-sonnet-5-5"]);
  });

  it("are tried in order, each once, without those that have no key", async () => {
    start(["opus-5-5", "vscode/none", "sonnet-5-5", "haiku-5-5"], { maxRetries: 0 });
    model.enqueue(overloaded(), overloaded(), overloaded());
    const frames = await agent.run("go");
    expect(asked()).toEqual(["claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"]);
    expect(frames.findLast(({ type }) => type === "message_end")?.message).toMatchObject({ stopReason: "error" });
    expect(checkRuns(frames)).toBe(1);
  });

  it("don't continue after an error that another model can't help with", async () => {
    start(["sonnet-5-5"]);
    model.enqueue(httpError(401, "authentication_error", "invalid x-api-key"));
    await agent.run("go");
    expect(asked()).toEqual(["claude-opus-5-5"]);
  });

  it("get the conversation in the middle of a turn, without the thinking of the other model", async () => {
    start(["haiku-4-5:high"], { maxRetries: 0 });
    model.enqueue(reply([thinking("Opus thinks."), text("Looking."), toolCall("ls")]), overloaded(), reply("Done."));
    await agent.run("go");
    const last = model.requests.at(-1)?.body;
    expect(last?.model).toBe("claude-haiku-4-5");
    expect(JSON.stringify(last?.messages)).not.toContain("Opus thinks.");
    expect(last?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(model.rejections).toEqual([]);
  });
});
