import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadSettings } from "../../agent/config/settings.ts";
import { ProviderError } from "../../agent/providers/provider.ts";
import { retryDelay } from "../../agent/session/retry.ts";
import { checkRuns } from "../support/run-grammar.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { cutMidStream, gate, httpError, reply, text } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let agentDir: string;
let agent: AgentUnderTest;

beforeEach(async () => {
  model = await ScriptedModel.start();
  agentDir = mkdtempSync(join(tmpdir(), "tiller-retry-"));
});

afterEach(async () => {
  await agent?.dispose();
  rmSync(agentDir, { recursive: true, force: true });
  await model.stop();
});

function start(baseDelayMs: number): void {
  writeFileSync(join(agentDir, "settings.json"), JSON.stringify({ retry: { baseDelayMs } }));
  agent = new AgentUnderTest({ modelUrl: model.url, agentDir });
}

const overloaded = () => httpError(529, "overloaded_error", "Overloaded");

describe("the command retry", () => {
  const calm = async () => {
    start(1);
    await agent.call("set_auto_retry", { enabled: false });
  };

  it("asks again for the failed answer, without a message", async () => {
    await calm();
    model.enqueue(overloaded(), reply("Here it is."));
    await agent.run("go");
    const before = agent.frames.length;
    expect(await agent.call("retry")).toEqual({ disposition: "started" });
    await agent.settled(before);
    expect(checkRuns(agent.frames)).toBe(2);
    const [first, second] = model.requests.map(({ body }) => body.messages);
    expect(second).toEqual(first);
    const { messages } = await agent.call("get_messages");
    const roles = Array.isArray(messages) ? messages.map((message) => asRecord(message).role) : [];
    expect(roles).toEqual(["user", "assistant", "assistant"]);
  });

  it("is refused when no answer is owed, and while a run is active", async () => {
    await calm();
    const refusal = { success: false, code: "invalid_request", error: expect.stringContaining("nothing to retry") };
    expect(await agent.request("retry")).toMatchObject(refusal);
    const hold = gate();
    model.enqueue(reply([hold, text("done")]));
    await agent.call("prompt", { message: "go" });
    await hold.reached.promise;
    expect(await agent.request("retry")).toMatchObject({ success: false, code: "busy" });
    hold.release();
    await agent.settled();
    expect(await agent.request("retry")).toMatchObject(refusal);
  });
});

describe("automatic retries", () => {
  it("wait two seconds by default, and twice as long each time", async () => {
    start(1);
    const { retry } = await loadSettings({
      agentDir: "/nowhere",
      projectDir: "/nowhere",
      isProjectTrusted: false,
      warn,
    });
    const error = new ProviderError("overloaded", "Overloaded");
    const delays = [1, 2, 3, 4].map((attempt) => retryDelay(error, attempt, retry));
    expect(delays).toEqual([2000, 4000, 8000, undefined]);
  });

  it("stop after the last attempt, with the reason", async () => {
    start(4);
    model.enqueue(overloaded(), overloaded(), overloaded(), overloaded());
    const frames = await agent.run("go");
    const starts = frames.filter(({ type }) => type === "auto_retry_start");
    expect(starts.map(({ attempt, delayMs }) => [attempt, delayMs])).toEqual([
      [1, 4],
      [2, 8],
      [3, 16],
    ]);
    const last = frames.slice(-3);
    expect(last).toMatchObject([
      { type: "agent_end", willRetry: false },
      { type: "auto_retry_end", success: false, attempt: 3, finalError: expect.stringContaining("is overloaded") },
      { type: "agent_settled", aborted: false },
    ]);
    expect(checkRuns(frames)).toBe(1);
  });

  it("are off after set_auto_retry", async () => {
    start(1);
    await agent.call("set_auto_retry", { enabled: false });
    expect(await agent.call("get_state")).toMatchObject({ autoRetryEnabled: false });
    model.enqueue(overloaded());
    const frames = await agent.run("go");
    expect(agent.types(frames)).not.toContain("auto_retry_start");
    expect(asRecord(frames.find(({ type }) => type === "turn_end")?.message)).toMatchObject({ stopReason: "error" });
  });

  it("end with abort_retry during a wait, which does nothing otherwise", async () => {
    start(60_000);
    await agent.call("abort_retry");
    model.enqueue(overloaded());
    await agent.call("prompt", { message: "go" });
    await agent.waitFor(({ type }) => type === "auto_retry_start");
    expect(await agent.call("get_state")).toMatchObject({ isStreaming: true, isRetrying: true });
    const from = agent.frames.length;
    await agent.call("abort_retry");
    await agent.settled();
    expect(agent.frames.slice(from).filter(({ type }) => type !== "response")).toMatchObject([
      { type: "auto_retry_end", success: false, finalError: "Retry cancelled", aborted: true },
      { type: "agent_settled" },
    ]);
    expect(checkRuns(agent.frames)).toBe(1);
  });

  it("show the model no failed attempt", async () => {
    start(1);
    model.enqueue(cutMidStream([text("Half an answer")]), reply("Whole"), reply("More"));
    await agent.run("one");
    await agent.run("two");
    const roles = model.requests.map(({ body }) => body.messages.map(({ role }) => role).join(" "));
    expect(roles).toEqual(["user", "user", "user assistant user"]);
    expect(JSON.stringify(model.requests[2]?.body.messages)).not.toContain("Half an answer");
  });

  it("wait no longer than the user allows", async () => {
    start(1);
    model.enqueue(httpError(429, "rate_limit_error", "Slow down", { "retry-after": "3600" }));
    const frames = await agent.run("go");
    expect(agent.types(frames)).not.toContain("auto_retry_start");
  });
});

function warn(message: string): void {
  throw new Error(message);
}
