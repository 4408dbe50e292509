import { describe, expect, it, onTestFinished } from "vitest";
import { bundleFile, LANGUAGES, readTexts } from "../../../scripts/l10n/catalogues.ts";
import { inPage, startPageLab } from "../support/open-page.ts";
import { STATES, showState } from "../support/page-states.ts";
import { applyTheme } from "../support/themes.ts";

describe.each(LANGUAGES)("the page in the language %s", (language) => {
  it("clips nothing at 300 pixels", async () => {
    const lab = await startPageLab({ language, texts: await readTexts(bundleFile(language)) });
    onTestFinished(() => lab.close());
    const panel = await lab.open({ width: 300, height: 700 });
    await applyTheme(panel.page, "light");
    expect(await panel.page.locator("html").getAttribute("lang")).toBe(language);
    for (const name of Object.keys(STATES)) {
      await showState(panel, name);
      expect(await inPage(panel.page, "clipped"), name).toEqual([]);
    }
  });
});
