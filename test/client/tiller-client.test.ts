import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TillerClient } from "../../agent/client/tiller-client.ts";
import { commands } from "../../agent/protocol/commands.ts";
import { ClientBench } from "../support/client-bench.ts";
import { gate, hang, reply, text, toolCall } from "../support/scripted-replies.ts";

let bench: ClientBench;

beforeEach(async () => {
  bench = await ClientBench.open();
});

afterEach(() => bench.close());

/** Resolves when the model has begun to answer. Call it before the prompt is sent. */
function firstUpdate(tiller: TillerClient): Promise<void> {
  return new Promise((resolve) => tiller.on("message_update", () => resolve()));
}

describe("command functions", () => {
  it("exist for each command", async () => {
    const tiller = await bench.start();
    const names = Object.keys(tiller.commands).map((name) =>
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    );
    expect(names.sort()).toEqual(Object.keys(commands).sort());
  });

  it("resolve to the checked data of the answer and reject with the agent's text and code", async () => {
    const tiller = await bench.start();
    const { cwd, isStreaming } = await tiller.commands.getState();
    expect({ cwd, isStreaming }).toEqual({ cwd: bench.folder, isStreaming: false });
    await expect(tiller.commands.setModel({ provider: "x", modelId: "y" })).rejects.toMatchObject({
      name: "RequestFailed",
      message: "Model not found: x/y",
      code: "model_not_found",
    });
  });

  it("list and undo what a run has changed, which events tell of", async () => {
    const write = toolCall("write", { path: "made.txt", content: "new\n" });
    bench.model.enqueue(reply([write], { stopReason: "tool_use" }), reply("ok"));
    const tiller = await bench.start();
    const told: string[] = [];
    tiller.on("changes_update", ({ reason, count }) => told.push(`${reason} ${count}`));
    await tiller.promptAndWait("write");
    const path = join(bench.folder, "made.txt");
    const { files } = await tiller.commands.getChanges();
    expect(files).toMatchObject([{ path, kind: "created", added: 1, removed: 0 }]);
    expect(await tiller.commands.undoChanges({ paths: [path] })).toEqual({ files: [{ path, outcome: "undone" }] });
    expect(told).toEqual(["recorded 1", "undone 1"]);
  });

  it("send unknown commands as they are and reject by their requestId", async () => {
    const tiller = await bench.start();
    await expect(tiller.request("dance", { partner: 1 })).rejects.toMatchObject({
      name: "RequestFailed",
      command: "dance",
      code: "unknown_command",
    });
    await expect(tiller.request("get_last_assistant_text")).resolves.toEqual({ text: null });
  });
});

