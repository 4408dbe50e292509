import type { FrameLocator, Locator } from "playwright-core";
import { describe, expect, test } from "vitest";
import { gate, reply, text } from "../support/scripted-replies.ts";
import { eventually } from "./support/deadline.ts";
import type { EditorWindow } from "./support/editor-window.ts";
import { SAMPLE_WORKSPACE, useWorkbench } from "./support/workbench.ts";

const DEADLINE_MS = 20_000;

const workbench = useWorkbench({ files: SAMPLE_WORKSPACE });

/** The pages that show chats, in the order in which they came. */
function pageAt(opened: EditorWindow, at: number): FrameLocator {
  return opened.page
    .locator('iframe.webview[src*="extensionId=tiller-dev.tiller"]')
    .nth(at)
    .contentFrame()
    .frameLocator("#active-frame");
}

/** The page that shows a text. */
async function pageWith(opened: EditorWindow, words: string): Promise<FrameLocator> {
  let found: FrameLocator | undefined;
  await eventually(
    async () => {
      const count = await opened.page.locator('iframe.webview[src*="extensionId=tiller-dev.tiller"]').count();
      for (let at = 0; at < count; at += 1) {
        const page = pageAt(opened, at);
        if (await conversationOf(page).getByText(words).isVisible()) found = page;
      }
      return found !== undefined;
    },
    DEADLINE_MS,
    () => `a page that shows "${words}"`,
  );
  if (found === undefined) throw new Error("There is no such page.");
  return found;
}

const isShownSoon = (locator: Locator) =>
  locator.waitFor({ timeout: 2_000 }).then(
    () => true,
    () => false,
  );

const composerOf = (page: FrameLocator) => page.getByRole("textbox", { name: "Message", exact: true });
const conversationOf = (page: FrameLocator) => page.getByRole("log", { name: "Chat" });

async function sendIn(page: FrameLocator, message: string): Promise<void> {
  await composerOf(page).fill(message);
  await page.getByRole("button", { name: "Send", exact: true }).click();
}

function run(opened: EditorWindow, command: string): Promise<unknown> {
  return opened.evaluate((vscode, id) => vscode.commands.executeCommand(String(id)), command);
}

describe("a chat", () => {
  test("continues while the user talks to another one, and each keeps its draft", async () => {
    const middle = gate();
    await workbench().script(reply([text("First begins. "), middle, text("First ends.")]), reply("Second answers."));
    const opened = await workbench().openChat();
    await opened.send("The first task");
    await opened.conversation.getByText("First begins.").waitFor();
    await opened.composer.fill("draft of the first");
    await run(opened, "tiller.newSession");
    await expect.poll(() => opened.composer.inputValue()).toBe("");
    await opened.send("The second task");
    await opened.conversation.getByText("Second answers.").waitFor();
    expect(await workbench().agents()).toHaveLength(2);
    middle.release();
    await opened.close();
    await eventually(
      async () => (await workbench().agents()).length === 0,
      DEADLINE_MS,
      () => "the end of all agents",
    );
  });

  test("can be in the side bar and in a tab at once; both follow it and share its draft", async () => {
    const middle = gate();
    await workbench().script(reply([text("Before. "), middle, text("After.")]));
    const opened = await workbench().newChat();
    await run(opened, "tiller.openChatInEditor");
    const [side, tab] = [pageAt(opened, 0), pageAt(opened, 1)];
    await composerOf(tab).waitFor();
    await sendIn(tab, "Tell a story");
    for (const page of [side, tab]) await conversationOf(page).getByText("Before.").waitFor();
    middle.release();
    for (const page of [side, tab]) await conversationOf(page).getByText("After.").waitFor();
    await opened.editorTab("Tell a story").waitFor();
    await composerOf(side).pressSequentially("half a thought");
    await expect.poll(() => composerOf(tab).inputValue()).toBe("half a thought");
    await workbench().screenshot(opened.page, "chat-side-and-tab");
    expect(await workbench().agents()).toHaveLength(1);

    await sendIn(tab, "/new");
    await conversationOf(tab).getByText("After.").waitFor({ state: "detached" });
    await conversationOf(side).getByText("After.").waitFor();
    await opened.editorTab("New Chat").waitFor();
  });

  test("in a tab comes back after a reload of the window, with its draft", async () => {
    await workbench().script(reply("I am in a tab."));
    const opened = await workbench().open();
    await run(opened, "tiller.newChatInEditor");
    const tab = pageAt(opened, 0);
    await sendIn(tab, "Where are you?");
    await conversationOf(tab).getByText("I am in a tab.").waitFor();
    await composerOf(tab).pressSequentially("and where am");
    await expect.poll(() => composerOf(tab).inputValue()).toBe("and where am");
    await opened.editorTab("Where are you?").click();
    await opened.reload();
    const again = await pageWith(opened, "I am in a tab.");
    await expect.poll(() => composerOf(again).inputValue()).toBe("and where am");
  });

  test("in a tab has its keys again once an overlay without focus is gone", async () => {
    const opened = await workbench().newChat();
    await opened.hideChat();
    await run(opened, "tiller.newChatInEditor");
    const tab = pageAt(opened, 1);
    await composerOf(tab).click();
    await opened.evaluate(async (vscode) => {
      const over = await vscode.workspace.openTextDocument({ content: "" });
      await vscode.window.showTextDocument(over, { preserveFocus: true, preview: false });
    });
    await composerOf(tab).waitFor({ state: "hidden" });
    await run(opened, "workbench.action.closeActiveEditor");
    await composerOf(tab).waitFor();
    // The editor tells the extension that the tab is shown, and the extension sets its keys: a moment in which no person presses one.
    await eventually(
      async () => {
        await opened.page.keyboard.press("Control+l");
        return await isShownSoon(composerOf(pageAt(opened, 0)));
      },
      DEADLINE_MS,
      () => "the new chat that Ctrl+L starts",
    );
  });

  test("that was interrupted by a reload says so and continues with a click", async () => {
    const never = gate();
    const model = await workbench().script(reply([text("I begin. "), never, text("Never.")]), reply("I have gone on."));
    const opened = await workbench().newChat();
    await opened.send("A task that is cut off");
    await opened.conversation.getByText("I begin.").waitFor();
    await opened.reload();
    await opened.showChat();
    await opened.conversation.getByText("The agent stopped during a run.").waitFor();
    await opened.conversation.getByRole("button", { name: "Continue", exact: true }).click();
    await opened.conversation.getByText("I have gone on.").waitFor();
    never.release();
    expect(JSON.stringify(model.requests[1]?.body.messages)).toContain("A task that is cut off");
  });
});

