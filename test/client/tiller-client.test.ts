import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CustomTool } from "../../agent/client/custom-tools.ts";
import { startTiller, type TillerClient, type TillerOptions } from "../../agent/client/tiller-client.ts";
import { commands } from "../../agent/protocol/commands.ts";
import type { AgentEvent } from "../../agent/protocol/events.ts";
import { fixtureAgent } from "../support/fixture-agent.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { gate, hang, reply, text, toolCall } from "../support/scripted-replies.ts";
import { BUILT_AGENT } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let folder: string;
const started: TillerClient[] = [];

beforeEach(async () => {
  model = await ScriptedModel.start();
  folder = mkdtempSync(join(tmpdir(), "tiller-client-"));
});

afterEach(async () => {
  await Promise.all(started.splice(0).map((tiller) => tiller.stop()));
  rmSync(folder, { recursive: true, force: true });
  await model.stop();
});

async function start(options: TillerOptions = {}): Promise<TillerClient> {
  const tiller = await startTiller({
    command: { file: process.execPath, args: [BUILT_AGENT] },
    args: ["--no-session"],
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      PI_CODING_AGENT_DIR: join(folder, "agent"),
      ANTHROPIC_API_KEY: "test-key",
      ANTHROPIC_BASE_URL: model.url,
    },
    ...options,
  });
  started.push(tiller);
  return tiller;
}

/** A small program that asks as soon as it is ready and repeats what the host answers as names of the session. */
function startAsking(options: TillerOptions = {}): Promise<TillerClient> {
  const { file, args } = fixtureAgent("asks-the-host");
  return start({ command: { file, args }, args: [], ...options });
}

/** Resolves to the frames that the host wrote, once there are `count` of them. */
function answers(count: number): { seen: Promise<unknown[]>; onEvent: (event: AgentEvent) => void } {
  const frames: unknown[] = [];
  let resolve: (frames: unknown[]) => void = () => {};
  const seen = new Promise<unknown[]>((done) => {
    resolve = done;
  });
  const onEvent = (event: AgentEvent) => {
    if (event.type === "session_info_changed") frames.push(JSON.parse(event.name ?? ""));
    if (frames.length === count) resolve(frames);
  };
  return { seen, onEvent };
}

/** Resolves when the model has begun to answer. Call it before the prompt is sent. */
function firstUpdate(tiller: TillerClient): Promise<void> {
  return new Promise((resolve) => tiller.on("message_update", () => resolve()));
}

const PICK = { name: "pick", description: "Picks a colour.", parameters: { type: "object" } };

describe("commands", () => {
  it("have one function each", async () => {
    const tiller = await start();
    const names = Object.keys(tiller.commands).map((name) =>
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    );
    expect(names.sort()).toEqual(Object.keys(commands).sort());
  });

  it("resolve to the checked data of the answer and reject with the agent's text and code", async () => {
    const tiller = await start();
    const { cwd, isStreaming } = await tiller.commands.getState();
    expect({ cwd, isStreaming }).toEqual({ cwd: folder, isStreaming: false });
    await expect(tiller.commands.setModel({ provider: "x", modelId: "y" })).rejects.toMatchObject({
      name: "RequestFailed",
      message: "Model not found: x/y",
      code: "model_not_found",
    });
  });

  it("that the client does not know are sent as they are and rejected by their requestId", async () => {
    const tiller = await start();
    await expect(tiller.request("dance", { partner: 1 })).rejects.toMatchObject({
      name: "RequestFailed",
      command: "dance",
      code: "unknown_command",
    });
    await expect(tiller.request("get_last_assistant_text")).resolves.toEqual({ text: null });
  });
});

