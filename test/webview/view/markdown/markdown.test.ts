import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TranscriptItem } from "../../../../webview/protocol/items.ts";
import { inPage, type OpenPage, type PageLab, startPageLab } from "../../support/open-page.ts";
import { GROWING, HOSTILE } from "./markdown-corpus.ts";

let lab: PageLab;
let panel: OpenPage;
beforeAll(async () => {
  lab = await startPageLab();
});
afterAll(() => lab.close());
beforeEach(async () => {
  panel = await lab.open();
});
afterEach(async () => {
  const trespasses = await panel.trespasses();
  await panel.close();
  expect(trespasses).toEqual([]);
});

const answer = (id: string, text: string, isStreaming = false): TranscriptItem => ({
  id,
  kind: "text",
  text,
  isStreaming,
});
async function drawn(id: string): Promise<string> {
  await panel.settle();
  await expect.poll(() => panel.page.locator(".code-block:not([data-colored])").count()).toBe(0);
  return panel.page.locator(`[data-id="${id}"] .markdown`).innerHTML();
}

describe("streamed Markdown", () => {
  it.each(Object.entries(GROWING))("looks the same as when it arrives at once: %s", async (_name, text) => {
    await panel.snapshot([answer("s", text)]);
    const whole = await drawn("s");
    const sizes = fc.array(fc.integer({ min: 1, max: 16 }), { minLength: 8, maxLength: 30 });
    for (const [index, split] of fc.sample(sizes, { numRuns: 2, seed: 7 }).entries()) {
      const id = `s${index}`;
      await panel.snapshot([answer(id, "", true)]);
      await panel.stream(id, cut(text, split));
      expect(await drawn(id)).toBe(whole);
    }
  });

  it("leaves finished blocks unchanged while later ones grow", async () => {
    await panel.snapshot([answer("s", "", true)]);
    await panel.patch([{ op: "append", id: "s", text: "First paragraph.\n\n```ts\nlet a = 1;\n```\n\nSecond\n" }]);
    await inPage(panel.page, "mark", ".part > *");
    await panel.patch([{ op: "append", id: "s", text: "goes on\n\nThird" }]);
    expect(await panel.page.locator(".part > [data-mark]").count()).toBe(2);
    expect(await panel.page.locator(".part > *").count()).toBe(4);
  });

  it("leaves finished items, quoted blocks and rows unchanged while later ones grow", async () => {
    const texts = ["1. one\n2. two\n3. thr", "> one\n>\n> two\n>\n> thr", "| a |\n|---|\n| one |\n| two |\n| thr"];
    await panel.snapshot(texts.map((_, index) => answer(`s${index}`, "", true)));
    await panel.patch(texts.map((text, index) => ({ op: "append", id: `s${index}`, text })));
    const parts = ".markdown :is(li, blockquote > p, td)";
    await inPage(panel.page, "mark", parts);
    for (const ending of ["ee", "\n", "", ""]) {
      await panel.patch(texts.map((_, index) => ({ op: "append", id: `s${index}`, text: ending })));
    }
    const kept = await panel.page.locator(`:is(${parts})[data-mark]`).allTextContents();
    expect(kept.map((text) => text.trim())).toEqual(["one", "two", "one", "two", "one", "two"]);
  });

  it("draws the boxes of task lists, which cannot be changed, and of nothing else", async () => {
    await panel.snapshot([answer("a", "- [x] one\n- [ ] two\n- [y] three\n- four [x]\n\n[x] five")]);
    const boxes = panel.page.getByRole("checkbox");
    expect(await boxes.evaluateAll((all) => all.map((box) => box.getAttribute("aria-label")))).toEqual([
      "Completed",
      "Not completed",
    ]);
    expect(await boxes.first().isChecked()).toBe(true);
    expect(await boxes.last().isDisabled()).toBe(true);
    expect(await panel.page.locator(".markdown li").allInnerTexts()).toEqual(["one", "two", "[y] three", "four [x]"]);
  });

  it("only adds to the code of an open fence", async () => {
    await panel.snapshot([answer("s", "```ts\nlet a", true)]);
    await panel.patch([{ op: "append", id: "s", text: " = 1;\n" }]);
    await inPage(panel.page, "mark", ".markdown pre");
    await panel.patch([{ op: "append", id: "s", text: "let b = 2;\n" }]);
    expect(await panel.page.locator("pre[data-mark]").textContent()).toBe("let a = 1;\nlet b = 2;\n");
  });

  it("runs no script, loads nothing and keeps no dangerous link of hostile text", async () => {
    await panel.snapshot(HOSTILE.map((text, index) => answer(`h${index}`, text)));
    await panel.settle();
    for (const link of await panel.page.locator(".markdown a").all()) await link.dispatchEvent("click");
    expect(await panel.page.evaluate("window.broken")).toBeUndefined();
    expect(
      await panel.page
        .locator(".markdown")
        .locator("script, img, svg, iframe, style, form, input, meta, base, [onclick], [onerror]")
        .count(),
    ).toBe(0);
    const hrefs = await panel.page
      .locator(".markdown a[href]")
      .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
    expect(hrefs.filter((href) => !/^https?:/.test(href ?? ""))).toEqual([]);
    expect(new URL(panel.page.url()).pathname).toBe("/");
  });

  it("passes links to the host and never follows them", async () => {
    await panel.snapshot([
      answer("s", "[web](https://example.com/x) [file](src/a%20b.ts:12) ![pic](https://example.com/p.png)"),
    ]);
    await panel.page.getByRole("link", { name: "web" }).click();
    await panel.page.getByRole("link", { name: "file" }).click();
    await panel.page.getByRole("link", { name: "Image: pic" }).click();
    expect((await panel.posts()).filter((post) => post.type.startsWith("open"))).toEqual([
      { type: "openLink", href: "https://example.com/x" },
      { type: "openFile", path: "src/a b.ts", line: 12 },
      { type: "openLink", href: "https://example.com/p.png" },
    ]);
  });

  it("copies the code of a block as written", async () => {
    await panel.snapshot([answer("s", "```js\nlet a = '<b>';\n```")]);
    await drawn("s");
    await panel.page.getByRole("button", { name: "Copy Code" }).click();
    expect(await panel.posts()).toContainEqual({ type: "copy", text: "let a = '<b>';" });
  });
});

function cut(text: string, sizes: number[]): string[] {
  const pieces: string[] = [];
  let at = 0;
  for (let index = 0; at < text.length; index += 1) {
    const size = sizes[index % sizes.length] ?? 1;
    pieces.push(text.slice(at, at + size));
    at += size;
  }
  return pieces;
}
