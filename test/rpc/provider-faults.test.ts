import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { checkRuns } from "../support/run-grammar.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import {
  cutMidStream,
  garbage,
  hang,
  httpError,
  reply,
  streamError,
  text,
  toolCall,
} from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord, type Frame } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let agent: AgentUnderTest;

beforeEach(async () => {
  model = await ScriptedModel.start();
  agent = new AgentUnderTest({ modelUrl: model.url });
  await agent.call("set_auto_retry", { enabled: false });
});

afterEach(async () => {
  await agent.dispose();
  await model.stop();
});

function finalMessage(frames: readonly Frame[]): Record<string, unknown> {
  return asRecord(frames.findLast(({ type }) => type === "turn_end")?.message);
}

/** The process is well: it takes another prompt. */
async function expectAlive(): Promise<void> {
  model.enqueue(reply("Well"));
  await agent.run("are you well?");
  expect(await agent.call("get_last_assistant_text")).toEqual({ text: "Well" });
  expect(checkRuns(agent.frames)).toBeGreaterThan(1);
}

describe("a provider", () => {
  it("that never answers is released by abort", async () => {
    const silent = hang();
    model.enqueue(silent);
    await agent.call("prompt", { message: "go" });
    // An abort that comes before the request would have nothing to let go.
    await vi.waitFor(() => expect(model.requests).toHaveLength(1), 15_000);
    await agent.call("abort");
    await silent.clientClosed.promise;
    expect(finalMessage(agent.frames)).toMatchObject({ stopReason: "aborted" });
    await expectAlive();
  });

  it.each([
    [
      "cuts the connection before its first word",
      () => cutMidStream(),
      /Lost the connection to .* during the response/,
    ],
    [
      "cuts it in the middle of a text",
      () => cutMidStream([text("Half")]),
      /Lost the connection to .* during the response/,
    ],
    [
      "cuts it behind a tool call",
      () => cutMidStream([toolCall("bash", { command: "touch x" })]),
      /Lost the connection/,
    ],
    [
      "sends bytes that are no events",
      () => garbage(Buffer.alloc(4096, 0xfe)),
      /returned something other than a message/,
    ],
    [
      "sends a page instead of events",
      () => garbage("<html>Welcome to the hotel</html>", "text/html"),
      /returned something other than a message/,
    ],
    ["sends events that are no JSON", () => garbage("event: message_start\ndata: {oops\n\n"), /event that is not JSON/],
    [
      "sends events of the wrong shape",
      () => garbage('event: message_start\ndata: {"type":"message_start"}\n\n'),
      /event of the wrong shape/,
    ],
    ["reports an error in the middle", () => streamError("api_error", "Broken", [text("Half")]), /api_error: Broken/],
    [
      "does not take the key",
      () => httpError(401, "authentication_error", "invalid x-api-key"),
      /rejected the API key .*Set API Key/,
    ],
    [
      "has no money left",
      () => httpError(402, "billing_error", "Your credit balance is too low"),
      /Check your plan, credits/,
    ],
    [
      "doesn't know the model",
      () => httpError(404, "not_found_error", "model: x"),
      /doesn't know the model .*Select another/,
    ],
  ])("that %s ends the run with a message that says so", async (_, makeReply, said) => {
    model.enqueue(makeReply());
    const frames = await agent.run("go");
    const message = finalMessage(frames);
    expect(message).toMatchObject({ stopReason: "error", errorMessage: expect.stringMatching(said) });
    expect(agent.types(frames)).not.toContain("tool_execution_start");
    expect(agent.stderr).toBe("");
    await expectAlive();
  });

  it.each([
    ["auth", () => httpError(401, "authentication_error", "invalid x-api-key")],
    ["quota", () => httpError(402, "billing_error", "Your credit balance is too low")],
  ])("that fails has the kind of its failure beside the text: %s", async (errorKind, makeReply) => {
    model.enqueue(makeReply());
    expect(finalMessage(await agent.run("go"))).toMatchObject({ stopReason: "error", errorKind });
  });

  it("that sends 10 MB in one event is read to the end", async () => {
    await agent.call("set_stream_options", { messageUpdate: "delta" });
    model.enqueue(reply("x".repeat(10_000_000)));
    await agent.run("go");
    const { text: last } = await agent.call("get_last_assistant_text");
    expect(String(last)).toHaveLength(10_000_000);
  });

  it("that does not listen is named with its address", async () => {
    const gone = await ScriptedModel.start();
    await gone.stop();
    const lonely = new AgentUnderTest({ modelUrl: gone.url });
    try {
      await lonely.call("set_auto_retry", { enabled: false });
      const frames = await lonely.run("go");
      expect(finalMessage(frames).errorMessage).toBe(
        `Couldn't reach ${new URL(gone.url).host}: connection refused (ECONNREFUSED). Check your network and the address.`,
      );
      expect(await lonely.call("get_state")).toMatchObject({ isStreaming: false });
    } finally {
      await lonely.dispose();
    }
  });
});