describe("promptAndWait", () => {
  it("resolves to what was said when the run is over", async () => {
    model.enqueue(reply([toolCall("ls", {})], { stopReason: "tool_use" }), reply([text("two "), text("blocks")]));
    const tiller = await start();
    const result = await tiller.promptAndWait("look");
    expect(result).toMatchObject({ disposition: "started", aborted: false, text: "two blocks" });
    expect(result.messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "assistant"]);
    expect((await tiller.commands.getState()).isStreaming).toBe(false);
  });

  it("rejects when the prompt is refused", async () => {
    const tiller = await start();
    await expect(tiller.promptAndWait("")).rejects.toThrow('prompt: "message" must not be empty');
  });

  it("tells that the run was aborted", async () => {
    const hanging = hang({ afterBlocks: [text("so far")] });
    model.enqueue(hanging);
    const tiller = await start();
    tiller.on("message_update", () => void tiller.commands.abort());
    expect(await tiller.promptAndWait("go")).toMatchObject({ aborted: true, answer: { stopReason: "aborted" } });
  });

  it("waits with a queued message for the end of the run that takes it", async () => {
    const door = gate();
    model.enqueue(reply([text("one"), door, text("!")]), reply("two"));
    const tiller = await start();
    const first = tiller.promptAndWait("first");
    await door.reached.promise;
    const second = tiller.promptAndWait({ message: "second", streamingBehavior: "followUp" });
    await tiller.commands.getState();
    door.release();
    expect([(await first).text, await second]).toMatchObject(["two", { disposition: "queued", text: "two" }]);
  });

  it("stops waiting with the reason of the signal, and when the time is up", async () => {
    model.enqueue(hang({ afterBlocks: [text("so far")] }));
    const tiller = await start();
    const answering = firstUpdate(tiller);
    await expect(tiller.promptAndWait("go", { timeoutMs: 20 })).rejects.toMatchObject({ name: "RequestTimeout" });
    await expect(tiller.waitForIdle({ signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
    await answering;
  });
});

describe("waitForIdle", () => {
  it("resolves at once when nothing runs, else at the end of the run", async () => {
    const door = gate();
    model.enqueue(reply([text("one"), door, text("!")]));
    const tiller = await start();
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
    model.enqueue(reply("hello"));
    const tiller = await start();
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
    const tiller = await start();
    const controller = new AbortController();
    const iterator = tiller.events(controller.signal);
    const next = iterator.next();
    controller.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    await tiller.commands.setSessionName({ name: "n" });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });

  it("make an iterator throw when the agent dies", async () => {
    const tiller = await startAsking();
    const iterator = tiller.events();
    const read = (async () => {
      for await (const event of iterator) void event;
    })();
    void tiller.request("exit").catch(() => {});
    await expect(read).rejects.toMatchObject({ name: "AgentExited", exitCode: 7 });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });
});

describe("setCustomTools", () => {
  it("runs a tool with its arguments, forwards its updates and gives its result to the model", async () => {
    const tool: CustomTool = {
      ...PICK,
      run: async ({ shade }, { toolCallId, update }) => {
        update("asking");
        return { content: [{ type: "text", text: `${shade} teal` }], details: { toolCallId } };
      },
    };
    model.enqueue(reply([toolCall("pick", { shade: "dark" }, { id: "t1" })], { stopReason: "tool_use" }), reply("ok"));
    const tiller = await start();
    const updates: unknown[] = [];
    tiller.on("tool_execution_update", ({ partialResult }) => updates.push(partialResult));
    await tiller.setCustomTools([tool]);
    const { messages } = await tiller.promptAndWait("go");
    expect(messages[2]).toMatchObject({
      role: "toolResult",
      content: [{ type: "text", text: "dark teal" }],
      details: { toolCallId: "t1" },
      isError: false,
    });
    expect(updates).toMatchObject([{ content: [{ type: "text", text: "asking" }] }]);
  });

  it("turns what a tool throws into an error result", async () => {
    const tool: CustomTool = {
      ...PICK,
      run: () => {
        throw new Error("no colours left");
      },
    };
    model.enqueue(reply([toolCall("pick", {})], { stopReason: "tool_use" }), reply("ok"));
    const tiller = await start();
    await tiller.setCustomTools([tool]);
    const { messages } = await tiller.promptAndWait("go");
    expect(messages[2]).toMatchObject({ isError: true, content: [{ type: "text", text: "no colours left" }] });
  });

  it("aborts a tool's signal when the run is aborted, and drops its late result", async () => {
    model.enqueue(reply([toolCall("pick", {})], { stopReason: "tool_use" }));
    const tiller = await start();
    let reason: unknown;
    const run: CustomTool["run"] = async (_args, { signal, update }) => {
      const aborted = new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => {
          reason = signal.reason;
          resolve();
        });
      });
      void tiller.commands.abort();
      await aborted;
      update("too late");
      return "too late";
    };
    await tiller.setCustomTools([{ ...PICK, run }]);
    const { aborted, messages } = await tiller.promptAndWait("go");
    expect([aborted, messages[2]]).toMatchObject([true, { content: [{ text: 'Host tool "pick" was aborted' }] }]);
    expect(reason).toMatchObject({ message: "The agent cancelled this tool call." });
  });

  it("keeps the old tools when the new ones are refused", async () => {
    const tiller = await start();
    await tiller.setCustomTools([{ ...PICK, run: () => "old" }]);
    const refused = tiller.setCustomTools([{ ...PICK, description: "", run: () => "new" }]);
    await expect(refused).rejects.toThrow('Host tool "pick" must provide a non-empty description');
    model.enqueue(reply([toolCall("pick", {})], { stopReason: "tool_use" }), reply("ok"));
    const { messages } = await tiller.promptAndWait("go");
    expect(messages[2]).toMatchObject({ content: [{ type: "text", text: "old" }] });
  });
});

