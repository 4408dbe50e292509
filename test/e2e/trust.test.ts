import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useWorkbench } from "./support/workbench.ts";

const OWN_EXTENSION = `
import { writeFileSync } from "node:fs";

export default function (api) {
  writeFileSync("extension-ran.txt", "");
  api.registerCommand("own", { description: "A command of the project", handler: async () => {} });
}
`;

const workbench = useWorkbench({
  hasKey: false,
  hasWorkspaceTrust: true,
  files: { "a.txt": "one\n", ".tiller/extensions/own.ts": OWN_EXTENSION },
});
const hasExtensionRun = () => existsSync(join(workbench().server.workspace, "extension-ran.txt"));

test("no agent starts in an untrusted workspace, and in a trusted one the project's extension runs once it is allowed", async () => {
  const opened = await workbench().open();
  await opened.evaluate((vscode) => vscode.commands.executeCommand("tiller.focusChat"));
  await opened.chat.getByRole("heading", { name: "This workspace isn't trusted" }).waitFor();
  await workbench().screenshot(opened.page, "untrusted");
  expect(await workbench().agents()).toEqual([]);
  expect(hasExtensionRun()).toBe(false);

  await opened.chat.getByRole("button", { name: "Manage Workspace Trust" }).click();
  await opened.page.getByRole("button", { name: "Trust", exact: true }).click();
  const asked = opened.question(/^Allow this project's extension "\.tiller\/extensions\/own\.ts"/);
  await asked.waitFor();
  expect(await workbench().agents()).toHaveLength(1);
  // The editor's own page about trust lies over the chat.
  await opened.evaluate((vscode) => vscode.commands.executeCommand("workbench.action.closeActiveEditor"));
  await workbench().screenshot(opened.page, "consent");
  expect(hasExtensionRun()).toBe(false);
  await asked.getByRole("button", { name: "Allow", exact: true }).click();
  await expect.poll(hasExtensionRun).toBe(true);
  await opened.composer.click();
  await opened.page.keyboard.type("/own");
  await opened.chat.getByRole("option", { name: /^\/own/ }).waitFor();
});

test("a window without a folder asks for one and starts no agent", async () => {
  const opened = await workbench().open({ folder: null });
  await opened.evaluate((vscode) => vscode.commands.executeCommand("tiller.focusChat"));
  await opened.chat.getByRole("heading", { name: "No folder is open" }).waitFor();
  await opened.chat.getByRole("button", { name: "Open Folder" }).waitFor();
  await workbench().screenshot(opened.page, "no-folder");
  expect(await workbench().agents()).toEqual([]);
});
