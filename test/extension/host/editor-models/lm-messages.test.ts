import { describe, expect, test } from "vitest";
import { textOf, toLmMessages } from "../../../../extension/host/editor-models/lm-messages.ts";

const text = (value: string) => ({ type: "text" as const, text: value });
const call = (id: string, path: string) => ({
  type: "toolCall" as const,
  id,
  name: "read",
  arguments: { path },
});
const result = (id: string, value: string, isError = false) => ({
  role: "toolResult" as const,
  toolCallId: id,
  toolName: "read",
  content: [text(value)],
  isError,
});

describe("messages to a model of the editor", () => {
  test("begin with the system prompt as words of the user", () => {
    const messages = [{ role: "user" as const, content: [text("Hello")] }];
    expect(toLmMessages({ systemPrompt: "Be brief.", messages })).toEqual([
      { role: "user", parts: [{ kind: "text", text: "Be brief." }] },
      { role: "user", parts: [{ kind: "text", text: "Hello" }] },
    ]);
    expect(toLmMessages({ systemPrompt: " ", messages })).toHaveLength(1);
  });

  test("put the results of simultaneous calls into one message after them", () => {
    const messages = [
      {
        role: "assistant" as const,
        content: [{ type: "thinking" as const, thinking: "Hm." }, text("Looking."), call("a", "1"), call("b", "2")],
      },
      result("a", "one"),
      result("b", "no such file", true),
      { role: "user" as const, content: [text("Go on.")] },
    ];
    expect(toLmMessages({ systemPrompt: "", messages })).toEqual([
      {
        role: "assistant",
        parts: [
          { kind: "text", text: "Looking." },
          { kind: "toolCall", callId: "a", name: "read", input: { path: "1" } },
          { kind: "toolCall", callId: "b", name: "read", input: { path: "2" } },
        ],
      },
      {
        role: "user",
        parts: [
          { kind: "toolResult", callId: "a", parts: [{ kind: "text", text: "one" }] },
          {
            kind: "toolResult",
            callId: "b",
            parts: [
              { kind: "text", text: "The tool call failed:" },
              { kind: "text", text: "no such file" },
            ],
          },
        ],
      },
      { role: "user", parts: [{ kind: "text", text: "Go on." }] },
    ]);
  });

  test("keep images, leave out blank texts, and mark empty results", () => {
    const image = { type: "image" as const, data: "aGk=", mimeType: "image/png" };
    const messages = [
      { role: "user" as const, content: [text(" "), image] },
      { role: "assistant" as const, content: [{ type: "thinking" as const, thinking: "Nothing else." }] },
      result("a", ""),
    ];
    expect(toLmMessages({ systemPrompt: "", messages })).toEqual([
      { role: "user", parts: [{ kind: "image", data: "aGk=", mimeType: "image/png" }] },
      { role: "user", parts: [{ kind: "toolResult", callId: "a", parts: [{ kind: "text", text: "(no output)" }] }] },
    ]);
  });

  test("are one text for a tokenizer", () => {
    const messages = [{ role: "assistant" as const, content: [text("Looking."), call("a", "1")] }, result("a", "one")];
    expect(textOf(toLmMessages({ systemPrompt: "Be brief.", messages }))).toBe(
      'Be brief.\nLooking.\nread {"path":"1"}\none',
    );
  });
});
