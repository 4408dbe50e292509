import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ShownUsage } from "../../../webview/protocol/usage.ts";
import { inPage } from "../support/open-page.ts";
import { applyTheme, THEMES } from "../support/themes.ts";
import { startBrowser } from "../trace/open-trace.ts";
import { type OpenUsage, openUsage } from "./open-usage.ts";

const ROOT = join(import.meta.dirname, "../../..");
const FOLDER = join(ROOT, "test/e2e/screenshots/page");

let browser: Browser;
let opened: OpenUsage | undefined;

beforeAll(async () => {
  await mkdir(FOLDER, { recursive: true });
  browser = await startBrowser();
});
afterAll(() => browser.close());
afterEach(async () => {
  const trespasses = opened?.trespasses ?? [];
  await opened?.close();
  opened = undefined;
  expect(trespasses).toEqual([]);
});

const sums = (scale: number) => ({
  requests: 4,
  input: 2_000 * scale,
  output: 1_500 * scale,
  cacheRead: 90_000 * scale,
  cacheWrite: 8_000 * scale,
  costUsd: 0.06 * scale,
});

function sample(changes: Partial<ShownUsage> = {}): ShownUsage {
  const calendar = Array.from({ length: 30 }, (_, index) => `2026-05-${String(index + 1).padStart(2, "0")}`);
  const rows = calendar.flatMap((day, index) =>
    index % 7 > 4
      ? []
      : [
          { day, project: "/home/me/reading-list", model: "anthropic/claude-sonnet-5", ...sums(1 + (index % 5) * 3) },
          { day, project: "/home/me/<b>shop</b>", model: "anthropic/claude-haiku-4-5", ...sums(0.2 + (index % 3)) },
        ],
  );
  const session = (title: string, scale: number) => ({
    path: `/s/${title}.jsonl`,
    title,
    project: "/home/me/shop",
    ...sums(scale),
  });
  return {
    days: 30,
    calendar,
    rows,
    tools: ["bash", "read", "edit", "grep"].map((tool, index) => ({
      tool,
      calls: 40 - index * 7,
      tokens: 9e5 / (index + 1),
      costUsd: 2 / (index + 1),
    })),
    sessions: [
      session("Fix the parser", 20),
      session("Fix the parser (2)", 12),
      session("Write the release notes for the next version", 7),
    ],
    sessionCount: 17,
    unreadableCount: 1,
    ...changes,
  };
}

async function show(usage = sample(), size?: { width: number; height: number }) {
  opened = await openUsage(browser, size);
  await opened.send({ type: "usage", usage });
  await opened.page.getByRole("heading", { name: "Usage" }).waitFor();
  return opened;
}

describe("the page of usage", () => {
  test("asks for the numbers, and shows totals with the share of the cache", async () => {
    const { page, posts } = await show();
    expect(posts).toEqual([{ type: "ready" }]);
    const totals = await page.locator(".totals > div").allTextContents();
    expect(totals).toEqual(["Cost$11.36", "Tokens19.2M", "Input from the cache90%", "Requests176", "Sessions17"]);
    await page.getByText("1 file couldn't be read.").waitFor();
  });

  test("has a bar for each day, and the same numbers in a table", async () => {
    const { page } = await show();
    const plot = page.getByRole("region", { name: "Cost per Day" });
    expect(await plot.locator(".bar").count()).toBe(30);
    expect(await plot.locator("rect.cost").count()).toBe(22);
    await plot.getByText("Show as a table").focus();
    await page.keyboard.press("Enter");
    const row = plot.getByRole("row").nth(1);
    expect(await row.getByRole("rowheader").textContent()).toBe("May 30");
    expect(await row.getByRole("cell").textContent()).toBe("$0.912");
  });

  test("lists models, projects and tools by their cost, and runs nothing that a name contains", async () => {
    const { page } = await show();
    const names = (title: string) => page.getByRole("region", { name: title }).locator("tbody th").allTextContents();
    expect(await names("By Model")).toEqual(["anthropic/claude-sonnet-5", "anthropic/claude-haiku-4-5"]);
    expect(await names("By Project")).toEqual(["/home/me/reading-list", "/home/me/<b>shop</b>"]);
    expect(await names("By Tool")).toEqual(["bash", "read", "edit", "grep"]);
  });

  test("opens a session, changes the range, and exports by the keyboard", async () => {
    const { page, posts } = await show();
    await page.getByRole("button", { name: "Fix the parser (2)" }).focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("Time range").selectOption("90");
    await page.getByRole("button", { name: "Export as CSV…" }).press("Enter");
    await expect
      .poll(() => posts.slice(1))
      .toEqual([{ type: "open", path: "/s/Fix the parser (2).jsonl" }, { type: "load", days: 90 }, { type: "export" }]);
  });

  test("says when there is nothing, and why it could not read", async () => {
    const { page, send } = await show(sample({ rows: [], tools: [], sessions: [], sessionCount: 0 }));
    await page.getByText("No usage in this period.").waitFor();
    expect(await page.getByRole("button", { name: "Export as CSV…" }).isDisabled()).toBe(true);
    await send({ type: "failed", message: "Couldn't read the usage: no agent" });
    await page.getByText("Couldn't read the usage: no agent").waitFor();
  });

  test.each(THEMES)("fits and has no axe problems in the %s theme, also at 450 pixels", async (theme) => {
    const { page } = await show();
    await applyTheme(page, theme);
    await page.evaluate(readFileSync(join(ROOT, "node_modules/axe-core/axe.min.js"), "utf8"));
    for (const width of [900, 450, 300]) {
      await page.setViewportSize({ width, height: 900 });
      await page.screenshot({ path: join(FOLDER, `usage-${theme}-${width}.png`), fullPage: true });
      const overflow = await page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      expect(overflow, `${theme} ${width}`).toBe(0);
      expect(await inPage(page, "axe"), `${theme} ${width}`).toEqual([]);
    }
  });
});
