import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ContextParts } from "../../../../webview/protocol/to-panel.ts";
import { inPage, startPageLab } from "../../support/open-page.ts";
import { CONVERSATION } from "../../support/sample-items.ts";
import { applyTheme, THEMES } from "../../support/themes.ts";
import { usePage } from "../../support/use-page.ts";

const FOLDER = join(import.meta.dirname, "../../../e2e/screenshots/page");
const panel = usePage();
const meter = () => panel().page.getByRole("button", { name: /^Context:/ });
const card = () => panel().page.getByRole("dialog", { name: "Context and cost" });
const FULL = { contextTokens: 184_000, contextWindow: 200_000, costUsd: 1.234, costLimitUsd: 2 };
const PARTS = { systemPrompt: 2_400, tools: 4_100, conversation: 177_500, free: 16_000 };

describe("the context meter", () => {
  it("shows how full the window is, and in words when it is nearly full", async () => {
    await panel().snapshot([], { contextTokens: 24_000, contextWindow: 200_000 });
    expect(await meter().textContent()).toBe("24k / 200k");
    expect(await meter().getAttribute("aria-label")).toBe("Context: 24,000 of 200,000 tokens (12%)");
    expect(await meter().locator(".codicon").isVisible()).toBe(false);
    await panel().patch([], FULL);
    expect(await meter().getAttribute("aria-label")).toBe("Context: 184,000 of 200,000 tokens (92%), nearly full");
    expect(await meter().locator(".codicon").isVisible()).toBe(true);
  });

  it("shows no unknown number", async () => {
    await panel().snapshot([], {});
    expect(await meter().count()).toBe(0);
    await panel().patch([], { contextWindow: 200_000 });
    expect(await meter().textContent()).toBe("? / 200k");
  });

  it("opens with Enter, shows what fills the window and what the session has cost, and closes with Escape", async () => {
    await panel().snapshot([], FULL);
    await meter().focus();
    await panel().page.keyboard.press("Enter");
    await card().waitFor();
    expect((await panel().posts()).filter((post) => post.type === "readContext")).toHaveLength(1);
    await panel().send({ type: "contextParts", parts: PARTS });
    expect(await card().locator("dl").textContent()).toBe("System prompt≈ 2.4kTools≈ 4.1kMessages178kFree16k");
    expect(await card().getByText("Session cost: $1.23 (limit $2.00)").isVisible()).toBe(true);
    await panel().page.keyboard.press("Escape");
    await card().waitFor({ state: "detached" });
    await expect.poll(() => panel().page.evaluate("document.activeElement.className")).toBe("meter is-full");
    expect((await panel().posts()).filter((post) => post.type === "stop")).toEqual([]);
  });

  it("tells why the last answer did not come from the cache", async () => {
    await panel().snapshot([], { ...FULL, cacheNote: "Cache rewritten: the model changed" });
    await meter().click();
    expect(await card().getByText("Cache rewritten: the model changed").isVisible()).toBe(true);
    await panel().patch([], { cacheNote: undefined });
    expect(await card().getByText("Cache rewritten").count()).toBe(0);
  });

  it("lists the files of instructions, and when the model gets them", async () => {
    await panel().snapshot([], FULL);
    await meter().click();
    const files = card().getByRole("list", { name: "Instruction files" });
    await panel().send({ type: "contextParts", parts: PARTS });
    expect(await files.count()).toBe(0);
    const instructions: ContextParts["instructions"] = [
      { name: "AGENTS.md", path: "/work/AGENTS.md", state: "sent" },
      { name: ".cursor/rules/ts.mdc", path: "/work/.cursor/rules/ts.mdc", state: "matching" },
      { name: ".cursor/rules/release.mdc", path: "/work/.cursor/rules/release.mdc", state: "described" },
    ];
    await panel().send({ type: "contextParts", parts: { ...PARTS, instructions } });
    expect(await files.getByRole("listitem").allTextContents()).toEqual([
      "AGENTS.md",
      ".cursor/rules/ts.mdc (with a matching file)",
      ".cursor/rules/release.mdc (if a task needs it)",
    ]);
    expect(await files.getByRole("listitem").first().getAttribute("title")).toBe("/work/AGENTS.md");
  });

  it("leaves out parts that the agent does not report", async () => {
    await panel().snapshot([], { contextWindow: 200_000 });
    await meter().click();
    await panel().send({ type: "contextParts", parts: {} });
    expect(await card().locator("dl").isVisible()).toBe(false);
    expect(
      await card()
        .getByText(/has cost/)
        .isVisible(),
    ).toBe(false);
  });

  it("compacts with the user's instructions, and can stop that", async () => {
    await panel().snapshot([], FULL);
    await meter().click();
    await card().getByRole("textbox").fill("keep the file names");
    await panel().page.keyboard.press("Enter");
    await panel().patch([], { isCompacting: true });
    expect(await meter().textContent()).toBe("Compacting…");
    await card().getByRole("button", { name: "Stop Compacting" }).click();
    const posts = (await panel().posts()).filter(({ type }) => type === "compact" || type === "stopActivity");
    expect(posts).toEqual([
      { type: "compact", instructions: "keep the file names" },
      { type: "stopActivity", activity: "compaction" },
    ]);
    await panel().forgetPosts();
    await panel().patch([], { isCompacting: false });
    expect(await panel().posts()).toEqual([{ type: "readContext" }]);
  });

  it("does not compact during a run", async () => {
    await panel().snapshot([], { ...FULL, status: "running" });
    await meter().click();
    await card().getByRole("textbox").press("Enter");
    expect((await panel().posts()).filter(({ type }) => type === "compact")).toEqual([]);
  });
});

describe("the layout of the context meter", () => {
  it.each(THEMES)("clips nothing in the %s theme", async (theme) => {
    await mkdir(FOLDER, { recursive: true });
    const lab = await startPageLab();
    for (const width of [300, 150]) {
      const opened = await lab.open({ width, height: 640 });
      await applyTheme(opened.page, theme);
      await opened.snapshot(CONVERSATION.slice(0, 1), FULL);
      await opened.page.getByRole("button", { name: /^Context:/ }).click();
      await opened.send({ type: "contextParts", parts: PARTS });
      await opened.settle();
      await opened.page.screenshot({ path: join(FOLDER, `meter-${theme}-${width}.png`) });
      expect(await inPage(opened.page, "clipped")).toEqual([]);
      await opened.close();
    }
    await lab.close();
  });
});
