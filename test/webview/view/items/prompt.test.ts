import { describe, expect, it } from "vitest";
import type { TranscriptItem } from "../../../../webview/protocol/items.ts";
import { usePage } from "../../support/use-page.ts";

const panel = usePage();
const article = () => panel().page.getByRole("article", { name: /^You:/ }).first();
const button = (name: string | RegExp) => article().getByRole("button", { name });
const said = (text: string, id = "p"): TranscriptItem => ({ id, kind: "prompt", text, images: [] });
const LONG = Array.from({ length: 40 }, (_, at) => `line ${at + 1}`).join("\n");

describe("a message of the user", () => {
  it("has its actions beside it, seen with the mouse or the keyboard on it", async () => {
    await panel().snapshot([said("Do it")]);
    const actions = article().getByRole("group", { name: "Message actions" });
    const opacity = () =>
      panel().page.evaluate("getComputedStyle(document.querySelector('.prompt-actions')).opacity").then(Number);
    expect(await actions.getByRole("button").evaluateAll((all) => all.map((one) => one.getAttribute("title")))).toEqual(
      [
        "Restore to This Point…",
        "Edit and Resend (F2)",
        "Copy Message",
        "Fork from here: start a new session with everything before this message",
      ],
    );
    await article().hover();
    expect(await opacity()).toBe(1);
    await panel().page.mouse.move(0, 639);
    expect(await opacity()).toBe(0);
    await article().focus();
    expect(await opacity()).toBe(1);
  });

  it("is restored and copied by its buttons", async () => {
    await panel().snapshot([said(LONG)]);
    await article().hover();
    await button("Restore to This Point…").click();
    await button("Copy Message").click();
    const posts = (await panel().posts()).filter(({ type }) => type === "rewind" || type === "copy");
    expect(posts).toEqual([
      { type: "rewind", id: "p" },
      { type: "copy", text: LONG },
    ]);
  });

  it("is cut when it is long, until more is wanted, and is found and copied in full", async () => {
    await panel().snapshot([said(LONG)]);
    expect(await article().getByText("line 8…").count()).toBe(1);
    expect(await article().getByText("line 40").count()).toBe(0);
    await button("Show More").click();
    expect(await article().getByText("line 40").count()).toBe(1);
    expect(await button("Show Less").getAttribute("aria-expanded")).toBe("true");
    await button("Show Less").click();
    expect(await article().getByText("line 40").count()).toBe(0);
    await panel().send({ type: "copyItem", id: "p" });
    await expect.poll(async () => (await panel().posts()).at(-1)).toEqual({ type: "copy", text: LONG });
    await panel().send({ type: "find" });
    await panel().page.keyboard.type("line 33");
    await expect.poll(() => article().getByText("line 33").count()).toBe(1);
  });

  it("is whole when it is short", async () => {
    await panel().snapshot([said("One\ntwo")]);
    expect(await button("Show More").count()).toBe(0);
  });
});

describe("an empty chat", () => {
  it("has nothing to jump to, also when a conversation was left while reading", async () => {
    const answer: TranscriptItem = { id: "t", kind: "text", text: `${LONG}\n\n`.repeat(9), isStreaming: false };
    await panel().snapshot([said("Do it"), answer]);
    const pill = panel().page.getByRole("button", { name: /^Jump to Latest/ });
    await panel().page.mouse.move(100, 200);
    await panel().page.mouse.wheel(0, -400);
    await expect.poll(() => pill.count()).toBe(1);
    await panel().snapshot([]);
    await expect.poll(() => pill.count()).toBe(0);
    await panel().page.mouse.wheel(0, 400);
    await panel().page.mouse.wheel(0, -400);
    await panel().settle();
    expect(await pill.count()).toBe(0);
  });
});