describe("promptAndWait", () => {
  it("resolves to the answer when the run is over", async () => {
    bench.model.enqueue(reply([toolCall("ls", {})], { stopReason: "tool_use" }), reply([text("two "), text("blocks")]));
    const tiller = await bench.start();
    const result = await tiller.promptAndWait("look");
    expect(result).toMatchObject({ disposition: "started", aborted: false, text: "two blocks" });
    expect(result.messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "assistant"]);
    expect((await tiller.commands.getState()).isStreaming).toBe(false);
  });

  it("rejects when the prompt is refused", async () => {
    const tiller = await bench.start();
    await expect(tiller.promptAndWait("")).rejects.toThrow('prompt: "message" must not be empty');
  });

  it("reports that the run was aborted", async () => {
    const hanging = hang({ afterBlocks: [text("so far")] });
    bench.model.enqueue(hanging);
    const tiller = await bench.start();
    const stopping: Promise<unknown>[] = [];
    tiller.on("message_update", () => void stopping.push(tiller.commands.abort()));
    expect(await tiller.promptAndWait("go")).toMatchObject({ aborted: true, answer: { stopReason: "aborted" } });
    await Promise.all(stopping);
  });

  it("waits with a queued message for the end of the run that takes it", async () => {
    const door = gate();
    bench.model.enqueue(reply([text("one"), door, text("!")]), reply("two"));
    const tiller = await bench.start();
    const first = tiller.promptAndWait("first");
    await door.reached.promise;
    const second = tiller.promptAndWait({ message: "second", streamingBehavior: "followUp" });
    await tiller.commands.getState();
    door.release();
    expect([(await first).text, await second]).toMatchObject(["two", { disposition: "queued", text: "two" }]);
  });

  it("stops waiting with the reason of the signal, and on timeout", async () => {
    bench.model.enqueue(hang({ afterBlocks: [text("so far")] }));
    const tiller = await bench.start();
    const answering = firstUpdate(tiller);
    await expect(tiller.promptAndWait("go", { timeoutMs: 20 })).rejects.toMatchObject({ name: "RequestTimeout" });
    await expect(tiller.waitForIdle({ signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
    await answering;
  });
});

describe("waitForIdle", () => {
  it("resolves at once when nothing runs, else at the end of the run", async () => {
    const door = gate();
    bench.model.enqueue(reply([text("one"), door, text("!")]));
    const tiller = await bench.start();
    await tiller.waitForIdle();
    await tiller.commands.prompt({ message: "go" });
    await door.reached.promise;
    const seen: string[] = [];
    tiller.on("agent_settled", () => seen.push("settled"));
    const idle = tiller.waitForIdle().then(() => seen.push("idle"));
    door.release();
    await idle;
    expect(seen).toEqual(["settled", "idle"]);
  });
});

describe("events", () => {
  it("reach listeners and iterators in order, until the connection is closed", async () => {
    bench.model.enqueue(reply("hello"));
    const tiller = await bench.start();
    const heard: string[] = [];
    const off = tiller.listen(({ type }) => heard.push(type));
    const iterator = tiller.events();
    await tiller.promptAndWait("go");
    off();
    await tiller.stop();
    const read: string[] = [];
    for await (const { type } of iterator) read.push(type);
    expect(read).toEqual(heard);
    expect([read[0], read.at(-1)]).toEqual(["agent_start", "agent_settled"]);
  });

  it("end for an iterator whose signal aborts or whose loop is left", async () => {
    const tiller = await bench.start();
    const controller = new AbortController();
    const iterator = tiller.events(controller.signal);
    const next = iterator.next();
    controller.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    await tiller.commands.setSessionName({ name: "n" });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });

  it("throw in an iterator when the agent dies", async () => {
    const tiller = await bench.startAsking();
    const iterator = tiller.events();
    const read = (async () => {
      for await (const event of iterator) void event;
    })();
    void tiller.request("exit").catch(() => {});
    await expect(read).rejects.toMatchObject({ name: "AgentExited", exitCode: 7 });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });
});

describe("the end of a client", () => {
  it("settles everything that waits, with a reason, when the process ends", async () => {
    const tiller = await bench.startAsking();
    const waiting = [
      tiller.request("silent"),
      tiller.promptAndWait("go"),
      tiller.waitForIdle(),
      tiller.request("exit"),
    ];
    const outcomes = await Promise.allSettled(waiting);
    expect(outcomes.map((outcome) => outcome.status === "rejected" && String(outcome.reason?.name))).toContain(
      "AgentExited",
    );
    expect(outcomes.every(({ status }) => status === "rejected")).toBe(true);
    expect(await tiller.closed).toMatchObject({ name: "AgentExited", exitCode: 7 });
  });

  it("rejects everything that waits with ConnectionClosed after stop()", async () => {
    bench.model.enqueue(hang({ afterBlocks: [text("so far")] }));
    const tiller = await bench.start();
    const answering = firstUpdate(tiller);
    const waiting = tiller.promptAndWait("go");
    const ended = expect(waiting).rejects.toMatchObject({ name: "ConnectionClosed" });
    await answering;
    await tiller.stop();
    await ended;
    expect(await tiller.closed).toMatchObject({ name: "ConnectionClosed" });
    await expect(tiller.commands.getState()).rejects.toMatchObject({ name: "ConnectionClosed" });
  });
});
