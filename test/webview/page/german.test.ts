import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleFile, readTexts } from "../../../scripts/l10n/catalogues.ts";
import { inPage, type OpenPage, type PageLab, startPageLab } from "../support/open-page.ts";
import { STATES, showState } from "../support/page-states.ts";
import { APPROVAL, CONVERSATION, EDIT_APPROVAL } from "../support/sample-items.ts";
import { applyTheme } from "../support/themes.ts";

const FOLDER = join(import.meta.dirname, "../../e2e/screenshots/page");

describe("the page in German", () => {
  let lab: PageLab;
  let panel: OpenPage;
  beforeAll(async () => {
    await mkdir(FOLDER, { recursive: true });
    lab = await startPageLab({ language: "de", texts: await readTexts(bundleFile("de")) });
    panel = await lab.open();
  });
  afterAll(() => lab.close());

  it("is declared to the browser, and asks for a message in the composer", async () => {
    await panel.snapshot([]);
    expect(await panel.page.locator("html").getAttribute("lang")).toBe("de");
    const box = panel.page.getByRole("textbox", { name: "Nachricht" });
    expect(await box.getAttribute("placeholder")).toBe("Gib Tiller eine Aufgabe");
    expect(await panel.page.getByRole("button", { name: "Senden" }).count()).toBe(1);
    expect(await panel.page.getByRole("button", { name: "Im Editor bearbeiten" }).count()).toBe(1);
  });

  it("shows what Tiller is, examples and keys", async () => {
    await panel.snapshot([]);
    const empty = panel.page.locator(".empty");
    expect(await empty.locator(".example").first().textContent()).toBe(
      "Erkläre, wie dieses Projekt funktioniert und wo ich mit dem Lesen anfange.",
    );
    expect(await empty.locator("dt").nth(1).textContent()).toBe("Umschalt+Enter");
    expect(await empty.locator("dd").nth(1).textContent()).toBe("Neue Zeile");
  });

  it("asks for an approval, and sends the answer in the agent's words", async () => {
    await panel.snapshot(APPROVAL, { status: "running" });
    const card = panel.page.getByRole("group", { name: /^bash erlauben\?/ });
    expect(await card.locator("vscode-button").allTextContents()).toEqual([
      "Einmal erlauben",
      "Ablehnen",
      "Diese Sitzung",
      "Arbeitsbereich",
      "Immer",
      "Regel bearbeiten…",
    ]);
    expect(await card.locator(".approval-rule").textContent()).toBe("Bei bash npm run * nicht mehr fragen");
    await panel.forgetPosts();
    await card.getByRole("button", { name: "In dieser Sitzung erlauben: bash npm run *" }).click();
    expect(await panel.posts()).toContainEqual({
      type: "answer",
      requestId: "r2",
      answer: { type: "value", value: "Allow for this session: bash npm run *" },
    });
    await panel.snapshot(EDIT_APPROVAL, { status: "running" });
    expect(await panel.page.locator(".approval-record .codicon-check").count()).toBe(1);
  });

  it("formats numbers and money the German way", async () => {
    await panel.snapshot(CONVERSATION, { contextTokens: 24_500, contextWindow: 200_000, costUsd: 1.5 });
    expect(await panel.page.locator(".meter").getAttribute("aria-label")).toBe(
      "Kontext: 24.500 von 200.000 Token (12\u00a0%)",
    );
    await panel.page.locator(".meter").click();
    expect(await panel.page.locator(".meter-cost").textContent()).toBe("Kosten der Sitzung: 1,50\u00a0$");
  });

  it("clips nothing at 240 pixels", async () => {
    const narrow = await lab.open({ width: 240, height: 700 });
    await applyTheme(narrow.page, "light");
    for (const name of Object.keys(STATES)) {
      await showState(narrow, name);
      await narrow.page.screenshot({ path: join(FOLDER, `${name}-de-240.png`) });
      expect(await inPage(narrow.page, "clipped"), name).toEqual([]);
    }
    expect(await narrow.trespasses()).toEqual([]);
    await narrow.close();
  });
});
