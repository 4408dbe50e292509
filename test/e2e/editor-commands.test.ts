import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { reply } from "../support/scripted-replies.ts";
import type { EditorWindow } from "./support/editor-window.ts";
import { useWorkbench } from "./support/workbench.ts";

const workbench = useWorkbench({
  files: { "port.txt": "one\ntwo\nthree\nfour\n" },
  settings: { "git.enabled": true, "git.openRepositoryInParentFolders": "never" },
});

function git(...args: string[]): void {
  const who = ["-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"];
  execFileSync("git", [...who, ...args], { cwd: workbench().server.workspace });
}

/** Makes the workspace a repository with one commit and one changed file. */
function makeRepository(): void {
  git("init", "--quiet", "--initial-branch=main");
  git("add", ".");
  git("commit", "--quiet", "-m", "Begin with four");
  writeFileSync(join(workbench().server.workspace, "port.txt"), "one\nTWO\nthree\nfour\n");
}

function inputBox(opened: EditorWindow): Promise<unknown> {
  return opened.evaluate(async (vscode) => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    const git = (await vscode.extensions.getExtension("vscode.git")?.activate())?.getAPI(1);
    return (git?.getRepository(folder?.uri) ?? (await git?.openRepository(folder?.uri)))?.inputBox.value;
  });
}

test("a button in Source Control writes the commit message, and the chat stays as it is", async () => {
  makeRepository();
  const model = await workbench().script(reply("Shout the second line"));
  const opened = await workbench().newChat();
  await opened.composer.fill("My draft");
  await expect.poll(() => inputBox(opened)).toBe("");
  await opened.evaluate((vscode) => vscode.commands.executeCommand("workbench.view.scm"));
  const button = opened.page.getByRole("button", { name: "Generate Commit Message" }).first();
  await button.click();
  await expect.poll(() => inputBox(opened)).toBe("Shout the second line");
  await workbench().screenshot(opened.page, "commit-message");
  const sent = JSON.stringify(model.requests[0]?.body);
  expect(sent).toContain("-two\\n+TWO");
  expect(sent).toContain("- Begin with four");
  expect(model.requests[0]?.body.tools ?? []).toEqual([]);
  expect(await opened.composer.inputValue()).toBe("My draft");
  await expect.poll(async () => (await workbench().agents()).length).toBe(1);

  git("add", ".");
  git("commit", "--quiet", "-m", "Shout");
  await opened.runCommand("Tiller: Generate Commit Message");
  await opened.notification(/There are no changes to commit/).waitFor();
});
