import { describe, expect, test } from "vitest";
import type { InputContent } from "../../agent/protocol/content.ts";
import type { AgentMessage, AssistantMessage } from "../../agent/protocol/messages.ts";
import { toWireRequest } from "../../agent/providers/anthropic-convert.ts";
import { ZERO_USAGE } from "../../agent/providers/cost.ts";
import type { ProviderRequest } from "../../agent/providers/provider.ts";
import { mapToolNames } from "../../agent/providers/tool-names.ts";
import { checkBody } from "../support/messages-api-rules.ts";
import { modelAt, requestFor } from "./collect.ts";

const CACHED = { type: "ephemeral" };
const IMAGE = { type: "image", data: "aGk=", mimeType: "image/png" } as const;

function convert(id: string, parts: Partial<ProviderRequest>) {
  const request = requestFor(modelAt(id, "http://127.0.0.1"), parts);
  return toWireRequest(request, mapToolNames(request.tools));
}

function user(...content: (string | InputContent)[]): AgentMessage {
  const blocks = content.map((one): InputContent => (typeof one === "string" ? { type: "text", text: one } : one));
  return { role: "user", content: blocks, timestamp: 1 };
}

function text(value: string) {
  return [{ type: "text", text: value } as const];
}

function assistant(...content: AssistantMessage["content"]): AssistantMessage {
  return {
    role: "assistant",
    content,
    api: "anthropic-messages",
    provider: "anthropic",
    model: "claude-opus-5-5",
    usage: ZERO_USAGE,
    stopReason: "stop",
    timestamp: 2,
  };
}

function call(id: string, name = "read") {
  return { type: "toolCall", id, name, arguments: { path: "a" } } as const;
}

function result(toolCallId: string, content: Extract<AgentMessage, { role: "toolResult" }>["content"]): AgentMessage {
  return { role: "toolResult", toolCallId, toolName: "read", content, isError: false, timestamp: 3 };
}

describe("messages in requests", () => {
  test("join neighbors into turns, results first, and drop empty ones", () => {
    const { messages } = convert("claude-opus-5-5", {
      messages: [
        user("one", "  "),
        user("two"),
        assistant({ type: "text", text: "" }, call("t1"), call("t2")),
        result("t1", []),
        user("and"),
        result("t2", [...text("ok"), IMAGE]),
      ],
    });
    expect(messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "one" },
          { type: "text", text: "two", cache_control: CACHED },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "t1", name: "read", input: { path: "a" } },
          { type: "tool_use", id: "t2", name: "read", input: { path: "a" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "(no output)" }] },
          {
            type: "tool_result",
            tool_use_id: "t2",
            content: [
              { type: "text", text: "ok" },
              { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
            ],
          },
          { type: "text", text: "and", cache_control: CACHED },
        ],
      },
    ]);
  });

  test("mention a left-out image for a model without images", () => {
    const request = requestFor({ ...modelAt("claude-opus-5-5", "http://127.0.0.1"), input: ["text"] });
    const { messages } = toWireRequest({ ...request, messages: [user(IMAGE)] }, mapToolNames([]));
    expect(messages[0]?.content).toEqual([
      { type: "text", text: "[image omitted: model does not support images]", cache_control: CACHED },
    ]);
  });

  test("repeat thinking with its signature, and none of it when thinking is off", () => {
    const messages = [
      user("go"),
      assistant(
        { type: "thinking", thinking: "hm", thinkingSignature: "sig" },
        { type: "thinking", thinking: "", thinkingSignature: "data", redacted: true },
        { type: "text", text: "hi" },
      ),
      user("on"),
    ];
    const spoken = { type: "text", text: "hi" };
    expect(convert("claude-haiku-5-5", { messages }).messages[1]?.content).toEqual([
      { type: "thinking", thinking: "hm", signature: "sig" },
      { type: "redacted_thinking", data: "data" },
      spoken,
    ]);
    expect(convert("claude-haiku-5-5", { messages, thinkingLevel: "off" }).messages[1]?.content).toEqual([spoken]);
  });

  test("begin and end with the user", () => {
    const { messages } = convert("claude-opus-5-5", { messages: [assistant({ type: "text", text: "hi" })] });
    expect(messages.map((message) => message.role)).toEqual(["user", "assistant", "user"]);
  });

  test("have valid, unique ids", () => {
    const { messages } = convert("claude-opus-5-5", {
      messages: [
        user("go"),
        assistant(call("a|b")),
        result("a|b", text("1")),
        assistant(call("a|b")),
        result("a|b", text("2")),
      ],
    });
    const ids = messages.flatMap((message) =>
      message.content.flatMap((block) =>
        block.type === "tool_use" ? block.id : block.type === "tool_result" ? block.tool_use_id : [],
      ),
    );
    expect(ids).toEqual(["a_b", "a_b", "a_b_2", "a_b_2"]);
  });
});

