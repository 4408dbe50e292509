import { expect, test } from "vitest";
import { useWorkbench } from "./support/workbench.ts";

const workbench = useWorkbench({ hasKey: false, hasWorkspaceTrust: true });

test("in a workspace that is not trusted no agent starts until it is", async () => {
  const opened = await workbench().open();
  await opened.evaluate((vscode) => vscode.commands.executeCommand("tiller.focusChat"));
  await opened.chat.getByRole("heading", { name: "This workspace is not trusted" }).waitFor();
  await workbench().screenshot(opened.page, "untrusted");
  expect(await workbench().agents()).toEqual([]);

  await opened.chat.getByRole("button", { name: "Manage Workspace Trust" }).click();
  await opened.page.getByRole("button", { name: "Trust", exact: true }).click();
  await opened.chat.getByText(/demo model is answering/).waitFor();
  expect(await workbench().agents()).toHaveLength(1);
});

test("a window without a folder asks for one and starts no agent", async () => {
  const opened = await workbench().open({ folder: null });
  await opened.evaluate((vscode) => vscode.commands.executeCommand("tiller.focusChat"));
  await opened.chat.getByRole("heading", { name: "No folder is open" }).waitFor();
  await opened.chat.getByRole("button", { name: "Open Folder" }).waitFor();
  await workbench().screenshot(opened.page, "no-folder");
  expect(await workbench().agents()).toEqual([]);
});
