import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentMessage, AssistantMessage } from "../../agent/protocol/messages.ts";
import { ZERO_USAGE } from "../../agent/providers/cost.ts";
import { prepareContext } from "../../agent/providers/prepare-context.ts";

const MODEL = { api: "anthropic-messages", provider: "anthropic", id: "claude-opus-5-5" };

function assistant(content: AssistantMessage["content"], parts: Partial<AssistantMessage> = {}): AssistantMessage {
  return {
    role: "assistant",
    content,
    api: "anthropic-messages",
    provider: MODEL.provider,
    model: MODEL.id,
    usage: ZERO_USAGE,
    stopReason: "stop",
    timestamp: 5,
    ...parts,
  };
}

function call(id: string): AssistantMessage["content"][number] {
  return { type: "toolCall", id, name: "read", arguments: {} };
}

function result(toolCallId: string): AgentMessage {
  return {
    role: "toolResult",
    toolCallId,
    toolName: "read",
    content: [{ type: "text", text: "ok" }],
    isError: false,
    timestamp: 6,
  };
}

function said(text: string): AgentMessage {
  return { role: "user", content: [{ type: "text", text }], timestamp: 7 };
}

describe("prepareContext", () => {
  test("answers a tool call without a result, and drops a result without a call", () => {
    const context = prepareContext(
      [said("go"), assistant([call("a"), call("b")]), result("b"), result("x"), said("on")],
      MODEL,
    );
    expect(context.map((message) => (message.role === "toolResult" ? message.toolCallId : message.role))).toEqual([
      "user",
      "assistant",
      "b",
      "a",
      "user",
    ]);
    expect(context[3]).toMatchObject({ content: [{ type: "text", text: "No result provided" }], isError: true });
  });

  test("leaves out failed answers and keeps aborted ones with content", () => {
    const context = prepareContext(
      [
        assistant([{ type: "text", text: "broken" }], { stopReason: "error" }),
        assistant([{ type: "text", text: "half" }], { stopReason: "aborted" }),
        assistant([{ type: "thinking", thinking: "hm", thinkingSignature: "s" }], { stopReason: "aborted" }),
        assistant([], { stopReason: "aborted" }),
      ],
      MODEL,
    );
    expect(context.map((message) => message.content)).toEqual([[{ type: "text", text: "half" }]]);
  });

  test("keeps thinking without a signature, too, but nothing empty", () => {
    const thought = { type: "thinking", thinking: "hm" } as const;
    const spoken = { type: "text", text: "hi" } as const;
    const messages = [assistant([thought, { ...thought, thinking: " " }, spoken])];
    expect(prepareContext(messages, MODEL)[0]?.content).toEqual([thought, spoken]);
    expect(prepareContext(messages, { ...MODEL, provider: "other" })[0]?.content).toEqual([spoken]);
  });

  test("keeps signed thinking for its own model only", () => {
    const thought = { type: "thinking", thinking: "hm", thinkingSignature: "s" } as const;
    const spoken = { type: "text", text: "hi" } as const;
    const messages = [assistant([thought, spoken])];
    expect(prepareContext(messages, MODEL)[0]?.content).toEqual([thought, spoken]);
    expect(prepareContext(messages, { ...MODEL, api: "openai-completions" })[0]?.content).toEqual([spoken]);
    expect(prepareContext(messages, { ...MODEL, id: "claude-sonnet-5-5" })[0]?.content).toEqual([spoken]);
    expect(prepareContext(messages, { ...MODEL, provider: "other" })[0]?.content).toEqual([spoken]);
  });

  test("turns commands, summaries and custom messages into user messages", () => {
    const bash = {
      role: "bashExecution",
      command: "make",
      output: "uh ``` oh",
      exitCode: 2,
      cancelled: false,
      truncated: true,
      fullOutputPath: "/tmp/log",
      timestamp: 1,
    } as const;
    const context = prepareContext(
      [
        bash,
        { ...bash, excludeFromContext: true },
        { ...bash, output: "", exitCode: 0, cancelled: true, truncated: false },
        { role: "custom", customType: "note", content: "remember", display: false, timestamp: 2 },
        { role: "compactionSummary", summary: "all of it", tokensBefore: 9, timestamp: 3 },
        { role: "branchSummary", summary: "elsewhere", fromId: "1", timestamp: 4 },
      ],
      MODEL,
    );
    expect(context.map((message) => message.role)).toEqual(["user", "user", "user", "user", "user"]);
    expect(context.map((message) => message.content)).toEqual([
      [
        {
          type: "text",
          text: "Ran `make`\n````\nuh ``` oh\n````\n\nCommand exited with code 2\n\n[Output truncated. Full output: /tmp/log]",
        },
      ],
      [{ type: "text", text: "Ran `make`\n(no output)\n\n(command cancelled)" }],
      [{ type: "text", text: "remember" }],
      [{ type: "text", text: expect.stringContaining("compacted") }],
      [{ type: "text", text: expect.stringContaining("<summary>\nelsewhere\n</summary>") }],
    ]);
  });

  test("gives every tool call exactly one result right after it, in any conversation", () => {
    const ids = fc.constantFrom("a", "b", "c");
    const message: fc.Arbitrary<AgentMessage> = fc.oneof(
      ids.map(said),
      ids.map(result),
      fc
        .record({
          calls: fc.array(ids.map(call), { maxLength: 3 }),
          stopReason: fc.constantFrom("stop", "error", "aborted"),
        })
        .map(({ calls, stopReason }) => assistant([{ type: "text", text: "t" }, ...calls], { stopReason })),
    );
    fc.assert(
      fc.property(fc.array(message, { maxLength: 12 }), (messages) => {
        let open: string[] = [];
        for (const one of prepareContext(messages, MODEL)) {
          if (one.role === "toolResult") {
            expect(open).toContain(one.toolCallId);
            open = open.filter((id) => id !== one.toolCallId);
            continue;
          }
          expect(open).toEqual([]);
          if (one.role === "assistant") {
            open = one.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []));
            expect(new Set(open).size).toBe(open.length);
          }
        }
        expect(open).toEqual([]);
      }),
    );
  });
});