describe("tools in requests", () => {
  test("have valid, unique names", () => {
    const names = mapToolNames(
      ["a.b", "a_b", "a b", "é".repeat(200)].map((name) => ({ name, description: "", parameters: {} })),
    );
    expect(["a.b", "a_b", "a b"].map((name) => names.toWire(name))).toEqual(["a_b_2", "a_b", "a_b_3"]);
    expect(names.toWire("é".repeat(200))).toBe("_".repeat(128));
    expect(names.fromWire("a_b_3")).toBe("a b");
  });

  test("have an object schema without alternatives at the top", () => {
    const { tools } = convert("claude-opus-5-5", {
      tools: [{ name: "t", description: "d", parameters: { properties: { a: {} }, anyOf: [] } }],
    });
    expect(tools).toEqual([
      { name: "t", description: "d", input_schema: { properties: { a: {} }, type: "object" }, cache_control: CACHED },
    ]);
  });
});

describe("cache breakpoints", () => {
  test("are at the system prompt, the last tool and the last two user turns", () => {
    const tool = (name: string) => ({ name, description: "d", parameters: {} });
    const body = convert("claude-opus-5-5", {
      messages: [user("1"), assistant(...text("a")), user("2"), assistant(...text("b")), user("3")],
      tools: [tool("x"), tool("y")],
    });
    expect(body.system).toEqual([{ type: "text", text: "Be brief.", cache_control: CACHED }]);
    expect(body.tools?.map((one) => one.cache_control)).toEqual([undefined, CACHED]);
    const marks = body.messages.map(({ content }) => content.some((block) => "cache_control" in block));
    expect(marks).toEqual([false, false, true, false, true]);
  });
});

describe("thinking in requests", () => {
  test.each([
    ["claude-opus-5-5", "xhigh", { type: "adaptive" }, "xhigh"],
    ["claude-opus-5-5", "max", { type: "adaptive" }, "max"],
    ["claude-opus-4-6", "xhigh", { type: "adaptive" }, "max"],
    ["claude-sonnet-5-5", "off", { type: "between_tools" }, undefined],
    ["claude-haiku-5-5", "off", { type: "disabled" }, undefined],
    ["claude-haiku-4-5", "medium", { type: "enabled", budget_tokens: 10_240 }, undefined],
    ["claude-haiku-4-5", "off", undefined, undefined],
  ] as const)("of %s at level %s is what that model takes", (id, thinkingLevel, thinking, effort) => {
    const body = convert(id, { thinkingLevel });
    if (thinking === undefined) expect(body.thinking).toBeUndefined();
    else expect(body.thinking).toMatchObject(thinking);
    expect(body.output_config?.effort).toBe(effort);
    expect(checkBody(body)).toMatchObject({ ok: true });
  });

  test("keeps its budget below the limit of the request, or is left out", () => {
    expect(convert("claude-haiku-4-5", { thinkingLevel: "xhigh", maxTokens: 8000 }).thinking).toMatchObject({
      budget_tokens: 6976,
    });
    expect(convert("claude-haiku-4-5", { thinkingLevel: "xhigh", maxTokens: 1500 }).thinking).toBeUndefined();
  });

  test("with a budget is left out for answers to tool calls that began without it", () => {
    const messages = [user("go"), assistant(call("t1")), result("t1", text("ok"))];
    expect(convert("claude-haiku-4-5", { messages, thinkingLevel: "low" }).thinking).toBeUndefined();
    const next = [...messages, assistant(...text("done")), user("more")];
    expect(convert("claude-haiku-4-5", { messages: next, thinkingLevel: "low" }).thinking).toBeDefined();
  });
});
