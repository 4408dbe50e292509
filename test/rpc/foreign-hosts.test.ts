import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PiHost } from "../support/pi-host.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { gate, hang, reply, text, toolCall } from "../support/scripted-replies.ts";
import { asRecord, BUILT_AGENT, type Frame } from "../support/spawn-agent.ts";

const HOSTS = fileURLToPath(new URL("../fixtures/hosts/", import.meta.url));
const PYTHON = process.env.TILLER_PYTHON ?? "python3";

let model: ScriptedModel;
let folder: string;
const hosts: PiHost[] = [];

beforeEach(async () => {
  model = await ScriptedModel.start();
  folder = mkdtempSync(join(tmpdir(), "tiller-hosts-"));
});

afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.stop()));
  rmSync(folder, { recursive: true, force: true });
  await model.stop();
});

function environment(): Record<string, string | undefined> {
  return {
    PATH: process.env.PATH,
    HOME: folder,
    PI_CODING_AGENT_DIR: join(folder, "agent"),
    ANTHROPIC_API_KEY: "test-key",
    ANTHROPIC_BASE_URL: model.url,
  };
}

async function startHost(options: Partial<Parameters<typeof PiHost.start>[0]> = {}): Promise<PiHost> {
  const host = await PiHost.start({ cwd: folder, env: environment(), ...options });
  hosts.push(host);
  return host;
}

/** Runs a host written in Python against the built agent. @returns what it printed. */
async function runPython(script: string, flags: readonly string[] = []): Promise<string> {
  const args = [join(HOSTS, script), process.execPath, BUILT_AGENT, "--mode", "rpc", ...flags];
  const { stdout } = await promisify(execFile)(PYTHON, args, { cwd: folder, env: environment(), timeout: 25_000 });
  return stdout;
}

function types(events: readonly Frame[]): string[] {
  return events.map(({ type }) => type).filter((type) => type !== "message_update");
}

/** The text that the events streamed. */
function streamed(events: readonly Frame[]): string {
  const updates = events.map((event) => asRecord(event.assistantMessageEvent));
  return updates.map(({ type, delta }) => (type === "text_delta" ? String(delta) : "")).join("");
}

describe("a host of the xcsh dialect", () => {
  it("runs prompts, host tools, todos and dialogs, and reads every frame strictly", async () => {
    model.enqueue(
      reply("first"),
      reply("second"),
      reply([toolCall("colour", { shade: "dark" }), toolCall("broken", {})], { stopReason: "tool_use" }),
      reply("tools used"),
      reply([toolCall("bash", { command: "touch allowed" })], { stopReason: "tool_use" }),
      reply("it ran"),
      hang({ afterBlocks: [text("lo")] }),
      reply("short answer"),
    );
    const results: unknown = JSON.parse(await runPython("xcsh.py"));
    expect(results).toEqual({
      play_state: false,
      play_prompts: ["first", "second"],
      play_host_tool: [["colour", "broken"], "tools used", 1],
      play_todos: [
        ["write", "pending"],
        ["test", "in_progress"],
      ],
      play_dialog: [["Allow bash? touch allowed"], "it ran"],
      play_sessions: ["two", "hi\n", false, null],
      play_abort: "short answer",
      play_refusal: "set_model: Model not found: x/y",
      stopped: true,
    });
    const toolResults = JSON.stringify(model.requests[3]?.body.messages);
    expect(toolResults).toContain("dark teal");
    expect(toolResults).toContain("'missing'");
  });

  it("gets its answer to a host tool as `data`, sends prompt and abort without ids, and stops with SIGTERM", async () => {
    const host = await startHost({ readsWithReadline: true });
    await host.call("set_host_tools", {
      tools: [
        {
          name: "symbols",
          label: "Symbols",
          description: "Lists symbols.",
          parameters: { type: "object", properties: {} },
        },
      ],
    });
    model.enqueue(
      reply([toolCall("symbols", {})], { stopReason: "tool_use" }),
      hang({ afterBlocks: [text("so far")] }),
    );
    host.write({ type: "prompt", message: "look" });
    const call = await host.waitFor(({ type }) => type === "host_tool_call");
    host.write({ type: "host_tool_result", id: call.id, result: { data: [{ name: "main", kind: 11 }] } });
    await host.waitFor((event) => streamed([event]) === "so far");
    host.write({ type: "abort" });
    await host.waitFor(({ command }) => command === "abort");
    expect(types(host.events)).toContain("agent_settled");
    expect(host.events.filter(({ type }) => type === "response")).toEqual([
      { type: "response", command: "prompt", success: true, data: { disposition: "started" } },
      { type: "response", command: "abort", success: true },
    ]);
    expect(JSON.stringify(model.requests[1]?.body.messages)).toContain('[{\\"name\\":\\"main\\",\\"kind\\":11}]');
    expect(await host.stop()).toBe(143);
  });
});

