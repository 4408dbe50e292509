import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { WireTrace } from "../../../extension/core/trace/wire-trace.ts";
import { liveSource } from "../../../extension/features/trace-view/trace-sources.ts";
import { inPage } from "../support/open-page.ts";
import { applyTheme, THEMES } from "../support/themes.ts";
import { type OpenTrace, openTrace, startBrowser } from "./open-trace.ts";

const ROOT = join(import.meta.dirname, "../../..");
const FOLDER = join(ROOT, "test/e2e/screenshots/page");
const START = Date.UTC(2026, 0, 2, 3, 4, 5);

let browser: Browser;
let opened: OpenTrace | undefined;
let trace: WireTrace;

beforeAll(async () => {
  await mkdir(FOLDER, { recursive: true });
  browser = await startBrowser();
});
afterAll(() => browser.close());
afterEach(async () => {
  const trespasses = opened?.trespasses;
  await opened?.close();
  opened = undefined;
  expect(trespasses).toEqual([]);
});

async function open(size?: { width: number; height: number }): Promise<OpenTrace> {
  opened = await openTrace(browser, liveSource(trace), size);
  return opened;
}

function record(maxChars = 50_000_000): void {
  let at = START;
  trace = new WireTrace({ isEnabled: true, maxChars }, () => (at += 37));
}

function talk(): void {
  trace.frame("out", JSON.stringify({ message: "Say hello", type: "prompt", id: "c7" }));
  trace.frame("in", JSON.stringify({ type: "response", id: "c7", command: "prompt", success: true }));
  trace.frame("in", JSON.stringify({ type: "agent_start" }));
  trace.note(() => JSON.stringify({ type: "host_status", status: "running" }));
  const delta = (text: string) => ({ type: "text_delta", contentIndex: 0, delta: text });
  trace.frame("in", JSON.stringify({ type: "message_update", assistantMessageEvent: delta("Hello, ") }));
  trace.frame("in", JSON.stringify({ type: "message_update", assistantMessageEvent: delta("world <b>") }));
  trace.frame(
    "in",
    '{"type":"tool_execution_start","toolCallId":"t1","toolName":"bash","args":{"apiKey":"hidden-value"}}',
  );
  trace.frame("in", JSON.stringify({ type: "agent_settled", aborted: false, count: 12 }));
}

const grid = () => (opened ?? expect.fail("no page")).page.getByRole("grid", { name: "Frames" });
const rows = () => grid().locator(".rows .row");
const status = () => (opened ?? expect.fail("no page")).page.getByRole("status");

