import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { EditorWindow } from "./support/editor-window.ts";
import { useWorkbench } from "./support/workbench.ts";

const ASKS = fileURLToPath(new URL("../fixtures/agents/asks.mjs", import.meta.url));

const workbench = useWorkbench({ settings: { "tiller.agent.command": `"${process.execPath}" "${ASKS}"` } });

/** Makes the fixture agent send these requests. */
function raise(opened: EditorWindow, ...requests: Record<string, unknown>[]): Promise<void> {
  return opened.send(JSON.stringify(requests));
}

describe("questions of the agent", () => {
  test("select opens a quick pick, and one that was dismissed can be answered in the panel", async () => {
    const opened = await workbench().newChat();
    const select = { method: "select", title: "Which flavour?", options: ["lemon", "pistachio"] };
    await raise(opened, select);
    await opened.quickPickOption("pistachio").click();
    await opened.conversation.getByText('Answers: select "pistachio"').waitFor();

    await raise(opened, select);
    await opened.quickPickOption("lemon").waitFor();
    await workbench().screenshot(opened.page, "quick-pick");
    await opened.page.keyboard.press("Escape");
    await opened.quickPickOption("lemon").waitFor({ state: "hidden" });
    await opened.statusBar.getByText("Tiller needs your answer").waitFor();
    await opened.conversation.getByRole("button", { name: "lemon" }).click();
    await opened.conversation.getByText('Answers: select "lemon"').waitFor();
  });

  test("that come while the user types in an editor wait in their card, and come as a notification without one", async () => {
    const opened = await workbench().newChat();
    await raise(
      opened,
      { method: "select", title: "Which?", options: ["lemon"], after: "first.txt" },
      { method: "input", title: "How many?", after: "second.txt" },
    );
    await opened.evaluate((vscode) => vscode.commands.executeCommand("workbench.action.files.newUntitledFile"));
    await opened.page.locator(".monaco-editor.focused").waitFor();
    await opened.page.keyboard.type("typed ");
    await writeFile(join(workbench().server.workspace, "first.txt"), "");
    await opened.question("Which?").waitFor();
    await opened.page.keyboard.type("on ");
    expect(await opened.quickInput.isVisible()).toBe(false);
    await opened.conversation.getByRole("button", { name: "lemon" }).click();

    await opened.page.locator(".monaco-editor").first().click();
    await opened.hideChat();
    await opened.page.keyboard.type("and on");
    await writeFile(join(workbench().server.workspace, "second.txt"), "");
    const toast = opened.notification("How many?");
    await toast.waitFor();
    expect(await opened.quickInput.isVisible()).toBe(false);
    const text = () => opened.evaluate((vscode) => vscode.window.activeTextEditor?.document.getText());
    await expect.poll(text).toBe("typed on and on");
    await toast.getByRole("button", { name: "Answer" }).click();
    await opened.answerInput("Three");
    await opened.showChat();
    await opened.conversation.getByText('Answers: select "lemon"; input "Three"').waitFor();
  });

  test("that come while the user writes a message leave the keyboard in it", async () => {
    const opened = await workbench().newChat();
    await raise(opened, { method: "select", title: "Which?", options: ["lemon"], after: "third.txt" });
    await opened.composer.click();
    await opened.page.keyboard.type("typed ");
    await writeFile(join(workbench().server.workspace, "third.txt"), "");
    await opened.question("Which?").waitFor();
    await opened.page.keyboard.type("on");
    expect(await opened.quickInput.isVisible()).toBe(false);
    await expect.poll(() => opened.composer.inputValue()).toBe("typed on");
    await workbench().screenshot(opened.page, "question-while-typing");
    await opened.conversation.getByRole("button", { name: "lemon" }).click();
    await opened.conversation.getByText('Answers: select "lemon"').waitFor();
  });

  test("for consent leave the focus in the message that the user writes", async () => {
    const opened = await workbench().newChat();
    const title = 'Allow this project\'s extension ".tiller/extensions/own.ts"?';
    const consent = { kind: "extension", name: ".tiller/extensions/own.ts" };
    await raise(opened, { method: "select", title, options: ["Allow", "Don't Allow"], consent, after: "consent.txt" });
    await opened.composer.click();
    await opened.page.keyboard.type("typed ");
    await writeFile(join(workbench().server.workspace, "consent.txt"), "");
    await opened.question(title).waitFor();
    await opened.page.keyboard.type("on");
    expect(await opened.quickInput.isVisible()).toBe(false);
    await expect.poll(() => opened.composer.inputValue()).toBe("typed on");
    await opened.conversation.getByRole("button", { name: "Allow", exact: true }).click();
    await opened.conversation.getByText('Answers: select "Allow"').waitFor();
  });

  test("for input open an input box with a placeholder", async () => {
    const opened = await workbench().newChat();
    await raise(opened, { method: "input", title: "Your name?", placeholder: "Ada" });
    await opened.quickInput.getByPlaceholder("Ada").waitFor();
    await workbench().screenshot(opened.page, "input-box");
    // A form that opened by itself takes no Enter in its first half second.
    await opened.page.waitForTimeout(600);
    await opened.answerInput("Grace");
    await opened.conversation.getByText('Answers: input "Grace"').waitFor();
  });

  test("for the editor open a document that is submitted or cancelled in its title bar", async () => {
    const opened = await workbench().newChat();
    const question = { method: "editor", title: "The commit message?", prefill: "Fix the bug" };
    const text = opened.page.getByRole("code").getByText("Fix the bug");
    await raise(opened, question);
    await text.waitFor();
    await workbench().screenshot(opened.page, "editor-question");
    const addReally = () =>
      opened.evaluate((vscode) =>
        vscode.window.activeTextEditor?.edit((edit) => edit.insert(new vscode.Position(0, 0), "Really: ")),
      );
    await expect.poll(addReally).toBe(true);
    await opened.page.getByRole("button", { name: "Submit", exact: true }).click();
    await opened.conversation.getByText('Answers: editor "Really: Fix the bug"').waitFor();
    // The answer does not wait for its document to be closed.
    await expect
      .poll(() => opened.evaluate((vscode) => vscode.window.tabGroups.all.flatMap((group) => group.tabs).length))
      .toBe(0);

    await raise(opened, question);
    await text.waitFor();
    await opened.evaluate((vscode) => vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor"));
    await text.waitFor({ state: "hidden" });
    const open = opened.question("The commit message?").getByRole("button", { name: "Open Document" });
    await open.click();
    await text.waitFor();
    // From another group of editors the one document is gone to.
    await opened.evaluate((vscode) => vscode.commands.executeCommand("workbench.action.newGroupRight"));
    await open.click();
    const shown = () =>
      opened.evaluate(({ window: { tabGroups } }) => ({
        column: tabGroups.activeTabGroup.viewColumn,
        tabs: tabGroups.all.flatMap((group) => group.tabs).length,
      }));
    await expect.poll(shown).toEqual({ column: 1, tabs: 1 });
    await opened.page.getByRole("button", { name: "Cancel", exact: true }).click();
    await opened.conversation.getByText("Answers: editor cancelled").waitFor();
  });

  test("to confirm wait in their card, and open a notification with both answers when it is not visible", async () => {
    const opened = await workbench().newChat();
    const push = { method: "confirm", title: "Push?", message: "Three commits go to main." };
    await raise(opened, push);
    await opened.question("Push?").getByRole("button", { name: "Yes" }).click();
    await opened.conversation.getByText("Answers: confirm true").waitFor();
    expect(await opened.notification("Three commits go to main.").count()).toBe(0);

    await raise(opened, { ...push, after: "hidden.txt" });
    await opened.hideChat();
    await writeFile(join(workbench().server.workspace, "hidden.txt"), "");
    const toast = opened.notification("Three commits go to main.");
    await toast.waitFor();
    await workbench().screenshot(opened.page, "confirm");
    await toast.getByRole("button", { name: "No", exact: true }).click();
    await opened.showChat();
    await opened.conversation.getByText("Answers: confirm false").waitFor();
  });

  test("wait for each other, and one that the agent withdraws disappears everywhere", async () => {
    const opened = await workbench().newChat();
    await raise(
      opened,
      { method: "select", title: "First?", options: ["one"] },
      { method: "input", title: "Second?", placeholder: "two" },
    );
    await opened.question("Second?").waitFor();
    await opened.quickPickOption("one").click();
    await opened.quickInput.getByPlaceholder("two").waitFor();
    await opened.send("withdraw");
    await opened.conversation.getByText('Answers: select "one"; input cancelled').waitFor();
    await opened.quickInput.getByPlaceholder("two").waitFor({ state: "hidden" });
  });

  test("that time out close by themselves", async () => {
    const opened = await workbench().newChat();
    await raise(opened, { method: "select", title: "Quick?", options: ["yes"], timeout: 1_500 });
    await opened.quickPickOption("yes").waitFor();
    await opened.conversation.getByText("Answers: select cancelled").waitFor();
    await opened.quickPickOption("yes").waitFor({ state: "hidden" });
    await opened.question("Quick?").getByText("Timed out").waitFor();
  });
});

describe("messages of the agent without an answer", () => {
  test("have their places: notifications, status, widgets, the title and the composer's text", async () => {
    const opened = await workbench().newChat();
    await raise(
      opened,
      { method: "notify", message: "The index is ready.", notifyType: "info" },
      { method: "setStatus", statusKey: "branch", statusText: "on main" },
      { method: "setWidget", widgetKey: "plan", widgetLines: ["1. read", "2. write"] },
      { method: "set_editor_text", text: "Go on with step 2" },
    );
    await opened.conversation.getByText("The index is ready.").waitFor();
    await opened.chat.getByText("on main").waitFor();
    await opened.chat.getByText("1. read").waitFor();
    await expect.poll(() => opened.composer.inputValue()).toBe("Go on with step 2");
    await workbench().screenshot(opened.page, "told");

    await opened.send('[{"method":"setWidget","widgetKey":"plan"},{"method":"setStatus","statusKey":"branch"}]');
    await opened.chat.getByText("1. read").waitFor({ state: "detached" });
    await expect.poll(() => opened.chat.getByText("on main").count()).toBe(0);
  });
});
