import { expect, test } from "vitest";
import { type RecordedRequest, reply, toolCall } from "../support/scripted-replies.ts";
import type { EditorWindow } from "./support/editor-window.ts";
import { callTool, offeredTools } from "./support/tool-calls.ts";
import { SAMPLE_WORKSPACE, useWorkbench } from "./support/workbench.ts";

const workbench = useWorkbench({
  files: SAMPLE_WORKSPACE,
  settings: { "tiller.hostTools.allowedCommands": ["workbench.action.files.newUntitledFile"] },
});

/** Returns the last message of a request, as JSON. */
function lastMessage(request: RecordedRequest | undefined): string {
  return JSON.stringify(request?.body.messages.at(-1));
}

test("vscode_open_file shows a range, which vscode_get_selection then returns, and highlights one until Escape", async () => {
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
    .toolCard(/^Opened /)
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

test("vscode_run_command runs only allowed commands, and read shows a document without a file", async () => {
  const model = await workbench().script(
    reply([toolCall("vscode_run_command", { command: "workbench.action.closeWindow" })]),
    reply([toolCall("vscode_run_command", { command: "workbench.action.files.newUntitledFile" })]),
    reply([toolCall("read", { path: "untitled:Untitled-1" })]),
    reply("Done."),
  );
  const opened = await workbench().newChat();
  await opened.send("Run things");
  const rule = "Allow in this session: host tool vscode_run_command";
  await opened.approve("vscode_run_command", `${rule} workbench.action.closeWindow`);
  await opened.approve("vscode_run_command", `${rule} workbench.action.files.newUntitledFile`);
  await opened.conversation.getByText("Done.").waitFor();
  expect(lastMessage(model.requests[1])).toContain("isn't allowed");
  expect(lastMessage(model.requests[1])).toContain("tiller.hostTools.allowedCommands");
  expect(lastMessage(model.requests[2])).toContain("workbench.action.files.newUntitledFile is done");
  expect(lastMessage(model.requests[3])).toContain("(empty file)");
  await opened.editorTab(/Untitled-1/).waitFor();
});

/** Searches in the list of tools and goes down to what is found. */
async function findTool({ page, quickPickRows }: EditorWindow, name: string): Promise<void> {
  await page.keyboard.press("Control+A");
  await page.keyboard.type(name);
  await expect.poll(() => quickPickRows.count()).toBe(1);
  await page.keyboard.press("ArrowDown");
}

test("a tool can be switched off, and another set to always ask, with the keyboard alone, and a running agent learns it", async () => {
  const opened = await workbench().newChat();
  const { page } = opened;
  const model = await workbench().script();
  await opened.evaluate(async (vscode) => {
    for (const name of ["hostTools.disabled", "hostTools.approval"])
      await vscode.workspace.getConfiguration("tiller").update(name, undefined, vscode.ConfigurationTarget.Global);
  });
  expect(await offeredTools(opened, model)).toEqual(expect.arrayContaining(["vscode_hover", "vscode_find_files"]));
  await opened.runCommand("Tiller: Manage Host Tools");
  await opened.quickInput.getByText("Editor and questions").waitFor();
  await workbench().screenshot(page, "manage-tools");
  await findTool(opened, "vscode_hover");
  await page.keyboard.press("Space");
  // Over the button back into the search.
  for (const key of ["Shift+Tab", "Shift+Tab"]) await page.keyboard.press(key);
  await findTool(opened, "vscode_find_files");
  // To the box, then to the button.
  for (const key of ["Tab", "Tab", "Enter"]) await page.keyboard.press(key);
  await opened.quickPickOption("Always Ask").waitFor();
  await page.keyboard.type("always");
  await page.keyboard.press("Enter");
  await opened.quickInput.getByText("always needs approval (set by you)").waitFor();
  await workbench().screenshot(page, "manage-tools-search");
  await page.keyboard.press("Enter");
  await opened.quickInput.waitFor({ state: "hidden" });

  await expect.poll(() => offeredTools(opened, model)).not.toContain("vscode_hover");
  const refused = await callTool(opened, model, "vscode_hover", { symbol: "addTask" });
  expect(await refused()).toEqual({ text: expect.stringMatching(/^Tool vscode_hover not found\./), isError: true });
  const asked = await callTool(opened, model, "vscode_find_files", { glob: "*.nothing" });
  const question = opened.question(/^Allow vscode_find_files\?/);
  expect(await question.getByRole("button").allInnerTexts()).not.toContain("Allow in This Session");
  await question.getByRole("button", { name: "Allow Once" }).click();
  expect(await asked()).toEqual({ text: '0 files fit "*.nothing":', isError: false });
});
