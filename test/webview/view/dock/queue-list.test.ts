import { describe, expect, it } from "vitest";
import { inPage } from "../../support/open-page.ts";
import { usePage } from "../../support/use-page.ts";

const panel = usePage();
const list = () => panel().page.getByRole("list", { name: "Queued messages" });
const row = (text: string) => list().getByRole("listitem").filter({ hasText: text });
const button = (text: string, name: string) => row(text).getByRole("button", { name, exact: true });
const edits = async () => (await panel().posts()).flatMap((post) => (post.type === "editQueue" ? [post.edit] : []));

async function open(): Promise<void> {
  await panel().snapshot([], { status: "running", steering: ["left", "right"], followUp: ["home"] });
}

describe("queued messages", () => {
  it("are removed, moved and switched with their buttons", async () => {
    await open();
    await button("right", "Move Up").click();
    await button("left", "Remove").click();
    await button("left", "Send When Done").click();
    await button("home", "Send After the Current Step").click();
    expect(await edits()).toEqual([
      { op: "move", queue: "steering", index: 1, label: "right", by: -1 },
      { op: "remove", queue: "steering", index: 0, label: "left" },
      { op: "switch", queue: "steering", index: 0, label: "left" },
      { op: "switch", queue: "followUp", index: 0, label: "home" },
    ]);
    expect(await button("left", "Move Up").isDisabled()).toBe(true);
    expect(await button("right", "Move Down").isDisabled()).toBe(true);
    expect(await button("home", "Move Down").count()).toBe(0);
  });

  it("keep the focus on a moved message, even while the queue is sent again", async () => {
    await open();
    await button("right", "Move Up").focus();
    await panel().page.keyboard.press("Enter");
    await panel().patch([], { steering: [], followUp: [] });
    await panel().patch([], { steering: ["right", "left"], followUp: ["home"] });
    const focused = await panel().page.evaluate("document.activeElement.closest('.chip')?.title");
    expect(focused).toBe("right");
  });

  it("are edited in place: Enter saves, Escape cancels, and neither stops the run", async () => {
    await open();
    await button("right", "Edit").click();
    const box = list().getByRole("textbox", { name: /^Queued message/ });
    expect(await box.inputValue()).toBe("right");
    await panel().page.keyboard.press("End");
    await panel().page.keyboard.type(" now");
    await panel().page.keyboard.press("Enter");
    await button("left", "Edit").click();
    await panel().page.keyboard.type("x");
    await panel().page.keyboard.press("Escape");
    expect(await edits()).toEqual([{ op: "replace", queue: "steering", index: 1, label: "right", text: "right now" }]);
    expect((await panel().posts()).filter((post) => post.type === "stop")).toEqual([]);
    expect(await box.count()).toBe(0);
  });

  it("are not lost when they are read during an edit, and keep the focus", async () => {
    await open();
    await button("right", "Edit").click();
    await panel().page.keyboard.press("End");
    await panel().page.keyboard.type(" n");
    await panel().patch([], { steering: ["right"], followUp: ["home"] });
    await panel().page.keyboard.type("o");
    await panel().patch([], { steering: [], followUp: ["home"] });
    await panel().page.keyboard.type("w");
    await panel().page.keyboard.press("Enter");
    expect(await edits()).toEqual([{ op: "replace", queue: "steering", index: 0, label: "right", text: "right now" }]);
    expect(await inPage(panel().page, "clipped")).toEqual([]);
  });
});