describe("dialogs", () => {
  it("without callbacks are answered as cancelled, and a call for an unknown tool fails", async () => {
    const { seen, onEvent } = answers(4);
    await startAsking({ onEvent });
    expect(await seen).toEqual([
      {
        type: "host_tool_result",
        id: "h0",
        result: { content: [{ type: "text", text: 'The host has no tool "nobody".' }] },
        isError: true,
      },
      { type: "extension_ui_response", id: "d1", cancelled: true },
      { type: "extension_ui_response", id: "d2", cancelled: true },
      { type: "extension_ui_response", id: "d3", cancelled: true },
    ]);
  });

  it("are asked by callbacks, whose signals abort when time is up or the agent withdraws the question", async () => {
    const { seen, onEvent } = answers(4);
    const ended: unknown[] = [];
    const notices: string[] = [];
    const until = (name: string, signal: AbortSignal) =>
      new Promise<string>((resolve) => {
        signal.addEventListener("abort", () => {
          ended.push([name, signal.reason instanceof Error && signal.reason.message]);
          resolve("too late");
        });
      });
    await startAsking({
      onEvent,
      onNotice: ({ method }) => notices.push(method),
      dialogs: {
        select: ({ options }) => options[1],
        confirm: async () => true,
        input: (_request, signal) => until("input", signal),
        editor: (_request, signal) => until("editor", signal),
      },
    });
    const frames = await seen;
    expect(frames.slice(1)).toEqual([
      { type: "extension_ui_response", id: "d1", value: "b" },
      { type: "extension_ui_response", id: "d2", confirmed: true },
      { type: "extension_ui_response", id: "d3", cancelled: true, timedOut: true },
    ]);
    expect(ended).toEqual([
      ["editor", "The agent withdrew the question."],
      ["input", "The time to answer is over."],
    ]);
    expect(notices).toEqual(["notify"]);
  });

  it("whose callback throws are cancelled and reported", async () => {
    const { seen, onEvent } = answers(4);
    const problems: string[] = [];
    const select = () => {
      throw new Error("no window");
    };
    await startAsking({ onEvent, onProblem: ({ kind }) => problems.push(kind), dialogs: { select } });
    expect((await seen)[1]).toEqual({ type: "extension_ui_response", id: "d1", cancelled: true });
    expect(problems).toEqual(["listenerThrew"]);
  });
});

describe("the end", () => {
  it("of the process settles everything that waits and tells why", async () => {
    const tiller = await startAsking();
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

  it("by stop() rejects what waits with ConnectionClosed", async () => {
    model.enqueue(hang({ afterBlocks: [text("so far")] }));
    const tiller = await start();
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
