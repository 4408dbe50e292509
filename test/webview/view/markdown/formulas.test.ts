import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { TranscriptItem } from "../../../../webview/protocol/items.ts";
import { usePage } from "../../support/use-page.ts";

const panel = usePage();
const answer = (text: string, isStreaming = false): TranscriptItem => ({ id: "a", kind: "text", text, isStreaming });
const formulas = () => panel().page.locator(".math");
const sources = () =>
  panel()
    .page.locator(".math")
    .evaluateAll((all) => all.map((one) => one.dataset.tex));
const loaded = () => panel().page.locator('script[src$="math.js"]').count();

/** Texts and the formulas in them. */
const FORMULAS: [string, string[]][] = [
  ["a line with $a^2 + b^2$ in it", ["a^2 + b^2"]],
  ["\\(x\\) and \\(y\\)", ["x", "y"]],
  ["$$\n\\int_0^1 x\\,dx\n$$", ["\\int_0^1 x\\,dx"]],
  ["\\[\ne = mc^2\n\\]", ["e = mc^2"]],
  ["so $$a = b$$ holds", ["a = b"]],
  ["- one\n\n  $$\n  x_1\n  $$\n\n- two", ["x_1"]],
  ["> $$y$$", ["y"]],
  ["text above\n$$\nz\n$$\ntext below", ["z"]],
  ["**bold $x$** and | $a$", ["x", "a"]],
  ["$\\text{costs \\$5}$", ["\\text{costs \\$5}"]],
];

const NO_FORMULAS = [
  "It costs $5 and $6.",
  "between $10 and 20$",
  "from US$5 to US$7, or $1,000 dollars$",
  "$HOME and $PATH, or $A/$B",
  "`$x$` and `\\(y\\)`",
  "```\n$$\nx\n$$\n```",
  "    $$x$$ in indented code",
  "not closed: $a + b",
  "not closed: \\(a + b",
  "$$\na\n\nb\n$$",
  "an escaped \\$x\\$",
  "$ x $",
  "$$ $$",
  `$${"x".repeat(2_001)}$`,
];

describe("the detection of formulas", () => {
  async function found(texts: readonly string[]): Promise<[string, unknown][]> {
    await panel().snapshot(texts.map((text, index) => ({ ...answer(text), id: `a${index}` })));
    const sources = (index: number) =>
      panel()
        .page.locator(`[data-id="a${index}"] .math`)
        .evaluateAll((all) => all.map((one) => one.dataset.tex));
    return Promise.all(texts.map(async (text, index): Promise<[string, unknown]> => [text, await sources(index)]));
  }

  it("follows their delimiters, in lines, lists and quotations", async () => {
    expect(await found(FORMULAS.map(([text]) => text))).toEqual(FORMULAS);
  });

  it("ignores money, code, variable names and unclosed delimiters", async () => {
    expect(await found(NO_FORMULAS)).toEqual(NO_FORMULAS.map((text) => [text, []]));
  });
});

describe("a formula", () => {
  it("is drawn as MathML by a script that loads with the first visible one", async () => {
    await panel().snapshot([answer("No formula here.")]);
    expect(await loaded()).toBe(0);
    await panel().snapshot([answer("Here $\\frac{a}{b}$ is one.\n\n$$\\sum_{i=1}^n i$$")]);
    await expect.poll(() => formulas().locator("math").count()).toBe(2);
    expect(await formulas().first().locator("mfrac").count()).toBe(1);
    expect(await loaded()).toBe(1);
    expect(await panel().page.getByRole("group", { name: "Formula" }).count()).toBe(1);
  });

  it("stays as written until it is visible", async () => {
    await panel().snapshot([answer(`$x$\n\n${"line\n\n".repeat(400)}the end`)]);
    await expect.poll(() => panel().page.getByText("the end").isVisible()).toBe(true);
    await panel().settle();
    expect(await formulas().textContent()).toBe("$x$");
    await panel()
      .page.locator(".transcript")
      .evaluate((log) => log.scrollTo(0, 0));
    await expect.poll(() => formulas().locator("math").count()).toBe(1);
  });

  it("is text while it streams, and looks in the end as if it had come at once", async () => {
    const text = "Let $x_1$ be\n\n$$\nx_1 + 1\n$$\n\nand \\(y\\) too.";
    await panel().snapshot([answer("", true)]);
    await panel().patch([{ op: "append", id: "a", text: "Let $x_1" }]);
    expect(await sources()).toEqual([]);
    await panel().stream("a", [...text.slice("Let $x_1".length)]);
    expect(await sources()).toEqual(["x_1", "x_1 + 1", "y"]);
    await expect.poll(() => formulas().locator("math").count()).toBe(3);
  });

  it("that is wrong stays as written, with a note", async () => {
    await panel().snapshot([answer("Look: $\\frac{a}$ and $\\nosuch$")]);
    const notes = panel().page.getByRole("img", { name: /^Can't render this formula: / });
    await expect.poll(() => notes.count()).toBe(2);
    expect(await formulas().first().textContent()).toContain("$\\frac{a}$");
  });

  it("creates no links, images, styles or endless work, whatever it contains", async () => {
    const hostile = [
      "\\href{javascript:window.broken=1}{x}",
      "\\url{javascript:window.broken=1}",
      "\\includegraphics{https://evil.example/a.png}",
      "\\htmlStyle{position:fixed;inset:0}{x}",
      "\\htmlId{root}{x}",
      "\\htmlData{x=y}{z}",
      "\\htmlClass{page}{x}",
      "\\text{<img src=x onerror=window.broken=1>}",
      "\\def\\a{\\a\\a}\\a",
      "\\rule{99999em}{99999em}",
      "\\kern{-9999em}x",
      "{".repeat(900) + "}".repeat(900),
      "\\color{red;position:fixed}x",
    ];
    await panel().snapshot([answer(hostile.map((tex) => `$${tex}$`).join("\n\n"))]);
    await expect
      .poll(() => panel().page.locator(".math:not(.is-drawn, .is-failed)").count(), { timeout: 15_000 })
      .toBe(0);
    expect(await formulas().count()).toBe(hostile.length);
    expect(await formulas().locator("a, img, script, [href], [onerror], [id]").count()).toBe(0);
    expect(await panel().page.evaluate("window.broken")).toBeUndefined();
    const styles = await formulas()
      .locator("[style]")
      .evaluateAll((all) => all.map((one) => one.getAttribute("style")));
    expect(styles.filter((style) => /position|inset|url/.test(style ?? ""))).toEqual([]);
    const widest = await formulas().evaluateAll((all) =>
      Math.max(...all.map((one) => one.getBoundingClientRect().width)),
    );
    expect(widest).toBeLessThanOrEqual(300);
  });

  it("is drawn by a separate script", () => {
    const folder = join(import.meta.dirname, "../../../../dist/webview");
    expect(statSync(join(folder, "math.js")).size).toBeLessThan(300_000);
  });
});
