import { describe, expect, it } from "vitest";
import type { AgentMessage } from "../../agent/protocol/messages.ts";
import { ZERO_USAGE } from "../../agent/providers/cost.ts";
import { hostModel, hostRequest } from "../../agent/providers/host-model.ts";
import { mapToolNames } from "../../agent/providers/tool-names.ts";

const CLOCK = { name: "mcp:clock", description: "Tells the time.", parameters: { type: "object" } };
const IMAGE = { type: "image" as const, data: "aGk=", mimeType: "image/png" };

const MESSAGES: AgentMessage[] = [
  { role: "user", content: "What time is it?", timestamp: 1 },
  {
    role: "assistant",
    content: [{ type: "toolCall", id: "c1", name: "mcp:clock", arguments: {} }],
    api: "host",
    provider: "mine",
    model: "one",
    usage: ZERO_USAGE,
    stopReason: "toolUse",
    timestamp: 2,
  },
  {
    role: "toolResult",
    toolCallId: "c1",
    toolName: "mcp:clock",
    content: [{ type: "text", text: "noon" }, IMAGE],
    details: { secretOfTheTool: true },
    isError: false,
    timestamp: 3,
  },
];

function request(definition: Parameters<typeof hostModel>[1]) {
  const model = hostModel("mine", definition);
  return hostRequest(
    "r1",
    {
      model,
      systemPrompt: "Be brief.",
      messages: MESSAGES,
      tools: [CLOCK],
      thinkingLevel: "off",
      apiKey: undefined,
      signal: new AbortController().signal,
    },
    mapToolNames([CLOCK]),
  );
}

describe("hostModel", () => {
  it("assumes a usual size and text input for what the host leaves out, and names no price", () => {
    expect(hostModel("mine", { id: "one" })).toEqual({
      id: "one",
      name: "one",
      api: "host",
      provider: "mine",
      baseUrl: "",
      reasoning: false,
      input: ["text"],
      contextWindow: 128_000,
      maxTokens: 16_384,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    });
  });

  it("limits answers to the window", () => {
    expect(hostModel("mine", { id: "one", contextWindow: 1_000 }).maxTokens).toBe(1_000);
  });
});

describe("hostRequest", () => {
  it("sends only what a model reads, with names that every model accepts", () => {
    expect(request({ id: "one", input: ["text", "image"] })).toEqual({
      type: "host_model_request",
      id: "r1",
      modelId: "one",
      systemPrompt: "Be brief.",
      messages: [
        { role: "user", content: [{ type: "text", text: "What time is it?" }] },
        { role: "assistant", content: [{ type: "toolCall", id: "c1", name: "mcp_clock", arguments: {} }] },
        {
          role: "toolResult",
          toolCallId: "c1",
          toolName: "mcp_clock",
          content: [
            { type: "text", text: "noon" },
            { type: "image", data: "aGk=", mimeType: "image/png" },
          ],
          isError: false,
        },
      ],
      tools: [{ name: "mcp_clock", description: "Tells the time.", parameters: { type: "object" } }],
      thinkingLevel: "off",
    });
  });

  it("offers no tools to a model without tool calls, and notes left-out images", () => {
    const { tools, messages } = request({ id: "one", tools: false });
    expect(tools).toEqual([]);
    expect(messages[2]).toMatchObject({
      content: [
        { type: "text", text: "noon" },
        { type: "text", text: "[image omitted: model does not support images]" },
      ],
    });
  });
});