describe("the trace page", () => {
  test("lists frames with direction, type and id, and shows one without its secrets", async () => {
    record();
    talk();
    const { page } = await open();
    await expect.poll(() => status().textContent()).toBe("8 frames");
    await expect
      .poll(() => rows().locator(".type").allTextContents())
      .toEqual([
        "prompt",
        "response prompt",
        "agent_start",
        "host_status running",
        "message_update text_delta",
        "message_update text_delta",
        "tool_execution_start bash",
        "agent_settled",
      ]);
    expect(await rows().locator(".direction").allTextContents()).toEqual(["→", "←", "←", "•", "←", "←", "←", "←"]);
    await rows().nth(6).click();
    const content = page.getByRole("region", { name: "Frame content" });
    await expect.poll(() => content.textContent()).toContain('"apiKey": "[redacted]"');
    await rows().nth(5).click();
    await expect.poll(() => content.textContent()).toContain('"delta": "world <b>"');
  });

  test("filters by direction, type and text, also later frames", async () => {
    record();
    talk();
    const { page } = await open();
    await page.getByLabel("Direction", { exact: true }).first().selectOption("out");
    await expect.poll(() => status().textContent()).toBe("1 of 8 frames");
    await page.getByLabel("Direction", { exact: true }).first().selectOption("");
    await page.getByLabel("Type", { exact: true }).first().selectOption("message_update");
    await expect.poll(() => status().textContent()).toBe("2 of 8 frames");
    await page.getByLabel("Type", { exact: true }).first().selectOption("");
    await page.keyboard.press("Control+f");
    await page.keyboard.type("HELLO");
    await expect.poll(() => status().textContent()).toBe("2 of 8 frames");
    trace.frame("in", JSON.stringify({ type: "message_end", message: { role: "assistant", text: "hello again" } }));
    trace.frame("in", JSON.stringify({ type: "agent_end" }));
    await expect.poll(() => status().textContent()).toBe("3 of 10 frames");
  });

  test("can be used with the keyboard alone", async () => {
    record();
    talk();
    const { page } = await open();
    await expect.poll(() => status().textContent()).toBe("8 frames");
    await grid().focus();
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowUp");
    expect(await grid().getAttribute("aria-activedescendant")).toBe("frame-7");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement?.className")).toBe("details-body");
    await page.keyboard.press("Escape");
    expect(await page.evaluate("document.activeElement?.className")).toBe("frames");
    await page.keyboard.press("Home");
    expect(await grid().getAttribute("aria-activedescendant")).toBe("frame-1");
  });

  test("stays in place while paused, and its buttons ask the host", async () => {
    record();
    talk();
    const { page, actions } = await open();
    await expect.poll(() => status().textContent()).toBe("8 frames");
    await page.getByRole("button", { name: "Pause" }).click();
    talk();
    await page.getByRole("button", { name: "Save…" }).click();
    await page.getByRole("button", { name: "Replay" }).click();
    await expect.poll(() => actions).toEqual(["save", "replay"]);
    expect(await status().textContent()).toBe("8 frames");
    await page.getByRole("button", { name: "Resume" }).click();
    await expect.poll(() => status().textContent()).toBe("16 frames");
  });

  test("shows 50,000 frames with few elements, follows the end, and keeps its place while old frames are dropped", async () => {
    record(50_000_000);
    for (let index = 0; index < 50_000; index += 1) {
      trace.frame(
        "in",
        JSON.stringify({ type: "message_update", assistantMessageEvent: { type: "text_delta", delta: `${index}` } }),
      );
    }
    const { page } = await open();
    await expect.poll(() => status().textContent(), { timeout: 20_000 }).toBe("50,000 frames");
    await expect.poll(() => rows().last().getAttribute("data-seq")).toBe("50000");
    expect(await page.locator("*").count()).toBeLessThan(600);
    await grid().focus();
    await page.keyboard.press("Home");
    await expect.poll(() => rows().first().getAttribute("data-seq")).toBe("1");
    const { heldChars } = trace;
    trace.configure({ isEnabled: true, maxChars: Math.floor(heldChars * 0.8) });
    trace.frame("in", JSON.stringify({ type: "agent_end" }));
    await expect.poll(() => rows().first().getAttribute("data-seq").then(Number)).toBeGreaterThan(9_000);
  });

  test("says that nothing is recorded when the setting is off, and links to it", async () => {
    trace = new WireTrace();
    const { page, actions } = await open();
    await page.getByText('Tiller isn\x27t recording because the setting "tiller.trace.enabled" is off.').waitFor();
    await page.getByRole("button", { name: "Settings" }).click();
    await expect.poll(() => actions).toEqual(["settings"]);
  });

  test.each(THEMES)("fits and has no axe problems in the %s theme, also at 300 pixels", async (theme) => {
    record();
    for (let index = 0; index < 6; index += 1) talk();
    const { page } = await open();
    await applyTheme(page, theme);
    await page.evaluate(readFileSync(join(ROOT, "node_modules/axe-core/axe.min.js"), "utf8"));
    for (const width of [900, 300]) {
      await page.setViewportSize({ width, height: 600 });
      await expect.poll(() => status().textContent()).toBe("48 frames");
      await grid().focus();
      await page.keyboard.press("End");
      await page.keyboard.press("ArrowUp");
      await page.getByText('"[redacted]"').waitFor();
      await page.screenshot({ path: join(FOLDER, `trace-${theme}-${width}.png`) });
      expect(await inPage(page, "axe"), `${theme} ${width}`).toEqual([]);
    }
  });
});
