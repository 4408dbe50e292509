import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CustomTool } from "../../agent/client/custom-tools.ts";
import type { AgentEvent } from "../../agent/protocol/events.ts";
import { ClientBench } from "../support/client-bench.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";

let bench: ClientBench;

beforeEach(async () => {
  bench = await ClientBench.open();
});

afterEach(() => bench.close());

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

const PICK = { name: "pick", description: "Picks a colour.", parameters: { type: "object" } };

describe("setCustomTools", () => {
  it("runs a tool with its arguments, forwards its updates and returns its result to the model", async () => {
    const tool: CustomTool = {
      ...PICK,
      run: async ({ shade }, { toolCallId, update }) => {
        update("asking");
        return { content: [{ type: "text", text: `${shade} teal` }], details: { toolCallId } };
      },
    };
    bench.model.enqueue(
      reply([toolCall("pick", { shade: "dark" }, { id: "t1" })], { stopReason: "tool_use" }),
      reply("ok"),
    );
    const tiller = await bench.start();
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

  it("turns a tool's exception into an error result", async () => {
    const tool: CustomTool = {
      ...PICK,
      run: () => {
        throw new Error("no colours left");
      },
    };
    bench.model.enqueue(reply([toolCall("pick", {})], { stopReason: "tool_use" }), reply("ok"));
    const tiller = await bench.start();
    await tiller.setCustomTools([tool]);
    const { messages } = await tiller.promptAndWait("go");
    expect(messages[2]).toMatchObject({ isError: true, content: [{ type: "text", text: "no colours left" }] });
  });

  it("aborts a tool's signal when the run is aborted, and drops its late result", async () => {
    bench.model.enqueue(reply([toolCall("pick", {})], { stopReason: "tool_use" }));
    const tiller = await bench.start();
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
    const tiller = await bench.start();
    await tiller.setCustomTools([{ ...PICK, run: () => "old" }]);
    const refused = tiller.setCustomTools([{ ...PICK, description: "", run: () => "new" }]);
    await expect(refused).rejects.toThrow('Host tool "pick" must provide a non-empty description');
    bench.model.enqueue(reply([toolCall("pick", {})], { stopReason: "tool_use" }), reply("ok"));
    const { messages } = await tiller.promptAndWait("go");
    expect(messages[2]).toMatchObject({ content: [{ type: "text", text: "old" }] });
  });
});

describe("dialogs", () => {
  it("without callbacks are answered as cancelled, and a call for an unknown tool fails", async () => {
    const { seen, onEvent } = answers(4);
    await bench.startAsking({ onEvent });
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

  it("are passed to callbacks, whose signals abort on timeout or when the agent withdraws the question", async () => {
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
    await bench.startAsking({
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

  it("about a change can be answered with the user's edit", async () => {
    writeFileSync(join(bench.folder, "a.txt"), "one\n");
    bench.model.enqueue(
      reply([toolCall("edit", { path: "a.txt", edits: [{ oldText: "one", newText: "two" }] })], {
        stopReason: "tool_use",
      }),
      reply("ok"),
    );
    const edited = { before: "one\n", after: "mine\n" };
    const tiller = await bench.start({
      args: ["--no-session", "--permission-mode", "confirm"],
      dialogs: { select: ({ approval }) => (approval?.preview ? { value: "Allow once", edited } : undefined) },
    });
    await tiller.promptAndWait("go");
    expect(readFileSync(join(bench.folder, "a.txt"), "utf8")).toBe("mine\n");
  });

  it("whose callback throws are cancelled and reported", async () => {
    const { seen, onEvent } = answers(4);
    const problems: string[] = [];
    const select = () => {
      throw new Error("no window");
    };
    await bench.startAsking({ onEvent, onProblem: ({ kind }) => problems.push(kind), dialogs: { select } });
    expect((await seen)[1]).toEqual({ type: "extension_ui_response", id: "d1", cancelled: true });
    expect(problems).toEqual(["listenerThrew"]);
  });
});
