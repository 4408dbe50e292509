import { describe, expect, it } from "vitest";
import { HostAnswer, HostAnswerEvents } from "../../agent/providers/host-answer.ts";
import { ProviderError } from "../../agent/providers/provider.ts";
import { mapToolNames } from "../../agent/providers/tool-names.ts";

const TOOLS = [{ name: "mcp:clock", description: "Tells the time.", parameters: { type: "object" } }];

function events(): HostAnswerEvents {
  return new HostAnswerEvents(mapToolNames(TOOLS));
}

function failureOf(work: () => unknown): ProviderError {
  try {
    work();
  } catch (error) {
    if (error instanceof ProviderError) return error;
    throw error;
  }
  throw new Error("Nothing was thrown.");
}

describe("HostAnswerEvents", () => {
  it("joins consecutive pieces of text into one block", () => {
    const answer = events();
    expect(
      answer.take([
        { type: "text", text: "Hel" },
        { type: "text", text: "lo." },
      ]),
    ).toEqual([
      { type: "start" },
      { type: "text_start", index: 0 },
      { type: "text_delta", index: 0, delta: "Hel" },
      { type: "text_delta", index: 0, delta: "lo." },
    ]);
    expect(answer.end({ usage: { input: 7, output: 2 } })).toEqual([
      { type: "text_end", index: 0 },
      { type: "usage", tokens: { input: 7, output: 2, cacheRead: 0, cacheWrite: 0 } },
      { type: "end", stopReason: "stop" },
    ]);
  });

  it("ends a text before a tool call, restores the call's own name, and ends with tool use", () => {
    const answer = events();
    answer.take([{ type: "text", text: "Looking." }]);
    expect(answer.take([{ type: "toolCall", id: "c1", name: "mcp_clock", arguments: { zone: "UTC" } }])).toEqual([
      { type: "text_end", index: 0 },
      { type: "toolcall_start", index: 1, id: "c1", name: "mcp:clock" },
      { type: "toolcall_delta", index: 1, delta: '{"zone":"UTC"}' },
      { type: "toolcall_end", index: 1 },
    ]);
    expect(answer.end({ stopReason: "stop" })).toEqual([{ type: "end", stopReason: "toolUse" }]);
  });

  it("keeps thinking and text apart", () => {
    const answer = events();
    expect(
      answer.take([
        { type: "thinking", thinking: "Hm." },
        { type: "text", text: "Yes." },
      ]),
    ).toEqual([
      { type: "start" },
      { type: "thinking_start", index: 0 },
      { type: "thinking_delta", index: 0, delta: "Hm." },
      { type: "thinking_end", index: 0 },
      { type: "text_start", index: 1 },
      { type: "text_delta", index: 1, delta: "Yes." },
    ]);
  });

  it("reports an answer that was cut by its limit, and starts an empty one", () => {
    expect(events().end({ stopReason: "length" })).toEqual([{ type: "start" }, { type: "end", stopReason: "length" }]);
  });

  it("fails with the host's text and kind, and is not retried without a kind", () => {
    const limited = failureOf(() => events().end({ error: "Slow down.", errorKind: "rate_limit", retryAfterMs: 50 }));
    expect(limited).toMatchObject({ message: "Slow down.", kind: "rate_limit", retryAfterMs: 50, isRetryable: true });
    expect(failureOf(() => events().end({ error: "Broken." }))).toMatchObject({ kind: "invalid_request" });
    expect(failureOf(() => events().end({ errorKind: "auth" })).message).toBe(
      "The model didn't respond, and the host gave no reason.",
    );
  });
});

describe("HostAnswer", () => {
  it("returns what came before a failure, and ignores later parts", async () => {
    const answer = new HostAnswer(mapToolNames([]));
    answer.take([{ type: "text", text: "Half" }]);
    answer.fail(new ProviderError("network", "Gone."));
    answer.take([{ type: "text", text: " more" }]);
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const batch of answer.batches()) seen.push(...batch);
    })();
    await expect(reading).rejects.toThrow("Gone.");
    expect(seen).toEqual([
      { type: "start" },
      { type: "text_start", index: 0 },
      { type: "text_delta", index: 0, delta: "Half" },
    ]);
  });
});
