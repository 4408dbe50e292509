import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startPageLab } from "../../support/open-page.ts";
import { showState } from "../../support/page-states.ts";
import { applyTheme, THEMES } from "../../support/themes.ts";
import { usePage } from "../../support/use-page.ts";

const FOLDER = join(import.meta.dirname, "../../../e2e/screenshots/page");
const panel = usePage();
const line = () => panel().page.getByText("Cache expired: next message costs about $0.42");

describe("the line about an expired cache", () => {
  it("comes when the cache expires, while the agent is idle", async () => {
    const cache = { expiresAt: Date.now() + 1_500, rereadUsd: 0.42 };
    await panel().snapshot([], { cache });
    expect(await line().isVisible()).toBe(false);
    await line().waitFor({ state: "visible" });
    await panel().patch([], { status: "running" });
    expect(await line().isVisible()).toBe(false);
    await panel().patch([], { status: "idle" });
    expect(await line().isVisible()).toBe(true);
    await panel().patch([], { cache: { expiresAt: Date.now() + 60_000, rereadUsd: 0.42 } });
    expect(await line().isVisible()).toBe(false);
  });

  it("does not come for cents", async () => {
    await panel().snapshot([], { cache: { expiresAt: 1, rereadUsd: 0.04 } });
    expect(await panel().page.getByText("Cache expired").isVisible()).toBe(false);
  });

  it("is one quiet line in a narrow panel, in every theme", async () => {
    await mkdir(FOLDER, { recursive: true });
    const lab = await startPageLab();
    try {
      const narrow = await lab.open({ width: 300, height: 400 });
      for (const theme of THEMES) {
        await applyTheme(narrow.page, theme);
        await showState(narrow, "expired");
        const box = await narrow.page.locator(".cache-line").boundingBox();
        expect(box?.height).toBeLessThan(24);
        expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(300);
        await narrow.page.screenshot({ path: join(FOLDER, `cache-expired-${theme}.png`) });
      }
      await narrow.close();
    } finally {
      await lab.close();
    }
  });
});
