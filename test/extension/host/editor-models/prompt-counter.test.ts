import { expect, test } from "vitest";
import type { LmMessage } from "../../../../extension/host/editor-models/lm-messages.ts";
import { PromptCounter } from "../../../../extension/host/editor-models/prompt-counter.ts";

const say = (text: string): LmMessage => ({ role: "user", parts: [{ kind: "text", text }] });

test("the prompt counter counts only what is new since the last request, in one call", async () => {
  const counter = new PromptCounter();
  const counted: string[] = [];
  const count = (messages: readonly LmMessage[]) =>
    counter.count(messages, async (text) => {
      counted.push(text);
      return text.length;
    });
  expect(await count([say("ab"), say("c")])).toBe(4);
  expect(await count([say("ab"), say("c"), say("de"), say("f")])).toBe(8);
  expect(await count([say("ab"), say("c"), say("de"), say("f")])).toBe(8);
  // A branch goes on from what it shares with the other.
  expect(await count([say("ab"), say("c"), say("xyz")])).toBe(7);
  expect(await count([say("other")])).toBe(5);
  expect(counted).toEqual(["ab\nc", "de\nf", "xyz", "other"]);
});

test("the prompt counter repeats a failed count with the next request", async () => {
  const counter = new PromptCounter();
  await expect(counter.count([say("ab")], () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await counter.count([say("ab")], async (text) => text.length)).toBe(2);
});
