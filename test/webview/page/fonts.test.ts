import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inPage, type PageLab, startPageLab } from "../support/open-page.ts";
import { STATES, showState } from "../support/page-states.ts";
import { CONVERSATION } from "../support/sample-items.ts";
import { applyTheme } from "../support/themes.ts";

const FOLDER = join(import.meta.dirname, "../../e2e/screenshots/page");

describe("the chat's fonts", () => {
  let lab: PageLab;
  beforeAll(async () => {
    await mkdir(FOLDER, { recursive: true });
    lab = await startPageLab();
  });
  afterAll(() => lab.close());

  it("are the user's at once, even in controls and code, and the editor's again when removed", async () => {
    const panel = await lab.open();
    await applyTheme(panel.page, "light");
    const fontOf = async (selector: string) => inPage(panel.page, "fontOf", selector);
    await panel.snapshot(CONVERSATION);
    expect(await fontOf("body")).toMatch(/^13px system-ui/);
    expect(await fontOf(".markdown pre")).toMatch(/^12px "Droid Sans Mono"/);
    const fonts = { size: 20, family: "Georgia, serif", codeSize: 17, codeFamily: "Courier, monospace" };
    await panel.patch([], { fonts });
    expect(await fontOf("body")).toBe("20px Georgia, serif");
    expect(await fontOf(".markdown pre")).toBe("17px Courier, monospace");
    expect(await fontOf("vscode-text-area >>> textarea")).toBe("20px Georgia, serif");
    await panel.patch([], { fonts: {} });
    expect(await fontOf("body")).toMatch(/^13px system-ui/);
    await panel.close();
  });

  it("ignore invalid values", async () => {
    const panel = await lab.open();
    await applyTheme(panel.page, "light");
    await panel.snapshot(CONVERSATION, { fonts: { family: "red; background: url(x)", codeFamily: "12 }" } });
    expect(await inPage(panel.page, "fontOf", "body")).toMatch(/^13px system-ui/);
    expect(await panel.trespasses()).toEqual([]);
    await panel.close();
  });

  it.each([
    { name: "twice the size at 240 pixels", width: 240, fonts: { size: 26, codeSize: 24 } },
    { name: "200 % zoom at 240 pixels", width: 120, fonts: {} },
  ])("clip nothing: $name", async ({ name, width, fonts }) => {
    const panel = await lab.open({ width, height: 700 });
    await applyTheme(panel.page, "light");
    for (const state of Object.keys(STATES)) {
      await showState(panel, state, { fonts });
      await panel.page.screenshot({ path: join(FOLDER, `${state}-${name.replaceAll(/\W+/g, "-")}.png`) });
      expect(await inPage(panel.page, "clipped"), `${state}: beyond the edge`).toEqual([]);
      expect(await inPage(panel.page, "composerBelow"), `${state}: below the edge`).toBe(0);
      expect(await inPage(panel.page, "cutOff"), `${state}: cut off inside`).toEqual([]);
    }
    await panel.close();
  });
});
