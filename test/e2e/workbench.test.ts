import { describe, expect, test } from "vitest";
import { gate, reply, text, toolCall } from "../support/scripted-replies.ts";
import type { EditorWindow } from "./support/editor-window.ts";
import { useWorkbench } from "./support/workbench.ts";

const workbench = useWorkbench({ files: { "a.txt": "one\n" } });

const toasts = (opened: EditorWindow) => opened.page.locator(".notification-toast");

describe("the workbench around the chat", () => {
  test("notifies only a user who is elsewhere, once, and the status bar's menu answers", async () => {
    const second = gate();
    await workbench().script(
      reply([toolCall("bash", { command: "mkdir d1" })]),
      reply("One."),
      reply([toolCall("bash", { command: "mkdir d2" })]),
      reply([text("Two begins. "), second, text("Two.")]),
    );
    const opened = await workbench().newChat();
    await opened.send("Make one");
    await opened.question(/^Allow bash\? mkdir d1/).waitFor();
    await opened.statusBar.getByText("Tiller needs your answer").click();
    await opened.quickPickOption(/^Stop/).waitFor();
    await workbench().screenshot(opened.page, "status-menu");
    await opened.quickPickOption(/^Answer: Allow bash\? mkdir d1/).click();
    await opened.quickPickOption("Allow Once").click();
    await opened.conversation.getByText("One.", { exact: true }).waitFor();
    await opened.statusBar.getByText("Tiller", { exact: true }).waitFor();
    expect(await toasts(opened).count()).toBe(0);

    await opened.send("Make two");
    await opened.question(/^Allow bash\? mkdir d2/).waitFor();
    await opened.hideChat();
    const asking = opened.notification("Allow bash? mkdir d2");
    await asking.waitFor();
    expect(await toasts(opened).count()).toBe(1);
    await asking.getByRole("button", { name: "Show Chat" }).click();
    await opened.composer.waitFor();
    await opened.hideChat();
    await opened.showChat();
    await opened.approve("bash", "Allow Once");
    await opened.conversation.getByText("Two begins.").waitFor();
    expect(await toasts(opened).count()).toBe(0);

    await opened.hideChat();
    second.release();
    const done = opened.notification('Run finished in "Make one"');
    await done.waitFor();
    expect(await toasts(opened).count()).toBe(1);
    await workbench().screenshot(opened.page, "done-notification");
    await done.getByRole("button", { name: "Show Chat" }).click();
    await opened.conversation.getByText("Two begins. Two.").waitFor();
  });

  test("has one key to the chat and back, others work in the chat, and the walkthrough opens", async () => {
    await workbench().script(reply("An answer."));
    const opened = await workbench().newChat();
    await opened.evaluate(async (vscode) => {
      const [folder] = vscode.workspace.workspaceFolders ?? [];
      if (folder) await vscode.window.showTextDocument(vscode.Uri.joinPath(folder.uri, "a.txt"));
    });
    await opened.page.locator(".monaco-editor.focused").waitFor();
    await opened.page.keyboard.press("Control+Alt+j");
    await expect.poll(() => hasKeyboard(opened)).toBe(true);
    await opened.page.keyboard.type("to the chat");
    await opened.page.keyboard.press("Enter");
    await opened.conversation.getByText("An answer.").waitFor();
    await opened.page.keyboard.press("Control+f");
    await opened.chat.getByRole("textbox", { name: "Find in chat" }).waitFor();
    await opened.page.keyboard.press("Escape");
    await opened.page.keyboard.press("Control+Alt+j");
    await opened.page.locator(".monaco-editor.focused").waitFor();
    await opened.page.keyboard.type("back ");
    const textOf = () => opened.evaluate((vscode) => vscode.window.activeTextEditor?.document.getText());
    await expect.poll(textOf).toBe("back one\n");

    await opened.composer.click();
    // The list comes from the extension, which by then knows where the keyboard is.
    await opened.page.keyboard.type("/");
    await opened.chat.getByRole("listbox", { name: "Slash commands" }).waitFor();
    await opened.page.keyboard.press("Escape");
    await opened.page.keyboard.press("Control+l");
    await opened.conversation.getByText("An answer.").waitFor({ state: "hidden" });

    const setFont = (size: number | undefined) =>
      opened.evaluate(
        (vscode, value) => vscode.workspace.getConfiguration("chat").update("fontSize", value ?? undefined, true),
        size,
      );
    const sizeOf = () => opened.chat.locator("body").evaluate("getComputedStyle(document.body).fontSize");
    const before = await sizeOf();
    await setFont(21);
    await expect.poll(sizeOf).toBe("21px");
    await setFont(undefined);
    await expect.poll(sizeOf).toBe(before);

    await opened.evaluate((vscode) => vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor"));
    await opened.runCommand("Tiller: Open Walkthrough");
    await opened.page.getByText("Set up a model", { exact: true }).waitFor();
    await opened.page.getByText("Make it yours").waitFor();
    await workbench().screenshot(opened.page, "walkthrough");
  });
});

/** True when typed text goes to a page: the workbench then has its frame in focus. */
function hasKeyboard(opened: EditorWindow): Promise<unknown> {
  return opened.page.evaluate("document.activeElement?.tagName === 'IFRAME'");
}
