import { describe, expect, it } from "vitest";
import { usePage } from "../../support/use-page.ts";

const panel = usePage();
const message = () => panel().page.getByRole("textbox", { name: "Message" });
const button = () => panel().page.getByRole("button", { name: "Add Context" });
const menu = () => panel().page.getByRole("menu", { name: "Add Context" });
const focused = () => panel().page.evaluate("document.activeElement.tagName.toLowerCase()");
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe("the button that adds context", () => {
  it("opens a menu of what a message can carry, by keyboard, and gives the keyboard back on Escape", async () => {
    await panel().snapshot([]);
    await button().focus();
    await panel().page.keyboard.press("Enter");
    expect(await menu().getByRole("menuitem").allTextContents()).toEqual([
      "Files and Folders…",
      "Images…",
      "Selection",
      "Problems",
      "Last Terminal Command",
      "Git Changes",
    ]);
    expect(await button().getAttribute("aria-expanded")).toBe("true");
    await panel().page.keyboard.press("Escape");
    expect(await menu().count()).toBe(0);
    expect(await button().getAttribute("aria-expanded")).toBe("false");
    expect(await focused()).toBe("button");
  });

  it("asks for a chip without a mark in the text, and moves the keyboard to the text", async () => {
    await panel().snapshot([]);
    await button().click();
    await panel().page.keyboard.press("End");
    await panel().page.keyboard.press("Enter");
    const posts = await panel().posts();
    expect(posts.filter(({ type }) => type === "takeContext")).toEqual([
      { type: "takeContext", word: "git", mark: "" },
    ]);
    expect(await focused()).toBe("vscode-text-area");
    expect(await message().inputValue()).toBe("");
  });

  it("begins a mention, for which files and folders are listed", async () => {
    await panel().snapshot([]);
    await message().fill("Look at");
    await button().click();
    await panel().page.keyboard.press("Enter");
    expect(await message().inputValue()).toBe("Look at @");
    const asked = (await panel().posts()).filter(({ type }) => type === "listMentions");
    expect(asked.at(-1)).toMatchObject({ text: "Look at @", caret: 9 });
    expect(await focused()).toBe("vscode-text-area");
  });

  it("attaches the images that are selected in the file dialog", async () => {
    await panel().snapshot([]);
    await button().click();
    const dialog = panel().page.waitForEvent("filechooser");
    await menu().getByRole("menuitem", { name: "Images…" }).click();
    await (await dialog).setFiles({ name: "dot.png", mimeType: "image/png", buffer: Buffer.from(PIXEL, "base64") });
    const chips = panel().page.getByRole("list", { name: "Attachments" }).getByRole("listitem");
    await expect.poll(() => chips.allTextContents()).toEqual(["dot.png 70B"]);
  });
});