describe("the history", () => {
  test("finds a session by its messages, renames it, deletes it and restores it", async () => {
    await workbench().script(reply("Copper conducts."), reply("Oak burns."));
    const opened = await workbench().newChat();
    await opened.send("Tell me about metals");
    await opened.conversation.getByText("Copper conducts.").waitFor();
    await run(opened, "tiller.newSession");
    await opened.send("Tell me about wood");
    await opened.conversation.getByText("Oak burns.").waitFor();

    await opened.runCommand("Tiller: Search Sessions…");
    await opened.quickPickOption(/Tell me about wood/).waitFor();
    await opened.page.keyboard.type("copper");
    await opened.quickPickOption(/Tell me about wood/).waitFor({ state: "detached" });
    const found = opened.quickPickOption(/Tell me about metals/);
    await found.waitFor();
    await workbench().screenshot(opened.page, "history-search");
    await found.hover();
    await found.getByRole("button", { name: "Rename" }).click();
    await opened.quickInput.getByText("Rename Session").waitFor();
    await opened.answerInput("All about metals");
    const renamed = opened.quickPickOption(/All about metals/);
    await renamed.hover();
    await renamed.getByRole("button", { name: "Delete" }).click();
    const undo = opened.notification(/Deleted "All about metals"/);
    await undo.waitFor();
    await renamed.waitFor({ state: "detached" });
    await opened.page.keyboard.press("Escape");
    await undo.getByRole("button", { name: "Undo" }).click();
    await opened.runCommand("Tiller: Search Sessions…");
    await renamed.click();
    await opened.conversation.getByText("Copper conducts.").waitFor();
  });

  test("shows which chats work and which are done", async () => {
    const middle = gate();
    await workbench().script(reply([text("I begin. "), middle, text("I end.")]), reply("Second answers."));
    const opened = await workbench().newChat();
    await opened.send("A long task");
    await opened.conversation.getByText("I begin.").waitFor();
    await run(opened, "tiller.newSession");
    await opened.send("A short task");
    await opened.conversation.getByText("Second answers.").waitFor();
    await run(opened, "tiller.sessions.focus");
    const tree = opened.page.getByRole("tree", { name: /Sessions/ });
    await tree.getByRole("treeitem", { name: /A long task, running/ }).waitFor();
    await workbench().screenshot(opened.page, "sessions-light");
    middle.release();
    const first = tree.getByRole("treeitem").nth(1); // below the name of its group: what was said last has moved it up
    await expect.poll(() => first.getAttribute("aria-label")).toMatch(/A long task, done/);
    await opened.evaluate((vscode) =>
      vscode.workspace.getConfiguration("workbench").update("colorTheme", "Default Dark Modern", true),
    );
    await opened.page.locator(".monaco-workbench.vs-dark").waitFor();
    await workbench().screenshot(opened.page, "sessions-dark");
    await first.click();
    await opened.conversation.getByText("I end.").waitFor();
    await tree.getByRole("treeitem", { name: /A long task, current/ }).waitFor();
  });
});
