import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { FromPanel } from "../../../../webview/protocol/from-panel.ts";
import type { TranscriptItem } from "../../../../webview/protocol/items.ts";
import { inPage, type OpenPage } from "../../support/open-page.ts";
import { usePage } from "../../support/use-page.ts";

const open = usePage();
const NOW = said("now", 40);
/** The browser's own steps are a 64th. */
const SAME_PLACE_PX = 1 / 16;

function said(name: string, count: number): TranscriptItem[] {
  return Array.from({ length: count }, (_, at): TranscriptItem => {
    const id = `${name}${at}`;
    return at % 2 === 0
      ? { id, kind: "prompt", text: `Question ${id}`, images: [] }
      : { id, kind: "text", text: `Answer ${id}. `.repeat(30), isStreaming: false };
  });
}

type Ask = Extract<FromPanel, { type: "readEarlier" }>;

async function asks(panel: OpenPage): Promise<Ask[]> {
  return (await panel.posts()).filter((post) => post.type === "readEarlier");
}

/** Waits for the page's next wish and answers it with a page. */
async function answer(panel: OpenPage, name: string, next: string | null): Promise<Ask | undefined> {
  await expect.poll(() => asks(panel), { timeout: 20_000 }).not.toEqual([]);
  const ask = (await asks(panel)).at(-1);
  await panel.forgetPosts();
  await panel.send({ type: "earlier", request: ask?.request ?? 0, items: said(name, 20), next });
  return ask;
}

async function goUp(panel: OpenPage): Promise<void> {
  await panel.page.getByRole("log", { name: "Chat" }).hover();
  await panel.page.mouse.wheel(0, -100_000);
}

const more = ({ page }: OpenPage) => page.getByRole("button", { name: "Show Earlier Messages" });
/** In one step: a locator would wait for items that go meanwhile. */
const ids = async ({ page }: OpenPage): Promise<string[]> =>
  z
    .array(z.string())
    .parse(await page.evaluate("[...document.querySelectorAll('.item')].map(({ dataset }) => dataset.id)"));

/** Goes to the end, as often as the wheel is still turning. @returns the id of the first item. */
async function firstAtEnd(panel: OpenPage): Promise<string | undefined> {
  // A locator would wait for a button that goes away meanwhile.
  await panel.page.evaluate("document.querySelector('.jump-pill:not([hidden])')?.click()");
  return (await ids(panel))[0];
}

const topOfFirst = async (panel: OpenPage) => Number(await inPage(panel.page, "topOf", "now0"));

