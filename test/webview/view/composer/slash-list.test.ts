import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../support/sample-items.ts";
import { usePage } from "../../support/use-page.ts";

const panel = usePage();
const message = () => panel().page.getByRole("textbox", { name: "Message" });
const list = () => panel().page.getByRole("listbox", { name: "Slash commands" });
const names = () => list().locator(".slash-name").allTextContents();
const active = () =>
  panel().page.evaluate(
    "document.querySelector('.composer vscode-text-area').control.ariaActiveDescendantElement?.querySelector('.slash-name').textContent",
  );
const sent = async () => (await panel().posts()).flatMap((post) => (post.type === "prompt" ? [post.text] : []));

async function openList(text = "/"): Promise<void> {
  await panel().snapshot([]);
  await message().focus();
  await panel().page.keyboard.type(text);
  await panel().send({ type: "commands", commands: COMMANDS });
}

describe("slash commands", () => {
  it("are requested each time the list opens, and shown with description and source", async () => {
    await openList();
    expect(await list().getByRole("option").allTextContents()).toEqual([
      "/review <file> [what to look for] prompt, project Reviews a file",
      "/release  prompt, user Publishes a version: checks, changelog, tag",
      "/skill:pdf  skill, user Fills in forms and reads tables of PDF files",
      "/deploy <system> extension Brings the branch to the test system",
    ]);
    await panel().page.keyboard.press("Backspace");
    expect(await list().count()).toBe(0);
    await panel().page.keyboard.type("/");
    expect((await panel().posts()).filter((post) => post.type === "listCommands")).toHaveLength(2);
    expect(await panel().page.getByRole("status").textContent()).toBe("4 commands");
  });

  it("are filtered by typed text, and completed with Tab", async () => {
    await openList("/ea");
    expect(await names()).toEqual(["/release", "/skill:pdf"]);
    await panel().page.keyboard.press("Tab");
    expect(await message().inputValue()).toBe("/release ");
    expect(await list().count()).toBe(0);
    expect(await sent()).toEqual([]);
  });

  it("are selected with the arrows while the focus stays in the text, which announces the selection", async () => {
    await openList();
    expect(await active()).toBe("/review");
    await panel().page.keyboard.press("ArrowDown");
    expect(await active()).toBe("/release");
    await panel().page.keyboard.press("ArrowUp");
    await panel().page.keyboard.press("ArrowUp");
    expect(await active()).toBe("/deploy");
    expect(await list().getByRole("option", { selected: true }).count()).toBe(1);
    await panel().page.keyboard.press("Enter");
    expect(await message().inputValue()).toBe("/deploy ");
    expect(await panel().page.getByText("/deploy <system>", { exact: true }).isVisible()).toBe(true);
    await panel().page.keyboard.type("test");
    await panel().page.keyboard.press("Enter");
    expect(await sent()).toEqual(["/deploy test"]);
    expect(await active()).toBe(undefined);
  });

  it("close with Escape, which does not stop the run, until the text begins again", async () => {
    await openList();
    await panel().patch([], { status: "running" });
    await panel().page.keyboard.press("Escape");
    expect(await list().count()).toBe(0);
    await panel().page.keyboard.type("re");
    expect(await list().count()).toBe(0);
    expect((await panel().posts()).filter((post) => post.type === "stop")).toEqual([]);
    await message().fill("");
    await panel().page.keyboard.type("/re");
    expect(await names()).toEqual(["/review", "/release", "/skill:pdf"]);
  });

  it("with a complete name are sent with Enter, even during a run", async () => {
    await openList();
    await panel().patch([], { status: "running" });
    await panel().page.keyboard.type("release");
    await panel().page.keyboard.press("Enter");
    expect(await sent()).toEqual(["/release"]);
    expect(await list().count()).toBe(0);
  });

  it("can be selected with the mouse, and text after the name stays", async () => {
    await openList();
    await message().fill("");
    await panel().page.keyboard.type("/ a.ts");
    await message().press("Home");
    await panel().page.keyboard.press("ArrowRight");
    await list()
      .getByRole("option", { name: /^\/review/ })
      .click();
    expect(await message().inputValue()).toBe("/review a.ts");
    await panel().page.keyboard.type("./");
    expect(await message().inputValue()).toBe("/review ./a.ts");
  });

  it("that change while the list is open keep the selection", async () => {
    await openList();
    await panel().page.keyboard.press("ArrowDown");
    const extra = { name: "build", description: "", source: "extension", argumentHint: "" };
    await panel().send({ type: "commands", commands: [extra, ...COMMANDS] });
    expect(await active()).toBe("/release");
    await panel().send({ type: "commands", commands: [extra] });
    expect(await active()).toBe("/build");
  });

  it("ignore keys of an active input method, and other texts", async () => {
    await openList();
    const session = await panel().page.context().newCDPSession(panel().page);
    await session.send("Input.imeSetComposition", { text: "re", selectionStart: 2, selectionEnd: 2 });
    await session.send("Input.dispatchKeyEvent", {
      type: "rawKeyDown",
      key: "Process",
      code: "Enter",
      windowsVirtualKeyCode: 229,
    });
    await session.send("Input.insertText", { text: "re" });
    expect(await message().inputValue()).toBe("/re");
    await message().fill("");
    await panel().page.keyboard.type("and/or");
    expect(await list().count()).toBe(0);
  });
});
