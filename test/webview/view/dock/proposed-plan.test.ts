import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { applyTheme, THEMES } from "../../support/themes.ts";
import { usePage } from "../../support/use-page.ts";

const FOLDER = join(import.meta.dirname, "../../../e2e/screenshots/page");
const panel = usePage();
const line = () => panel().page.getByRole("region", { name: "Proposed plan" });

describe("the line about a proposed plan", () => {
  it("is hidden without one, names it, and offers to start, change, or discard it", async () => {
    await panel().snapshot([]);
    expect(await line().count()).toBe(0);
    await panel().patch([], { proposedPlan: "Add a cache" });
    expect(await line().textContent()).toContain("Plan ready: Add a cache");
    await panel().forgetPosts();
    for (const name of ["Start…", "Change…", "Discard"]) await line().getByRole("button", { name }).click();
    expect(await panel().posts()).toEqual(
      ["startPlan", "changePlan", "discardPlan"].map((name) => ({ type: "command", command: `tiller.${name}` })),
    );
    await panel().patch([], { proposedPlan: undefined });
    expect(await line().count()).toBe(0);
  });

  it("fits a narrow side bar in every theme", async () => {
    const { page } = panel();
    await page.setViewportSize({ width: 300, height: 600 });
    await panel().snapshot([], { proposedPlan: "Cache the readings by day, and read each file once" });
    await mkdir(FOLDER, { recursive: true });
    for (const theme of THEMES) {
      await applyTheme(page, theme);
      await page.screenshot({ path: join(FOLDER, `proposed-plan-${theme}.png`) });
    }
    const { width = 0 } = (await line().boundingBox()) ?? {};
    expect(width).toBeLessThanOrEqual(300);
  });
});