describe("earlier messages", () => {
  // Of these sizes come lines whose height is no whole pixel, whatever fonts a machine has.
  it.each([13, 14, 15, 17])(
    "are requested near the top, and the text that is read does not move by a pixel: size %i",
    async (size) => {
      const panel = open();
      await panel.snapshot(NOW, { hasEarlier: true, fonts: { size } });
      expect(await asks(panel)).toEqual([]);
      await goUp(panel);
      await expect.poll(() => asks(panel), { timeout: 20_000 }).toMatchObject([{ cursor: null }]);
      await panel.settle();
      const before = await topOfFirst(panel);
      const first = await answer(panel, "b", "cursor-b");
      expect(first?.cursor).toBeNull();
      expect(Math.abs((await topOfFirst(panel)) - before)).toBeLessThan(SAME_PLACE_PX);
      await panel.settle();
      expect(Math.abs((await topOfFirst(panel)) - before)).toBeLessThan(SAME_PLACE_PX);
      expect((await ids(panel)).slice(0, 22)).toEqual([...said("b", 20), ...NOW.slice(0, 2)].map(({ id }) => id));
      // Not before those who read are near the top again.
      expect(await asks(panel)).toEqual([]);
      await goUp(panel);
      expect((await answer(panel, "a", null))?.cursor).toBe("cursor-b");
      expect((await ids(panel))[0]).toBe("a0");
      expect(await more(panel).isVisible()).toBe(false);
    },
  );

  it("are loaded with the keyboard, by the button, which passes on the focus, and by Home", async () => {
    const panel = open();
    await panel.snapshot(NOW.slice(0, 2), { hasEarlier: true });
    await more(panel).focus();
    await panel.page.keyboard.press("Enter");
    await answer(panel, "b", "cursor-b");
    expect(await inPage(panel.page, "focused")).toBe("b19");
    await panel.page.keyboard.press("ArrowDown");
    expect(await inPage(panel.page, "focused")).toBe("now0");
    await panel.page.keyboard.press("Home");
    expect(await inPage(panel.page, "focused")).toBe("b0");
    await answer(panel, "a", null);
    expect(await inPage(panel.page, "focused")).toBe("b0");
    await panel.page.keyboard.press("ArrowUp");
    expect(await inPage(panel.page, "focused")).toBe("a19");
    await panel.page.keyboard.press("End");
    expect(await inPage(panel.page, "focused")).toBe("now1");
  });

  it("show an error when they cannot be read, and can be requested again", async () => {
    const panel = open();
    await panel.snapshot(NOW.slice(0, 2), { hasEarlier: true });
    await more(panel).click();
    const [ask] = await asks(panel);
    await panel.send({ type: "noEarlier", request: ask?.request ?? 0, reason: "The agent has ended." });
    expect(await panel.page.getByText("The agent has ended.", { exact: true }).isVisible()).toBe(true);
    await panel.forgetPosts();
    await more(panel).click();
    await answer(panel, "b", null);
    expect(await ids(panel)).toEqual([...said("b", 20), ...NOW.slice(0, 2)].map(({ id }) => id));
  });

  it("stay bounded: pages at the other end are removed, and come back in place", async () => {
    const panel = open();
    await panel.snapshot(NOW, { hasEarlier: true });
    const names = "klmopqrstuv".split("");
    for (const name of names) {
      await goUp(panel);
      await answer(panel, name, `cursor-${name}`);
    }
    const shown = new Set((await ids(panel)).map((id) => id[0]));
    expect([...shown].join("")).toBe("vutsrqpomln");
    const between = panel.page.getByRole("button", { name: "Show Messages in Between" });
    await between.click();
    expect((await answer(panel, "k", "cursor-k"))?.cursor).toBeNull();
    expect(await between.isVisible()).toBe(false);
    const now = new Set((await ids(panel)).map((id) => id[0]));
    expect([...now].join("")).toBe("utsrqpomlkn");
  });

  it("are removed when the end is read, except for the nearest", async () => {
    const panel = open();
    await panel.snapshot(NOW, { hasEarlier: true });
    for (const name of ["c", "b", "a"]) {
      await goUp(panel);
      await answer(panel, name, `cursor-${name}`);
    }
    await expect.poll(() => firstAtEnd(panel), { timeout: 20_000 }).toBe("b0");
    expect(await ids(panel)).toHaveLength(80);
  });

  it("stay for the reader when the host drops them", async () => {
    const panel = open();
    await panel.snapshot(NOW, { hasEarlier: true });
    await goUp(panel);
    await answer(panel, "b", null);
    await panel.patch([{ op: "remove", ids: ["now0", "now1"], isTooOld: true }]);
    expect(await ids(panel)).toHaveLength(60);
    await expect.poll(() => firstAtEnd(panel), { timeout: 20_000 }).toBe("now2");
  });

  it("are mentioned in a search of the conversation, unless all are loaded", async () => {
    const panel = open();
    await panel.snapshot(NOW.slice(0, 2), { hasEarlier: true });
    await panel.send({ type: "find" });
    await panel.page.getByRole("textbox", { name: "Find" }).fill("Question b");
    const note = panel.page.getByText("Only loaded messages are searched");
    expect(await note.isVisible()).toBe(true);
    await more(panel).click();
    await answer(panel, "b", null);
    await expect.poll(() => note.isVisible(), { timeout: 20_000 }).toBe(false);
    await expect.poll(() => panel.page.locator(".find-count").textContent(), { timeout: 20_000 }).toContain("of 10");
  });

  it("of another conversation are removed", async () => {
    const panel = open();
    await panel.snapshot(NOW, { hasEarlier: true });
    await goUp(panel);
    await answer(panel, "b", null);
    await panel.snapshot(NOW, { hasEarlier: true });
    expect((await ids(panel))[0]).toBe("b0");
    await panel.snapshot(said("other", 4));
    expect(await ids(panel)).toEqual(["other0", "other1", "other2", "other3"]);
    expect(await more(panel).isVisible()).toBe(false);
  });
});
