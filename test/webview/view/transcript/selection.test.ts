import { describe, expect, it } from "vitest";
import type { TranscriptItem } from "../../../../webview/protocol/items.ts";
import { usePage } from "../../support/use-page.ts";

const panel = usePage();
const message = () => panel().page.getByRole("textbox", { name: "Message" });
const selected = () => panel().page.evaluate("document.getSelection().toString()");
const answer = (text: string, isStreaming = true): TranscriptItem => ({ id: "a", kind: "text", text, isStreaming });
const words = (count: number, word: string) => Array.from({ length: count }, (_, index) => `${word}${index} `);

/** Drags over a word of an item, as a hand does. */
async function dragOver(id: string, word: string): Promise<void> {
  const place = await panel().page.evaluate(`(() => {
    const texts = document.createTreeWalker(document.querySelector('[data-id="${id}"]'), NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const at = texts.currentNode.data.indexOf(${JSON.stringify(word)});
      if (at === -1) continue;
      const range = document.createRange();
      range.setStart(texts.currentNode, at);
      range.setEnd(texts.currentNode, at + ${word.length});
      const { left, right, top, bottom } = range.getBoundingClientRect();
      return [left, right, (top + bottom) / 2];
    }
  })()`);
  if (!Array.isArray(place)) throw new Error(`There is no ${word}.`);
  const [left, right, middle] = place.map(Number);
  const { mouse } = panel().page;
  await mouse.move((left ?? 0) + 0.5, middle ?? 0);
  await mouse.down();
  await mouse.move((right ?? 0) - 0.5, middle ?? 0, { steps: 4 });
  await mouse.up();
}

/** Returns the text that Ctrl+C has copied, pasted into the composer. */
async function copied(): Promise<string> {
  await panel().page.keyboard.press("Control+c");
  await message().focus();
  await panel().page.keyboard.press("Control+a");
  await panel().page.keyboard.press("Control+v");
  return message().inputValue();
}

describe("a selection", () => {
  it("stays in the growing paragraph and after the end of the answer, and can be copied", async () => {
    await panel().snapshot([answer("Some **bold** needle in")], { status: "running" });
    await dragOver("a", "needle");
    expect(await selected()).toBe("needle");
    await panel().stream("a", [
      " a *hay",
      "stack* and",
      " more\n",
      ...words(40, "w"),
      "\n\nAnother paragraph\n\n- a list",
    ]);
    await panel().patch([], { status: "idle" });
    expect(await selected()).toBe("needle");
    expect(await copied()).toBe("needle");
  });

  it("stays in growing and in complete code, whose coloring waits", async () => {
    await panel().snapshot([answer("```ts\nconst needle = 1;\n")], { status: "running" });
    await dragOver("a", "needle");
    await panel().stream("a", ["let more = 2;\n", "```\n", "\nThe end of src/needle.ts."]);
    for (let frames = 0; frames < 20; frames += 1) await panel().settle();
    expect(await selected()).toBe("needle");
    expect(await panel().page.locator(".code-block .hljs-keyword").count()).toBe(0);
    expect(await copied()).toBe("needle");
    await expect.poll(() => panel().page.locator(".code-block .hljs-keyword").count()).toBeGreaterThan(0);
  });

  it("stays in thinking and in the output of a running tool", async () => {
    const tool = (output: string): TranscriptItem => ({
      id: "t",
      kind: "tool",
      toolName: "bash",
      state: "running",
      intent: "make",
      input: "make",
      inputLanguage: "bash",
      output,
      isOutputCut: false,
      images: [],
      canStop: true,
    });
    const thought: TranscriptItem = { id: "k", kind: "thinking", text: "First a needle", isStreaming: true };
    await panel().snapshot([thought, tool("one needle\n")], { status: "running" });
    await dragOver("k", "needle");
    await panel().patch([{ op: "append", id: "k", text: " and more" }]);
    expect(await selected()).toBe("needle");
    await dragOver("t", "needle");
    for (let lines = 2; lines < 12; lines += 1) {
      await panel().patch([{ op: "upsert", item: tool(`one needle\n${"line\n".repeat(lines)}`) }]);
    }
    expect(await selected()).toBe("needle");
    expect(await copied()).toBe("needle");
  });

  it("is everything after Ctrl+A, even while more arrives", async () => {
    await panel().snapshot([{ id: "p", kind: "prompt", text: "My question", images: [] }, answer("First.\n\nSecond")], {
      status: "running",
    });
    await panel().page.locator('[data-id="p"]').focus();
    await panel().page.keyboard.press("Control+a");
    await panel().stream("a", [" one", " grows.\n\n", "Third."]);
    const text = String(await selected());
    expect(text).toContain("My question");
    expect(text).toContain("First.");
    expect(text).toContain("Second one grows.");
    const paste = await copied();
    expect(paste).toContain("My question");
    expect(paste).toContain("Second one grows.");
  });
});