describe("a host of the pi dialect", () => {
  it.each(["agent_settled", "agent_end"] as const)(
    "runs prompt-and-wait, steer, follow-up, abort, bash and fork, and takes %s as the end",
    async (endsAt) => {
      const host = await startHost({ endsAt });
      model.enqueue(reply("one"), reply("two"));
      expect(types(await host.promptAndWait("first")).at(-1)).toBe(endsAt);
      expect(streamed(await host.promptAndWait("second"))).toBe("two");

      const door = gate();
      model.enqueue(reply([text("a"), door, text("b")]), reply("steered"), reply("followed"));
      const steered = host.collect();
      await host.call("prompt", { message: "go" });
      await door.reached.promise;
      expect(await host.call("steer", { message: "left" })).toEqual({ disposition: "queued" });
      await host.call("follow_up", { message: "then right" });
      door.release();
      expect(streamed(await steered)).toBe("absteeredfollowed");

      model.enqueue(hang({ afterBlocks: [text("so far")] }));
      const aborted = host.collect();
      await host.call("prompt", { message: "long" });
      await host.call("abort");
      await aborted;
      expect(await host.call("get_state")).toMatchObject({ isStreaming: false, pendingMessageCount: 0 });

      expect(await host.call("bash", { command: "echo hi; exit 3" })).toMatchObject({ output: "hi\n", exitCode: 3 });
      const { messages } = await host.call("get_fork_messages");
      expect(messages).toMatchObject(
        ["first", "second", "go", "left", "then right", "long"].map((said) => ({ text: said })),
      );
      const second = Array.isArray(messages) ? asRecord(messages[1]) : {};
      expect(await host.call("fork", { entryId: second.entryId })).toEqual({ text: "second", cancelled: false });
      expect(await host.call("get_last_assistant_text")).toEqual({ text: "one" });
      expect([host.broken, await host.stop()]).toEqual([[], 143]);
    },
  );

  it("can prompt again as soon as it has read agent_end, as often as it likes", async () => {
    const host = await startHost({ endsAt: "agent_end" });
    for (let round = 0; round < 20; round += 1) {
      model.enqueue(reply(`answer ${round}`));
      expect(streamed(await host.promptAndWait(`question ${round}`))).toBe(`answer ${round}`);
    }
  });

  it("that adapts another protocol opens a session file that does not exist yet and finds each block in `partial`", async () => {
    const file = join(folder, "sessions", "fresh.jsonl");
    const host = await startHost({ args: ["--no-themes", "--session", file], readsWithReadline: true });
    expect(await host.call("get_state")).toMatchObject({ sessionFile: file, messageCount: 0 });
    model.enqueue(
      reply([text("hm"), toolCall("ls", { path: "." }, { pieces: 3 })], { stopReason: "tool_use" }),
      reply("ok"),
    );
    const events = await host.promptAndWait("look");
    const blocks = events.flatMap((event) => {
      const update = asRecord(event.assistantMessageEvent);
      const content = asRecord(update.partial).content;
      const block = Array.isArray(content) ? asRecord(content[Number(update.contentIndex)]).type : undefined;
      return update.type === undefined ? [] : [`${update.type} ${block}`];
    });
    expect(new Set(blocks)).toEqual(
      new Set([
        "text_start text",
        "text_delta text",
        "text_end text",
        "toolcall_start toolCall",
        "toolcall_delta toolCall",
        "toolcall_end toolCall",
      ]),
    );
  });
});

describe("small hosts", () => {
  it("stream text and end at agent_end, in Python", async () => {
    model.enqueue(reply([text("Hello, you.", { chunks: 4 })]));
    expect(await runPython("minimal.py", ["--no-session"])).toBe("Hello, you.\n");
  });

  it("survive text full of U+2028 when they read with readline", async () => {
    const separators = "a\u2028b\u2029c\u0085d\r\ne\u2028\u2028";
    const host = await startHost({ readsWithReadline: true });
    model.enqueue(
      reply([text(separators), toolCall("bash", { command: `printf '${separators}'` })], { stopReason: "tool_use" }),
    );
    model.enqueue(reply(separators));
    const events = await host.promptAndWait(`say ${separators}`);
    await host.call("set_session_name", { name: separators });
    const { messages } = await host.call("get_messages");
    expect(host.broken).toEqual([]);
    expect(streamed(events)).toBe(separators.repeat(2));
    expect(JSON.stringify(messages)).toContain(JSON.stringify(separators).slice(1, -1));
  });
});
