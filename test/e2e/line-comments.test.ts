import { join } from "node:path";
import { expect, test } from "vitest";
import { reply, toolCall } from "../support/scripted-replies.ts";
import type { EditorWindow } from "./support/editor-window.ts";
import { useWorkbench } from "./support/workbench.ts";

const LINES = Array.from({ length: 12 }, (_, index) => `line ${index + 1}\n`).join("");
const workbench = useWorkbench({ files: { "notes.txt": LINES }, settings: { "tiller.permissionMode": "auto" } });

/** Opens the box for a comment on a line of the file, and types into it. */
async function beginComment(opened: EditorWindow, line: number, text: string): Promise<void> {
  await opened.evaluate(
    (vscode, place) => {
      const start = new vscode.Position((place?.line ?? 1) - 1, 0);
      const selection = new vscode.Range(start, start);
      return vscode.window.showTextDocument(vscode.Uri.file(place?.path ?? ""), { preview: false, selection });
    },
    { path: join(workbench().server.workspace, "notes.txt"), line },
  );
  // The editor asks for the lines that can have comments a moment after it shows a file.
  const isOpen = async () => {
    await opened.evaluate((vscode) => vscode.commands.executeCommand("tiller.commentOnLine"));
    return commentBox(opened).getByRole("button", { name: "Add Comment" }).isVisible();
  };
  await expect.poll(isOpen, { interval: 1_000 }).toBe(true);
  await opened.page.keyboard.type(text);
  await commentBox(opened).getByText(text).waitFor();
}

/** The box that was opened last. */
const commentBox = (opened: EditorWindow) => opened.page.locator(".review-widget").last();

test("comments on lines of a changed file are collected, and go to the agent in one message with their places", async () => {
  const model = await workbench().script(
    reply([
      toolCall("edit", {
        path: "notes.txt",
        edits: [{ oldText: "line 3\n", newText: "LINE 3\n" }],
      }),
    ]),
    reply("Changed."),
    reply("Understood."),
  );
  const opened = await workbench().openChat();
  await opened.send("Change line 3");
  await opened.conversation.getByText("Changed.", { exact: true }).waitFor();

  await beginComment(opened, 3, "Why in capitals?");
  await commentBox(opened).getByRole("button", { name: "Add Comment" }).click();
  await opened.chat.getByText("1 comment on a line").waitFor();
  await beginComment(opened, 7, "Rename this one too");
  await workbench().screenshot(opened.page, "line-comments");
  expect(model.requests).toHaveLength(2);
  await commentBox(opened).getByRole("button", { name: "Send Now" }).click();

  await opened.conversation.getByText("Understood.", { exact: true }).waitFor();
  const sent = JSON.stringify(model.requests.at(-1));
  expect(sent).toContain("My comments on these lines:");
  expect(sent).toContain("@notes.txt:3 `LINE 3`\\n  Why in capitals?");
  expect(sent).toContain("@notes.txt:7 `line 7`\\n  Rename this one too");
  await opened.chat.getByText("comments on lines").waitFor({ state: "hidden" });
  await opened.page.locator(".review-widget").waitFor({ state: "detached" });
});
