import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { PlanStep, TranscriptItem } from "../../webview/protocol.ts";
import { inPage, type OpenPage, type PageLab, startPageLab } from "./open-page.ts";
import { CONVERSATION, FAILURE, QUESTION } from "./sample-items.ts";
import { applyTheme, THEMES } from "./themes.ts";

const ROOT = join(import.meta.dirname, "../..");

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

const PLAN: PlanStep[] = [
  { text: "Find what fails", state: "completed" },
  { text: "Repair it", state: "in_progress" },
  { text: "Rewrite it", state: "abandoned" },
];

describe("accessibility", () => {
  const axe = readFileSync(join(ROOT, "node_modules/axe-core/axe.min.js"), "utf8");
  const states: [string, TranscriptItem[], boolean][] = [
    ["empty", [], false],
    ["conversation", CONVERSATION, false],
    ["question", QUESTION, true],
    ["failure", FAILURE, false],
  ];

  it.each(THEMES)("axe finds nothing in the main states of the %s theme", async (theme) => {
    await applyTheme(panel.page, theme);
    await panel.page.evaluate(axe);
    for (const [name, items, isRunning] of states) {
      const plan = isRunning ? PLAN : [];
      await panel.snapshot(items, {
        status: isRunning ? "running" : "idle",
        steering: isRunning ? ["queued"] : [],
        plan,
      });
      if (isRunning) await panel.page.getByText("Plan: 1 of 2 steps done").click();
      await panel.settle();
      const found = await inPage(panel.page, "axe");
      expect(found, name).toEqual([]);
    }
  });
});
