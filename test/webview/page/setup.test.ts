import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { PanelUi } from "../../../webview/protocol/ui.ts";
import { inPage, startPageLab } from "../support/open-page.ts";
import { CONVERSATION } from "../support/sample-items.ts";
import { applyTheme, THEMES } from "../support/themes.ts";
import { usePage } from "../support/use-page.ts";

const FOLDER = join(import.meta.dirname, "../../e2e/screenshots/page");
const panel = usePage();

const setKey = { label: "Set Up a Model", command: "tiller.setUpModel" };
const banner = { text: "The demo model is answering.", action: setKey };
const STATES: { [name: string]: Partial<PanelUi> } = {
  noKey: { setup: { kind: "noKey", text: "Set an API key to talk to a language model.", action: setKey }, banner },
  noModel: { setup: { kind: "noModel", text: "The agent has no model that it can ask.", action: setKey } },
  noAgent: {
    status: "crashed",
    setup: {
      kind: "noAgent",
      text: 'The program "tiller" was not found. Looked at: /usr/local/sbin/tiller, /usr/local/bin/tiller, /usr/bin/tiller',
      action: { label: "Open Settings", command: "tiller.openSettings" },
    },
  },
  untrusted: { status: "untrusted" },
  noFolder: { status: "noFolder" },
};

describe("missing requirements", () => {
  it.each([
    ["noKey", "No model yet", "tiller.setUpModel"],
    ["noModel", "No model available", "tiller.setUpModel"],
    ["noAgent", "Couldn't start the agent", "tiller.openSettings"],
    ["untrusted", "This workspace isn't trusted", "tiller.manageTrust"],
    ["noFolder", "No folder is open", "tiller.openFolder"],
  ])("are shown in one place with one button: %s", async (name, title, command) => {
    await panel().snapshot([], STATES[name]);
    expect(await panel().page.locator(".empty h2").textContent()).toBe(title);
    expect(
      await panel()
        .page.locator(".banner:not(.temporary, .background-line, .line-comments, .proposed-plan)")
        .isVisible(),
    ).toBe(false);
    const buttons = panel().page.locator(".empty vscode-button");
    expect(await buttons.count()).toBe(1);
    await buttons.click();
    expect(await panel().posts()).toContainEqual({ type: "command", command });
  });

  it("give way to the conversation, where the banner shows them", async () => {
    await panel().snapshot(CONVERSATION.slice(0, 1), STATES.noKey);
    expect(await panel().page.locator(".empty").isVisible()).toBe(false);
    expect(
      await panel()
        .page.locator(".banner:not(.temporary, .background-line, .line-comments, .proposed-plan)")
        .isVisible(),
    ).toBe(true);
  });

  it("disappear when they are met", async () => {
    await panel().snapshot([], STATES.noKey);
    await panel().patch([], { setup: undefined, banner: undefined });
    expect(await panel().page.locator(".empty h2").textContent()).toBe("Tiller");
  });
});

describe("the layout of missing requirements", () => {
  it.each(THEMES)("clips nothing in the %s theme", async (theme) => {
    await mkdir(FOLDER, { recursive: true });
    const lab = await startPageLab();
    for (const width of [300, 150]) {
      const opened = await lab.open({ width, height: 640 });
      await applyTheme(opened.page, theme);
      for (const name of ["noKey", "noAgent"]) {
        await opened.snapshot([], STATES[name]);
        await opened.settle();
        await opened.page.screenshot({ path: join(FOLDER, `setup-${name}-${theme}-${width}.png`) });
        expect(await inPage(opened.page, "clipped")).toEqual([]);
      }
      await opened.close();
    }
    await lab.close();
  });
});
