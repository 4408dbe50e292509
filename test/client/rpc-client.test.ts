import { afterEach, describe, expect, test } from "vitest";
import {
  AgentExited,
  ConnectionClosed,
  RequestFailed,
  RequestTimeout,
  UnreadableAnswer,
} from "../../agent/client/client-errors.ts";
import type { RpcListeners, RpcProblem } from "../../agent/client/frame-client.ts";
import type { RpcClient } from "../../agent/client/rpc-client.ts";
import { startAgent } from "../../agent/client/start-agent.ts";
import type { AgentEvent } from "../../agent/protocol/events.ts";
import { fixtureAgent } from "../support/fixture-agent.ts";

const opened: RpcClient[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((client) => client.close()));
});

async function connect(listeners: RpcListeners = {}): Promise<RpcClient> {
  const { client } = await startAgent(fixtureAgent("echo-agent"), listeners);
  opened.push(client);
  return client;
}

describe("RpcClient", () => {
  test("resolves a command to the data of its own answer", async () => {
    const client = await connect();
    const [first, second] = await Promise.all([
      client.request("get_last_assistant_text", {}),
      client.request("get_last_assistant_text", {}),
    ]);
    expect([first.text, second.text]).toEqual([
      '{"type":"get_last_assistant_text","id":"c1"}',
      '{"type":"get_last_assistant_text","id":"c2"}',
    ]);
  });

  test("reports events before the answer that was written after them", async () => {
    const seen: AgentEvent[] = [];
    const client = await connect({ event: (event) => seen.push(event) });
    await client.request("set_session_name", { name: "\u2028 ünï" });
    expect(seen).toEqual([{ type: "session_info_changed", name: "\u2028 ünï" }]);
  });

  test("rejects a refused command with the agent's text and code", async () => {
    const client = await connect();
    const refusal = await client.request("set_session_name", { name: "refuse" }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(RequestFailed);
    expect(refusal).toMatchObject({ message: "No such name.", command: "set_session_name", code: "not_found" });
  });

  test("settles an unknown command by its requestId", async () => {
    const client = await connect();
    await expect(client.request("set_session_name", { name: "unknown" })).rejects.toThrow(
      "Unknown command: set_session_name",
    );
  });

  test("rejects an answer of another shape and names the command", async () => {
    const client = await connect();
    await expect(client.request("set_session_name", { name: "wrongShape" })).rejects.toBeInstanceOf(UnreadableAnswer);
  });

  test("rejects a command without an answer in time, and the connection continues", async () => {
    const client = await connect();
    const late = client.request("set_session_name", { name: "silent" }, { timeoutMs: 20 });
    await expect(late).rejects.toMatchObject({ name: "RequestTimeout", command: "set_session_name", timeoutMs: 20 });
    await expect(late).rejects.toBeInstanceOf(RequestTimeout);
    await expect(client.request("set_session_name", { name: "fine" })).resolves.toBeUndefined();
  });

  test("stops waiting with the reason of an aborted signal", async () => {
    const client = await connect();
    const controller = new AbortController();
    const waiting = client.request("set_session_name", { name: "silent" }, { signal: controller.signal });
    controller.abort(new Error("not needed"));
    await expect(waiting).rejects.toThrow("not needed");
    await expect(client.request("abort", {}, { signal: controller.signal })).rejects.toThrow("not needed");
  });

  test("reports and skips bad lines, unknown events and invalid events", async () => {
    const problems: RpcProblem[] = [];
    const events: AgentEvent[] = [];
    const client = await connect({
      problem: (problem) => problems.push(problem),
      event: (event) => events.push(event),
    });
    await client.request("set_session_name", { name: "garbage" });
    expect(problems.map(({ kind, frameType }) => [kind, frameType])).toEqual([
      ["unreadableLine", undefined],
      ["unknownFrame", "brand_new_event"],
      ["invalidFrame", "queue_update"],
    ]);
    expect(events).toEqual([{ type: "session_info_changed", name: "after the garbage" }]);
    expect(client.skippedFrames).toBe(1);
  });

  test("reports a listener that throws, and the stream continues", async () => {
    const problems: RpcProblem[] = [];
    const mistake = new Error("mistake in a listener");
    const client = await connect({
      event: () => {
        throw mistake;
      },
      problem: (problem) => problems.push(problem),
    });
    await client.request("set_session_name", { name: "one" });
    await client.request("set_session_name", { name: "two" });
    expect(problems).toEqual([
      { kind: "listenerThrew", frameType: "session_info_changed", error: mistake },
      { kind: "listenerThrew", frameType: "session_info_changed", error: mistake },
    ]);
  });

  test("rejects every pending command with exit code and last output when the process dies", async () => {
    const client = await connect();
    const waiting = [
      client.request("set_session_name", { name: "silent" }),
      client.request("set_session_name", { name: "die" }),
    ];
    for (const outcome of await Promise.allSettled(waiting)) {
      expect(outcome).toMatchObject({
        status: "rejected",
        reason: { name: "AgentExited", exitCode: 3, signal: null, stderrTail: "the disk is full\n" },
      });
    }
    await expect(client.request("abort", {})).rejects.toBeInstanceOf(AgentExited);
  });

  test("ends an agent that closes its stdout", async () => {
    const client = await connect();
    await expect(client.request("set_session_name", { name: "close" })).rejects.toMatchObject({ exitCode: 0 });
  });

  test("rejects pending commands on close() and resolves when the process is gone", async () => {
    const { client, process: agent } = await startAgent(fixtureAgent("echo-agent"), {});
    const waiting = client.request("set_session_name", { name: "silent" }).catch((error: unknown) => error);
    await client.close();
    expect(await waiting).toBeInstanceOf(ConnectionClosed);
    expect(await agent.exited).toMatchObject({ exitCode: 0, signal: null });
    await expect(client.request("abort", {})).rejects.toBeInstanceOf(ConnectionClosed);
  });

  test("sends a command larger than the pipe completely", async () => {
    const client = await connect();
    const name = "é".repeat(2_000_000);
    const seen: AgentEvent[] = [];
    const other = await connect({ event: (event) => seen.push(event) });
    await Promise.all([
      other.request("set_session_name", { name }),
      other.request("set_session_name", { name: "next" }),
    ]);
    expect(seen.map((event) => event.type === "session_info_changed" && event.name?.length)).toEqual([2_000_000, 4]);
    await expect(client.request("abort", {})).resolves.toBeUndefined();
  });
});
