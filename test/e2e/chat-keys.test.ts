import { expect, test } from "vitest";
import { reply, toolCall } from "../support/scripted-replies.ts";
import type { EditorWindow } from "./support/editor-window.ts";
import { useWorkbench } from "./support/workbench.ts";

const workbench = useWorkbench({ files: { "mine.txt": "" } });

/** Returns the part of the chat that has the keyboard focus. */
function place(opened: EditorWindow): Promise<unknown> {
  return opened.chat.locator("body").evaluate(`(() => {
    const active = document.activeElement;
    if (!document.hasFocus()) return "elsewhere";
    if (active?.closest(".question-group")) return "question";
    if (active?.closest(".transcript")) return "conversation";
    return active?.closest(".composer-tools") ? "buttons" : active?.localName;
  })()`);
}

test("F6 and Shift+F6 move between the parts of the chat, Alt+A goes to the question, and Escape returns to the input", async () => {
  await workbench().script(reply([toolCall("bash", { command: "touch made.txt" })]), reply("Done."));
  const opened = await workbench().openChat();
  await opened.evaluate(async (vscode) => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    if (folder === undefined) return;
    await vscode.window.showTextDocument(vscode.Uri.joinPath(folder.uri, "mine.txt"));
  });
  const goes = async (key: string, to: string) => {
    await opened.page.keyboard.press(key);
    await expect.poll(() => place(opened)).toBe(to);
  };
  await opened.showChat();
  await expect.poll(() => place(opened)).toBe("vscode-text-area");
  await workbench().screenshot(opened.page, "chat-keys");
  await goes("F6", "buttons");
  await goes("Shift+F6", "vscode-text-area");
  await opened.send("Make it");
  await opened.question(/^Allow bash\?/).waitFor();
  await opened.composer.focus();
  await goes("Shift+F6", "question");
  await goes("Shift+F6", "conversation");
  await goes("F6", "question");
  await goes("F6", "vscode-text-area");
  await goes("Shift+F6", "question");
  await goes("Escape", "vscode-text-area");
  await goes("Alt+a", "question");
  await opened.page.keyboard.press("Enter");
  await opened.conversation.getByText("Done.", { exact: true }).waitFor();
});
