import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { STATES, showState } from "../support/page-states.ts";
import { applyTheme, THEMES } from "../support/themes.ts";
import { usePage } from "../support/use-page.ts";

const MEASURE = readFileSync(join(import.meta.dirname, "../support/measure-side.js"), "utf8");
const WIDTH = 300;
/** The lowest contrast between a text and what is behind it: level AA of WCAG 2.2. */
const LEAST_CONTRAST = 4.5;
const Texts = z.object({ count: z.number(), faint: z.array(z.string()) });

const panel = usePage();

describe.each(THEMES)("the page at 300 pixels in the theme %s", (theme) => {
  it.each(Object.keys(STATES))("shows readable text that fits and controls that do not overlap: %s", async (state) => {
    const { page } = panel();
    await page.setViewportSize({ width: WIDTH, height: 700 });
    await applyTheme(page, theme);
    await page.evaluate(MEASURE);
    await showState(panel(), state);
    const { count, faint } = Texts.parse(await page.evaluate(`measureSide.texts(${LEAST_CONTRAST})`));
    expect(count).toBeGreaterThan(3);
    expect(faint).toEqual([]);
    expect(await page.evaluate("measureSide.widths()")).toEqual([WIDTH, WIDTH]);
    expect(await page.evaluate("measureSide.overlaps()")).toEqual([]);
  });
});

describe("the measures", () => {
  it("find a text that is too faint, a box that is too wide and controls on top of each other", async () => {
    const { page } = panel();
    await page.setViewportSize({ width: WIDTH, height: 700 });
    await applyTheme(page, "light");
    await page.evaluate(MEASURE);
    await showState(panel(), "conversation");
    await page.evaluate(`(() => {
      const plant = (css, text, around) => {
        const element = document.createElement("button");
        element.className = "planted";
        element.textContent = text;
        document.querySelector(around).append(element);
        element.style.cssText = css;
      };
      plant("color: rgb(170 170 170); background: white", "faint", ".page");
      plant("position: fixed; top: 300px; left: 10px; width: 60px; height: 20px", "below", ".page");
      plant("position: fixed; top: 310px; left: 20px; width: 60px; height: 20px", "above", ".page");
      plant("position: absolute; top: 0; left: 0; width: 400px", "wide", "html");
    })()`);
    const { faint } = Texts.parse(await page.evaluate(`measureSide.texts(${LEAST_CONTRAST})`));
    expect(faint).toEqual(['2.32 button.planted "faint"']);
    expect(await page.evaluate("measureSide.widths()")).toEqual([WIDTH, 400]);
    expect(await page.evaluate("measureSide.overlaps()")).toContain(
      'button.planted "below" and button.planted "above"',
    );
  });
});
