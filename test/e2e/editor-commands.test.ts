import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gate, reply, text } from "../support/scripted-replies.ts";
import type { EditorWindow } from "./support/editor-window.ts";
import { useWorkbench } from "./support/workbench.ts";

const RATES = "a: 1\nb: 2\nc: 3\nd: 4\n";

const workbench = useWorkbench({
  files: { "port.txt": "one\ntwo\nthree\nfour\n", "rates.txt": RATES },
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

test("selected code goes to the chat through a prompt template, from the menu, the light bulb, and a new chat if wanted", async () => {
  const model = await workbench().script(reply("It counts."), reply("It is right."), reply("Here are tests."));
  const opened = await workbench().newChat();
  await opened.composer.fill("My draft");
  const select = () =>
    opened.evaluate(async (vscode) => {
      const [folder] = vscode.workspace.workspaceFolders ?? [];
      if (folder === undefined) throw new Error("No folder.");
      const uri = vscode.Uri.joinPath(folder.uri, "port.txt");
      await vscode.window.showTextDocument(uri, { selection: new vscode.Range(1, 0, 3, 0) });
    });
  await select();
  await opened.page.locator(".view-line").filter({ hasText: "three" }).click({ button: "right" });
  await opened.page.getByRole("menuitem", { name: "Tiller" }).hover();
  const item = opened.page.getByRole("menuitem", { name: "Explain", exact: true });
  await item.waitFor();
  await workbench().screenshot(opened.page, "code-menu");
  await opened.page.keyboard.press("Escape");
  await opened.page.keyboard.press("Escape");
  await select();
  await opened.runCommand("Tiller: Explain");
  await opened.conversation.getByText("It counts.").waitFor();
  expect(await opened.composer.inputValue()).toBe("My draft");
  const first = JSON.stringify(model.requests[0]?.body.messages);
  expect(first).toContain("Explain the following code");
  expect(first).toContain("@port.txt:2-3");
  expect(first).toMatch(/\\n(?:two|TWO)\\nthree\\n/);

  const titles = await opened.evaluate(async (vscode) => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    if (folder === undefined) throw new Error("No folder.");
    const uri = vscode.Uri.joinPath(folder.uri, "port.txt");
    const problems = vscode.languages.createDiagnosticCollection("test");
    problems.set(uri, [new vscode.Diagnostic(new vscode.Range(2, 0, 2, 5), "Three is too many.", 0)]);
    const actions = await vscode.commands.executeCommand<
      { title: string; command?: { command: string; arguments: [] } }[]
    >("vscode.executeCodeActionProvider", uri, new vscode.Range(2, 0, 2, 5));
    const fix = actions.find(({ title }) => title === "Fix Selection with Tiller")?.command;
    if (fix !== undefined) await vscode.commands.executeCommand(fix.command, ...fix.arguments);
    problems.dispose();
    return actions.map(({ title }) => title);
  });
  expect(titles).toEqual(
    expect.arrayContaining([
      "Fix with Tiller",
      "Edit Selection with Tiller…",
      "Explain Selection with Tiller",
      "Fix Selection with Tiller",
      "Add Tests with Tiller",
      "Document with Tiller",
    ]),
  );
  await opened.conversation.getByText("It is right.").waitFor();
  const second = JSON.stringify(model.requests[1]?.body.messages.at(-1));
  expect(second).toContain("Find out what is wrong in the following code");
  expect(second).toContain("Three is too many.");

  await opened.evaluate((vscode) =>
    vscode.workspace.getConfiguration("tiller").update("commandChat", "new", vscode.ConfigurationTarget.Global),
  );
  await select();
  await opened.runCommand("Tiller: Add Tests");
  await opened.conversation.getByText("Here are tests.").waitFor();
  expect(await opened.conversation.getByText("It counts.").count()).toBe(0);
  expect(model.requests[2]?.body.messages).toHaveLength(1);
  await opened.evaluate((vscode) =>
    vscode.workspace.getConfiguration("tiller").update("commandChat", undefined, vscode.ConfigurationTarget.Global),
  );
});

const rates = () => join(workbench().server.workspace, "rates.txt");

/** Selects the second and third line of the file, and asks for a change of them. */
async function askForLines(opened: EditorWindow, wanted: string): Promise<void> {
  await opened.evaluate(
    (vscode, file) =>
      vscode.window.showTextDocument(vscode.Uri.file(file ?? ""), { selection: new vscode.Range(1, 1, 3, 0) }),
    rates(),
  );
  await opened.page.keyboard.press("Control+Alt+k");
  await opened.quickInput.getByText("Edit rates.txt:2-3").waitFor();
  await opened.quickInput.locator("input:focus").waitFor();
  await opened.page.keyboard.type(wanted);
  await opened.page.keyboard.press("Enter");
}

test("Edit Selection rewrites the selected lines in place, where the change can be undone", async () => {
  const model = await workbench().script(
    reply("```\nb: 20\nc: 30\n```"),
    reply("I would rather not."),
    reply("```\nb: 2\nc: 3\n```"),
  );
  const opened = await workbench().newChat();
  const path = rates();
  await askForLines(opened, "Ten times as much");
  await expect.poll(() => readFileSync(path, "utf8")).toBe("a: 1\nb: 20\nc: 30\nd: 4\n");
  const undo = opened.page.locator(".codelens-decoration").getByText("Undo", { exact: true });
  await undo.waitFor();
  await workbench().screenshot(opened.page, "edit-selection");
  const sent = JSON.stringify(model.requests[0]?.body);
  expect(sent).toContain("Rewrite lines of code: Ten times as much");
  expect(sent).toContain("b: 2\\nc: 3\\n");
  await undo.click();
  await expect.poll(() => readFileSync(path, "utf8")).toBe(RATES);

  await askForLines(opened, "Refuse");
  const refused = opened.notification(/The model wrote: I would rather not\./);
  await refused.getByRole("button", { name: "Retry" }).click();
  expect(readFileSync(path, "utf8")).toBe(RATES);
  await expect.poll(() => opened.quickInput.locator("input:focus").inputValue()).toBe("Refuse");
  await opened.page.keyboard.press("Enter");
  await opened.notification("The model left rates.txt:2-3 as it is.").waitFor();
  expect(readFileSync(path, "utf8")).toBe(RATES);
});

test("Edit Selection follows the lines while the user types above them, and Cancel ends it with its agent", async () => {
  const [first, second] = [gate(), gate()];
  await workbench().script(reply([first, text("```\nb: 20\n```")]), reply([second, text("```\nlate\n```")]));
  const opened = await workbench().newChat();
  const shown = () => opened.evaluate((vscode) => vscode.window.activeTextEditor?.document.getText());
  await askForLines(opened, "Join them");
  await first.reached.promise;
  await opened.page.keyboard.press("Control+Home");
  first.release();
  await opened.page.keyboard.type("above\n", { delay: 100 });
  await expect.poll(shown).toBe("above\na: 1\nb: 20\nd: 4\n");

  await askForLines(opened, "Once more");
  await second.reached.promise;
  const before = (await workbench().agents()).length;
  const progress = opened.notification("Editing rates.txt:2-3…");
  await progress.getByRole("button", { name: "Cancel" }).click();
  await expect.poll(async () => (await workbench().agents()).length).toBe(before - 1);
  second.release();
  await progress.waitFor({ state: "detached" });
  expect(await shown()).toBe("above\na: 1\nb: 20\nd: 4\n");
});

test("a button in Source Control writes the commit message, and the chat stays as it is", async () => {
  makeRepository();
  const model = await workbench().script(reply("Shout the second line"));
  const opened = await workbench().newChat();
  await opened.composer.fill("My draft");
  await expect.poll(() => inputBox(opened)).toBe("");
  const before = (await workbench().agents()).length;
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
  await expect.poll(async () => (await workbench().agents()).length).toBe(before);

  git("add", ".");
  git("commit", "--quiet", "-m", "Shout");
  await opened.runCommand("Tiller: Generate Commit Message");
  await opened.notification(/There are no changes to commit/).waitFor();
});
