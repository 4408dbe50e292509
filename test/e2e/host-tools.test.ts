import { expect, test } from "vitest";
import { type RecordedRequest, reply, toolCall } from "../support/scripted-replies.ts";
import { SAMPLE_WORKSPACE, useWorkbench } from "./support/workbench.ts";

const workbench = useWorkbench({
  files: SAMPLE_WORKSPACE,
  settings: { "tiller.hostTools.allowedCommands": ["workbench.action.files.newUntitledFile"] },
});

/** What the model is told last in a request, as JSON. */
function lastMessage(request: RecordedRequest | undefined): string {
  return JSON.stringify(request?.body.messages.at(-1));
}

test("vscode_open_file shows a range, which vscode_get_selection then tells, and marks one until Escape is pressed there", async () => {
  const model = await workbench().script(
    reply([toolCall("vscode_open_file", { path: "src/tasks.js", startLine: 11, endLine: 14 })]),
    reply([toolCall("vscode_get_selection")]),
    reply([toolCall("vscode_open_file", { path: "src/tasks.js", startLine: 3, endLine: 4, highlight: true })]),
    reply("These lines make a task."),
  );
  const opened = await workbench().newChat();
  await opened.send("Show me");
  await opened.conversation.getByText("These lines make a task.").waitFor();
  await opened.editorTab(/tasks\.js/).waitFor();
  await opened
    .toolCard(/^vscode_open_file/)
    .first()
    .waitFor();
  const selection = await opened.evaluate((vscode) => {
    const [start, end] = [
      vscode.window.activeTextEditor?.selection.start,
      vscode.window.activeTextEditor?.selection.end,
    ];
    return [start?.line, end?.line];
  });
  expect(selection).toEqual([10, 13]);
  expect(lastMessage(model.requests[2])).toContain("export function addTask(tasks, title, due)");
  expect(lastMessage(model.requests[3])).toContain("with lines 3-4 of");
  const marks = opened.page.locator(".view-overlays .cdr[class*='ced-']");
  await expect.poll(() => marks.count()).toBe(2);
  await workbench().screenshot(opened.page, "host-tool-open-file");
  await opened.page.locator(".editor-group-container .view-line").nth(5).click();
  await opened.page.keyboard.press("Escape");
  await expect.poll(() => marks.count()).toBe(0);
});

test("vscode_run_command runs an allowed command only, and read shows a document that has no file", async () => {
  const model = await workbench().script(
    reply([toolCall("vscode_run_command", { command: "workbench.action.closeWindow" })]),
    reply([toolCall("vscode_run_command", { command: "workbench.action.files.newUntitledFile" })]),
    reply([toolCall("read", { path: "untitled:Untitled-1" })]),
    reply("Done."),
  );
  const opened = await workbench().newChat();
  await opened.send("Run things");
  await opened.approve("vscode_run_command", "Allow for this session: host tool vscode_run_command");
  await opened.conversation.getByText("Done.").waitFor();
  expect(lastMessage(model.requests[1])).toContain("is not allowed");
  expect(lastMessage(model.requests[1])).toContain("tiller.hostTools.allowedCommands");
  expect(lastMessage(model.requests[2])).toContain("workbench.action.files.newUntitledFile is done");
  expect(lastMessage(model.requests[3])).toContain("(empty file)");
  await opened.editorTab(/Untitled-1/).waitFor();
});
