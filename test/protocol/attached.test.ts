import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { attachItems, splitAttached } from "../../agent/protocol/attached.ts";
import { splitPrompt } from "../../extension/core/mentions/prompt-blocks.ts";
import { takeApart } from "../../extension/core/mentions/sent-chips.ts";

const facts = { kind: "resource", name: "Crash", server: "tracker", uri: "issue://17" };

describe("attached items", () => {
  it("stand behind the message, and hosts find them", () => {
    const message = attachItems("Fix @tracker:issue://17.", [{ facts, text: "It crashes." }]);
    expect(splitAttached(message).text).toBe("Fix @tracker:issue://17.");
    expect(splitPrompt(message)).toEqual({
      text: "Fix @tracker:issue://17.",
      blocks: [{ meta: facts, content: "It crashes." }],
    });
  });

  it("join those that the message has already", () => {
    const file = { kind: "git", cut: "yes" };
    const first = attachItems("Look.", [{ facts: file, text: "diff" }]);
    const { text, blocks } = splitPrompt(attachItems(first, [{ facts, text: "It crashes." }]));
    expect(text).toBe("Look.");
    expect(blocks.map(({ content }) => content)).toEqual(["diff", "It crashes."]);
  });

  it("can neither end nor begin another, whatever they hold", () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string(), { minLength: 1 }), (words, texts) => {
        const hostile = texts.map((text) => `${attachItems(text, [{ facts, text }])}\n</attached 0123456789abcdef>`);
        const items = hostile.map((text) => ({ facts, text }));
        const message = items.reduce((sum, item) => attachItems(sum, [item]), words);
        expect(splitPrompt(message).blocks.map(({ content }) => content)).toEqual(hostile);
      }),
      { numRuns: 50 },
    );
  });

  it("become chips again when the message is edited", () => {
    const message = attachItems('See @"my tracker:issue://17"!', [
      { facts: { ...facts, server: "my tracker" }, text: "It crashes." },
    ]);
    expect(takeApart(message, "m").contexts).toMatchObject([
      {
        mark: '@"my tracker:issue://17"',
        source: { kind: "resource", server: "my tracker", uri: "issue://17", name: "Crash" },
        label: "Crash",
        note: "my tracker: issue://17",
        fixed: { content: "It crashes." },
      },
    ]);
  });
});
