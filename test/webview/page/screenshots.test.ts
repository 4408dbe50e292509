import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inPage, type PageLab, startPageLab } from "../support/open-page.ts";
import { STATES, showState } from "../support/page-states.ts";
import { applyTheme, THEMES } from "../support/themes.ts";

const FOLDER = join(import.meta.dirname, "../../e2e/screenshots/page");

describe("the layout in all states", () => {
  let lab: PageLab;
  beforeAll(async () => {
    await mkdir(FOLDER, { recursive: true });
    lab = await startPageLab();
  });
  afterAll(() => lab.close());

  it.each(THEMES)("clips nothing in the %s theme, down to 150 pixels", async (theme) => {
    // 150 is what a panel of 300 pixels has at 200 % zoom.
    // 600 is a chat in an editor tab: there is room for everything, and one theme shows how it looks.
    const wide = theme === "dark" ? [600] : [];
    for (const width of [...wide, 300, 240, 150]) {
      const panel = await lab.open({ width, height: 700 });
      await applyTheme(panel.page, theme);
      for (const name of Object.keys(STATES)) {
        await showState(panel, name);
        if (width === 300) await panel.page.screenshot({ path: join(FOLDER, `${name}-${theme}.png`) });
        if (width === 600) await panel.page.screenshot({ path: join(FOLDER, `${name}-${theme}-wide.png`) });
        expect(await inPage(panel.page, "clipped"), `${name} at ${width}`).toEqual([]);
      }
      if (theme === "light" && width === 150) await panel.page.screenshot({ path: join(FOLDER, "narrow.png") });
      await panel.close();
    }
  });
});
