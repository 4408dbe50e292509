import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { describe, expect, test } from "vitest";
import { reply, toolCall } from "../support/scripted-replies.ts";
import type { EditorWindow } from "./support/editor-window.ts";
import { useWorkbench } from "./support/workbench.ts";

const workbench = useWorkbench({ files: { "a.txt": "one\n", "text.txt": "one\n" } });

function isThere(name: string): boolean {
  return existsSync(join(workbench().server.workspace, name));
}

const bash = (command: string) => reply([toolCall("bash", { command })]);

const PROPOSED = /b\.txt \(proposed change, editable\)/;

/** Opens the comparison of a question, with the keyboard in it. */
async function openProposal(opened: EditorWindow, card: Locator): Promise<void> {
  await card.getByRole("button", { name: "Open Diff" }).click();
  await opened.editorTab(PROPOSED).waitFor();
  await expect
    .poll(() => opened.page.evaluate("document.activeElement?.closest('.monaco-diff-editor') != null"))
    .toBe(true);
}

/** The texts of both sides of the proposed changes that are open. */
function proposals(opened: EditorWindow): Promise<unknown> {
  return opened.evaluate((vscode) => {
    const texts = vscode.workspace.textDocuments.filter(({ uri }) => uri.scheme === "tiller-proposal");
    return texts.map((document) => document.getText()).sort();
  });
}

function setMode(opened: EditorWindow, mode: string | undefined): Promise<unknown> {
  return opened.evaluate(
    (vscode, value) => vscode.workspace.getConfiguration("tiller").update("permissionMode", value, true),
    mode,
  );
}

