import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { ControlFrame } from "../../../../agent/protocol/frames.ts";
import { deferred } from "../../../../agent/util/deferred.ts";
import {
  defineHostTool,
  type HostTool,
  type HostToolContext,
  HostToolFailed,
} from "../../../../extension/host/host-tools/host-tool.ts";
import { HostToolSet } from "../../../../extension/host/host-tools/host-tool-set.ts";
import { HostToolRunner } from "../../../../extension/host/host-tools/registry.ts";

function tool(run: (context: HostToolContext) => Promise<string>): HostTool {
  return defineHostTool({
    name: "work",
    label: "Work",
    description: "Works.",
    isReadOnly: false,
    input: z.object({}),
    run: (_args, context) => run(context),
  });
}

/** A runner of one tool, and what it sends and reports. */
function runnerOf(own: HostTool) {
  const sent: ControlFrame[] = [];
  const failures: string[] = [];
  const runner = new HostToolRunner({
    hostTools: new HostToolSet({
      own: [own],
      foreign: () => [],
      disabled: () => [],
      tier: () => undefined,
      isThere: () => true,
      look: async () => undefined,
      changed: () => undefined,
    }),
    chat: {
      session: "s1",
      folder: "/project",
      isKeyboardInChat: () => false,
      ask: async () => ({ type: "cancelled" }),
    },
    changes: { before: async () => undefined, after: async () => undefined },
    failed: (name, error) => failures.push(`${name}: ${String(error)}`),
  });
  const call = (toolName = "work") =>
    runner.call({ type: "host_tool_call", id: "c1", toolCallId: "t1", toolName, arguments: {} }, (frame) =>
      sent.push(frame),
    );
  return { runner, sent, failures, call };
}

const result = (text: string) => ({ content: [{ type: "text", text }] });

describe("a call of an editor tool", () => {
  it("sends updates and then one result", async () => {
    const { call, sent } = runnerOf(
      tool(async ({ update }) => {
        update("half");
        return "whole";
      }),
    );
    await call();
    expect(sent).toEqual([
      { type: "host_tool_update", id: "c1", partialResult: result("half") },
      { type: "host_tool_result", id: "c1", result: result("whole") },
    ]);
  });

  it("reports a failure, and logs only our own mistakes", async () => {
    const expected = runnerOf(
      tool(async () => {
        throw new HostToolFailed("No such file. Use find.");
      }),
    );
    await expected.call();
    expect(expected.sent).toEqual([
      { type: "host_tool_result", id: "c1", result: result("No such file. Use find."), isError: true },
    ]);
    expect(expected.failures).toEqual([]);

    const ours = runnerOf(
      tool(async () => {
        throw new TypeError("x is undefined");
      }),
    );
    await ours.call();
    expect(ours.failures).toEqual(["work: TypeError: x is undefined"]);
  });

  it("of an unknown tool names the available ones", async () => {
    const { call, sent } = runnerOf(tool(async () => ""));
    await call("play");
    expect(sent).toEqual([
      {
        type: "host_tool_result",
        id: "c1",
        result: result('The editor has no tool "play". It has: work'),
        isError: true,
      },
    ]);
  });
});

describe("a cancelled call", () => {
  it("ends at once although its tool continues, and ignores later output", async () => {
    const begun = deferred<HostToolContext>();
    const { promise, resolve } = deferred<string>();
    const { runner, call, sent, failures } = runnerOf(
      tool((context) => {
        begun.resolve(context);
        return promise;
      }),
    );
    const over = call();
    const { token, update } = await begun.promise;
    const heard = new Promise<void>((tell) => token.onCancellationRequested(() => tell()));
    runner.cancel("c1");
    await over;
    await heard;
    expect(token.isCancellationRequested).toBe(true);
    update("late");
    resolve("too late");
    await promise;
    expect(sent).toEqual([]);
    expect(failures).toEqual([]);
  });

  it("no longer changes files", async () => {
    const begun = deferred<HostToolContext>();
    const { runner, call } = runnerOf(
      tool((context) => {
        begun.resolve(context);
        return new Promise(() => undefined);
      }),
    );
    const over = call();
    const { recordChanges, token } = await begun.promise;
    runner.cancelAll();
    await over;
    let hasRun = false;
    const change = recordChanges(["/project/a.ts"], async () => {
      hasRun = true;
    });
    await expect(change).rejects.toThrow("Canceled; nothing changed.");
    expect(hasRun).toBe(false);
    await new Promise<void>((tell) => token.onCancellationRequested(() => tell())); // whoever listens late hears of it too
  });
});
