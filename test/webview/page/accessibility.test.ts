import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TranscriptItem } from "../../../webview/protocol/items.ts";
import { inPage, type OpenPage, type PageLab, startPageLab } from "../support/open-page.ts";
import { APPROVAL, COMMANDS, CONVERSATION, EDIT_APPROVAL, FAILURE, PLAN, QUESTION } from "../support/sample-items.ts";
import { applyTheme, THEMES } from "../support/themes.ts";

const ROOT = join(import.meta.dirname, "../../..");

const DRAWINGS: TranscriptItem[] = [
  {
    id: "d",
    kind: "text",
    text: "A $\\frac{1}{n}$ and a mistake: $\\frac{a}$.\n\n$$x^2$$\n\n```mermaid\nflowchart LR\n  A --> B\n```\n\n```mermaid\npie\n```\n",
    isStreaming: false,
  },
];

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

describe("accessibility", () => {
  const axe = readFileSync(join(ROOT, "node_modules/axe-core/axe.min.js"), "utf8");
  const states: [string, TranscriptItem[], boolean][] = [
    ["empty", [], false],
    ["conversation", CONVERSATION, false],
    ["question", QUESTION, true],
    ["failure", FAILURE, false],
    ["approval", APPROVAL, false],
    ["approval of an edit", EDIT_APPROVAL, false],
  ];

  it.each(THEMES)("axe finds no problem in the main states of the %s theme", async (theme) => {
    await applyTheme(panel.page, theme);
    await panel.page.evaluate(axe);
    for (const [name, items, isRunning] of states) {
      await panel.snapshot(items, {
        status: isRunning ? "running" : "idle",
        steering: isRunning ? ["queued"] : [],
        ...(isRunning ? { plan: PLAN } : {}),
      });
      if (isRunning) await panel.page.getByRole("button", { name: /^Plan: 1 of 3 done/ }).click();
      await panel.settle();
      const found = await inPage(panel.page, "axe");
      expect(found, name).toEqual([]);
    }
    await panel.snapshot(DRAWINGS);
    await expect.poll(() => panel.page.locator(".diagram-image").count(), { timeout: 20_000 }).toBe(1);
    expect(await inPage(panel.page, "axe"), "formulas and diagrams").toEqual([]);
    await panel.page.getByRole("button", { name: "Show Source" }).click();
    expect(await inPage(panel.page, "axe"), "the source of a diagram").toEqual([]);
    await panel.page.getByRole("textbox", { name: "Message" }).pressSequentially("/");
    await panel.send({ type: "commands", commands: COMMANDS });
    expect(await inPage(panel.page, "axe"), "slash commands").toEqual([]);
  });
});