describe("an approval", () => {
  test("is a card while the chat is visible, and takes no key from an editor", async () => {
    await workbench().script(bash("touch b.txt && mkdir c"), reply("Made."));
    const opened = await workbench().newChat();
    await opened.send("Make a file");
    await opened.evaluate(async (vscode) => {
      const [folder] = vscode.workspace.workspaceFolders ?? [];
      if (folder) await vscode.window.showTextDocument(vscode.Uri.joinPath(folder.uri, "a.txt"));
    });
    const card = opened.question(/^Allow bash\? touch b\.txt/);
    await card.waitFor();
    await opened.page.keyboard.type("typed ");
    await expect
      .poll(() => opened.evaluate((vscode) => vscode.window.activeTextEditor?.document.getText()))
      .toBe("typed one\n");
    expect(await opened.quickInput.isVisible()).toBe(false);
    await workbench().screenshot(opened.page, "approval-card");
    await card.getByRole("button", { name: "Allow Once" }).click();
    await opened.conversation.getByText("Made.").waitFor();
    await opened.conversation.getByText("Allowed once").waitFor();
    expect(isThere("c")).toBe(true);
    await opened.evaluate((vscode) => vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor"));
  });

  test("is remembered as the rule on the card, which is listed and can be removed", async () => {
    await workbench().script(
      bash("mkdir -p d1"),
      bash("mkdir -p d1"),
      reply("Both."),
      bash("mkdir -p d1"),
      reply("No."),
    );
    const opened = await workbench().newChat();
    await opened.send("Count");
    const card = opened.question(/^Allow bash\? mkdir -p d1/);
    const session = card.getByRole("button", { name: /^Allow in this session: / });
    const rule = (await session.getAttribute("aria-label"))?.replace("Allow in this session: ", "") ?? "";
    await session.click();
    await opened.conversation.getByText("Allowed in this session:").waitFor();
    await opened.conversation.getByText("Both.").waitFor();
    expect(isThere("d1")).toBe(true);

    await opened.runCommand("Tiller: Manage Approval Rules");
    const listed = opened.quickPickOption(rule);
    await listed.waitFor();
    await workbench().screenshot(opened.page, "approval-rules");
    await listed.hover();
    await listed.getByRole("button", { name: "Remove Rule" }).click();
    await listed.waitFor({ state: "hidden" });
    await opened.runCommand("Tiller: Manage Approval Rules");
    await opened.notification("There are no approval rules.").waitFor();

    await opened.send("Go on");
    await opened
      .question(/^Allow bash\? mkdir -p d1/)
      .getByRole("button", { name: "Deny" })
      .click();
    await opened.conversation.getByText("Denied", { exact: true }).waitFor();
    await opened.conversation.getByText("No.", { exact: true }).waitFor();
  });

  test("is a quick pick when it is asked for, and its rule can be changed before it is stored", async () => {
    await workbench().script(bash("mkdir d4"), reply("Four."));
    const opened = await workbench().newChat();
    await opened.send("Four");
    await opened.statusBar.getByText("Tiller needs your answer").click();
    await opened.quickPickOption(/^Answer: Allow bash\?/).click();
    await opened.quickPickOption(/^Allow in This Session, bash /).waitFor();
    await workbench().screenshot(opened.page, "approval-quick-pick");
    await opened.quickPickOption("Edit Rule…").click();
    const box = opened.page.locator(".quick-input-widget input.input");
    await expect.poll(() => box.inputValue()).toMatch(/^mkdir/);
    await opened.answerInput("mkdir *");
    await opened.quickPickOption(/^Allow in This Session, bash mkdir \*/).waitFor();
    await opened.quickPickOption("Deny").click();
    await opened.conversation.getByText("Four.").waitFor();
  });

  test("of an edit shows the resulting file before it is written, also in the editor's own comparison", async () => {
    const edits = [{ oldText: "two", newText: "2" }];
    await workbench().script(reply([toolCall("edit", { path: "b.txt", edits })]), reply("Edited."));
    const opened = await workbench().newChat();
    const path = join(workbench().server.workspace, "b.txt");
    writeFileSync(path, "one\ntwo\nthree\n");
    await opened.send("Edit it");
    const card = opened.question(/^Allow edit\? b\.txt/);
    await expect
      .poll(() => card.locator(".diff-line").allTextContents())
      .toEqual([" 1 one\n", "-2 two\n", "+2 2\n", " 3 three\n"]);
    await card.getByRole("button", { name: "Open Diff" }).click();
    await opened.editorTab(PROPOSED).waitFor();
    await expect.poll(() => proposals(opened)).toEqual(["one\n2\nthree\n", "one\ntwo\nthree\n"]);
    await workbench().screenshot(opened.page, "approval-diff");
    expect(readFileSync(path, "utf8")).toBe("one\ntwo\nthree\n");
    await card.getByRole("button", { name: "Allow Once" }).click();
    await opened.conversation.getByText("Edited.").waitFor();
    expect(readFileSync(path, "utf8")).toBe("one\n2\nthree\n");
    await opened.editorTab(PROPOSED).waitFor({ state: "detached" });
  });

  test("of an edit can be edited before it is accepted: the right side of the comparison is written, and the model learns the difference", async () => {
    const edits = [{ oldText: "two", newText: "2" }];
    const call = reply([toolCall("edit", { path: "b.txt", edits })]);
    const model = await workbench().script(call, reply("Seen."), call, reply("Once more."));
    const opened = await workbench().newChat();
    const path = join(workbench().server.workspace, "b.txt");
    writeFileSync(path, "one\ntwo\nthree\n");
    await opened.send("Edit it");
    const card = opened.question(/^Allow edit\? b\.txt/);
    await openProposal(opened, card);
    await opened.page.keyboard.press("Control+End");
    await opened.page.keyboard.type("mine");
    await card.getByText("You have edited this change.").waitFor();
    await workbench().screenshot(opened.page, "approval-edited");
    // Kept when the tab is closed and its text saved, and shown when it is opened anew.
    await opened.page.keyboard.press("Control+S");
    await opened.evaluate((vscode) => vscode.commands.executeCommand("workbench.action.closeActiveEditor"));
    await opened.editorTab(PROPOSED).waitFor({ state: "detached" });
    await openProposal(opened, card);
    await opened.page.keyboard.press("Control+End");
    await opened.page.keyboard.type("!");
    await expect.poll(() => proposals(opened)).toContain("one\n2\nthree\nmine!");
    await opened.page.getByRole("button", { name: "Allow Proposed Change" }).click();
    await opened.conversation.getByText("Seen.").waitFor();
    await opened.conversation.getByText("Allowed once with your edits").waitFor();
    expect(readFileSync(path, "utf8")).toBe("one\n2\nthree\nmine!");
    await opened.editorTab(PROPOSED).waitFor({ state: "detached" });
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("The user edited your proposal before accepting it");

    writeFileSync(path, "two\n");
    await opened.send("Again");
    await openProposal(opened, card);
    await opened.page.keyboard.type("not this");
    await opened.page.keyboard.press("Control+Alt+n");
    await opened.conversation.getByText("Once more.").waitFor();
    expect(readFileSync(path, "utf8")).toBe("two\n");
    await opened.editorTab(PROPOSED).waitFor({ state: "detached" });
    expect(await opened.page.getByText("Do you want to save").count()).toBe(0);
  });

  test("that was closed with its window leaves no half-edited comparison behind", async () => {
    const edits = [{ oldText: "two", newText: "2" }];
    await workbench().script(reply([toolCall("edit", { path: "b.txt", edits })]));
    const opened = await workbench().newChat();
    writeFileSync(join(workbench().server.workspace, "b.txt"), "one\ntwo\n");
    await opened.send("Edit it");
    const card = opened.question(/^Allow edit\? b\.txt/);
    await openProposal(opened, card);
    await opened.page.keyboard.type("half ");
    await card.getByText("You have edited this change.").waitFor();
    await opened.reload();
    await opened.showChat();
    await opened.editorTab(PROPOSED).waitFor({ state: "detached" });
    expect(await opened.page.getByText("Do you want to save").count()).toBe(0);
    expect(await opened.notification(/b\.txt/).count()).toBe(0);
    await workbench().screenshot(opened.page, "approval-reloaded");
  });

  test("is a notification when the chat is hidden", async () => {
    await workbench().script(bash("mkdir d6"), reply("Six."));
    const opened = await workbench().newChat();
    await opened.send("Six");
    await opened.question(/^Allow bash\? mkdir d6/).waitFor();
    await opened.hideChat();
    const toast = opened.notification("Allow bash? mkdir d6");
    await toast.waitFor();
    await workbench().screenshot(opened.page, "approval-notification");
    await toast.getByRole("button", { name: "Allow Once" }).click();
    await opened.showChat();
    await opened.conversation.getByText("Six.").waitFor();
    expect(isThere("d6")).toBe(true);
  });

  test("of a command shows in a preview what it would change, and changes just that", async () => {
    const model = await workbench().script(bash("echo two > text.txt && touch e.txt && echo over"), reply("Changed."));
    const opened = await workbench().newChat();
    await opened.send("Change it");
    const card = opened.question(/^Allow bash\? echo two/);
    await card.getByRole("button", { name: "Preview" }).click();
    await card.getByText("Preview: exit code 0 · would change 2 files").waitFor();
    await card.getByText("+two").waitFor();
    await workbench().screenshot(opened.page, "approval-preview");
    expect([isThere("e.txt"), readFileSync(join(workbench().server.workspace, "text.txt"), "utf8")]).toEqual([
      false,
      "one\n",
    ]);
    await card.getByRole("button", { name: "Apply Changes" }).click();
    await opened.conversation.getByText("Changed.", { exact: true }).waitFor();
    expect([isThere("e.txt"), readFileSync(join(workbench().server.workspace, "text.txt"), "utf8")]).toEqual([
      true,
      "two\n",
    ]);
    expect(JSON.stringify(model.requests[1]?.body.messages)).toContain("The user saw a preview of this command");
  });
});

describe("the permission mode", () => {
  test("changes in a running agent from the composer, and a new window begins with the setting", async () => {
    await workbench().script(bash("mkdir d7"), reply("Seven."));
    const opened = await workbench().newChat();
    const agents = await workbench().agents();
    await opened.chat.getByRole("button", { name: "Permission mode: Ask First" }).click();
    await opened.quickPickOption(/Auto-Edit/).waitFor();
    await workbench().screenshot(opened.page, "mode-picker");
    await opened.quickPickOption(/Full Access/).click();
    await opened.chat.getByRole("button", { name: "Permission mode: Full Access" }).waitFor();
    await opened.send("Seven");
    await opened.conversation.getByText("Seven.").waitFor();
    expect(isThere("d7")).toBe(true);
    expect(await workbench().agents()).toEqual(agents);
    await opened.reload();
    await opened.showChat();
    await opened.chat.getByRole("button", { name: "Permission mode: Ask First" }).waitFor();
  });

  test("of the settings applies at once, without a restart", async () => {
    await workbench().script(bash("mkdir d8"), reply("Refused."));
    const opened = await workbench().newChat();
    await opened.chat.getByRole("button", { name: "Permission mode: Ask First" }).waitFor();
    const agents = await workbench().agents();
    await setMode(opened, "readonly");
    await opened.chat.getByRole("button", { name: "Permission mode: Read-Only" }).waitFor();
    await opened.send("Eight");
    await opened.conversation.getByText("Refused.").waitFor();
    expect(await workbench().agents()).toEqual(agents);
    await setMode(opened, undefined);
  });

  test("lets commands run in the sandbox without a question, and asks when one leaves it", async () => {
    await workbench().script(bash("echo inside > made.txt"), reply("Made."), bash("git push"), reply("Not pushed."));
    const opened = await workbench().newChat();
    await opened.chat.getByRole("button", { name: "Permission mode: Ask First" }).click();
    await opened.quickPickOption(/Sandboxed/).click();
    await opened.chat.getByRole("button", { name: "Permission mode: Sandboxed" }).waitFor();
    await opened.send("Make a file");
    await opened.conversation.getByText("Made.", { exact: true }).waitFor();
    expect(readFileSync(join(workbench().server.workspace, "made.txt"), "utf8")).toBe("inside\n");
    await workbench().screenshot(opened.page, "sandboxed");
    await opened.send("Push it");
    const card = opened.question(/^Allow bash\? git push/);
    await card.getByRole("button", { name: "Deny" }).click();
    await opened.conversation.getByText("Not pushed.").waitFor();
  });
});
