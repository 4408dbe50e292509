import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { TranscriptItem } from "../../../webview/protocol/items.ts";
import { inPage } from "../support/open-page.ts";
import { APPROVAL, CONVERSATION, FAILURE, PLAN, QUESTION } from "../support/sample-items.ts";
import { applyTheme, THEMES } from "../support/themes.ts";
import { usePage } from "../support/use-page.ts";

const FOLDER = join(import.meta.dirname, "../../e2e/screenshots/page");

const panel = usePage();
const answer = (id: string, text: string): TranscriptItem => ({ id, kind: "text", text, isStreaming: false });
/** Evaluates `read`, an expression with `one`, for each element that `selector` matches. */
const ofEach = (selector: string, read: string) =>
  panel().page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => ${read})`);

const DRAWINGS = answer(
  "d",
  'The mean is $\\bar x = \\frac{1}{n}\\sum_{i=1}^n x_i$, and this is wrong: $\\frac{a}$.\n\n$$\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix} \\begin{pmatrix} x \\\\ y \\end{pmatrix} = \\begin{pmatrix} ax + by \\\\ cx + dy \\end{pmatrix}$$\n\n```mermaid\nflowchart LR\n  A[Client] -->|request| B{Cache?}\n  B -->|hit| C[Answer]\n  B -->|miss| D[(Database)]\n  D --> C\n```\n\n```mermaid\npie\n  "a" : 1\n```\n',
);

const RTL = answer(
  "r",
  "שלום, זה טקסט בעברית עם `code` בתוכו.\n\n- פריט ראשון\n- פריט שני\n\nThis paragraph is English.\n\n```ts\nconst a = 1;\n```\n",
);

describe("formulas and diagrams", () => {
  beforeAll(() => mkdir(FOLDER, { recursive: true }));

  it.each(THEMES)("are not clipped at 300, 240 and 150 pixels in the %s theme", async (theme) => {
    await applyTheme(panel().page, theme);
    await panel().snapshot([DRAWINGS]);
    await expect.poll(() => panel().page.locator(".diagram-image, .diagram-note").count(), { timeout: 20_000 }).toBe(2);
    for (const width of [300, 240, 150]) {
      await panel().page.setViewportSize({ width, height: 700 });
      await panel().settle();
      expect(await inPage(panel().page, "clipped"), String(width)).toEqual([]);
      if (width === 300) await panel().page.screenshot({ path: join(FOLDER, `drawings-${theme}.png`) });
    }
  });
});

describe("high contrast", () => {
  it.each(["hc", "hc-light"] as const)("gives every box a border of the theme's contrast color: %s", async (theme) => {
    await applyTheme(panel().page, theme);
    await panel().snapshot([...CONVERSATION, ...FAILURE, ...APPROVAL, DRAWINGS], { plan: PLAN, followUp: ["later"] });
    const boxes =
      ".tool:not(.is-failed), .prompt, .code-block, .composer, .chip, .plan, .reference, .notice.is-error, .notice.is-warning, .approval-code pre";
    const colors = await ofEach(boxes, "[one.className, getComputedStyle(one).borderTopColor].join(' ')");
    const expected = await panel().page.evaluate(
      "(() => { const probe = document.createElement('i'); probe.style.color = 'var(--vscode-contrastBorder)'; document.body.append(probe); const { color } = getComputedStyle(probe); probe.remove(); return color; })()",
    );
    if (!Array.isArray(colors)) throw new Error("Nothing was measured.");
    expect(colors.length).toBeGreaterThan(10);
    expect(colors.filter((one) => !String(one).endsWith(String(expected)))).toEqual([]);
  });

  it("set by the system keeps borders, marks of changes and the focus mark", async () => {
    await panel().page.emulateMedia({ forcedColors: "active" });
    await applyTheme(panel().page, "hc");
    await panel().snapshot([...CONVERSATION, ...QUESTION], { status: "running" });
    await panel().page.locator('[data-id="5"]').scrollIntoViewIfNeeded();
    expect(await ofEach(".diff-line.is-added, .diff-line.is-removed", "getComputedStyle(one).outlineStyle")).toEqual([
      "dashed",
      "dashed",
      "dashed",
    ]);
    expect(await ofEach(".question.is-pending .question-group", "getComputedStyle(one).borderTopWidth")).toEqual([
      "2px",
    ]);
    expect(await ofEach(".reference", "getComputedStyle(one).borderTopStyle")).toEqual(["solid", "solid"]);
    await panel().page.getByRole("textbox", { name: "Message" }).focus();
    for (const key of ["Shift+F6", "Shift+F6", "ArrowUp"]) await panel().page.keyboard.press(key);
    expect(await panel().page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
  });
});

describe("motion", () => {
  const MOVING: TranscriptItem[] = [
    { id: "k", kind: "thinking", text: "Well", isStreaming: true },
    ...QUESTION.filter(({ kind }) => kind === "tool"),
  ];
  const moving = () => panel().page.evaluate("testSide.moving()");

  it("is shown, but not when the system or the editor disables it", async () => {
    await panel().snapshot(MOVING, { status: "running" });
    expect(await moving()).not.toEqual([]);
    await panel().page.emulateMedia({ reducedMotion: "reduce" });
    await panel().settle();
    expect(await moving()).toEqual([]);
    await panel().page.emulateMedia({ reducedMotion: "no-preference" });
    await panel().settle();
    expect(await moving()).not.toEqual([]);
    await panel().page.evaluate("document.body.classList.add('vscode-reduce-motion')");
    await panel().settle();
    expect(await moving()).toEqual([]);
  });
});

describe("right-to-left text", () => {
  it("is aligned right, block by block, and code in it left", async () => {
    await panel().snapshot([{ id: "p", kind: "prompt", text: "שלום עולם\nand English", images: [] }, RTL]);
    expect(await ofEach(".markdown p, .markdown ul", "getComputedStyle(one).direction")).toEqual(["rtl", "rtl", "ltr"]);
    expect(await ofEach(".markdown code", "getComputedStyle(one).direction")).toEqual(["ltr", "ltr"]);
    expect(await ofEach(".prompt-text", "getComputedStyle(one).direction")).toEqual(["rtl"]);
    const [paragraph] = await panel().page.locator(".markdown p").all();
    const right = await paragraph?.evaluate((element) => {
      const range = element.ownerDocument.createRange();
      range.selectNodeContents(element);
      return element.getBoundingClientRect().right - range.getBoundingClientRect().right;
    });
    expect(right).toBeLessThan(2);
    await panel().page.screenshot({ path: join(FOLDER, "right-to-left.png") });
  });
});
