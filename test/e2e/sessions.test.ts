import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { reply } from "../support/scripted-replies.ts";
import type { EditorWindow } from "./support/editor-window.ts";
import { SAMPLE_WORKSPACE, useWorkbench } from "./support/workbench.ts";

const KEY = "ghp_0123456789abcdefghij";

const workbench = useWorkbench({ files: SAMPLE_WORKSPACE });

async function say(opened: EditorWindow, message: string, answer: string): Promise<void> {
  await opened.send(message);
  await opened.conversation.getByText(answer).waitFor();
  await opened.chat.getByRole("button", { name: "Send", exact: true }).waitFor();
}

function forkFrom(opened: EditorWindow, message: string) {
  const prompt = opened.conversation.getByRole("article", { name: `You: ${message}` });
  return prompt.getByRole("button", { name: /^Fork from here/ });
}

describe("a session", () => {
  test("forks from a message in the page, and is exported as Markdown without keys", async () => {
    await workbench().script(reply("The first answer."), reply("The second answer."));
    const opened = await workbench().newChat();
    await say(opened, `The key is ${KEY}`, "The first answer.");
    await say(opened, "And then?", "The second answer.");
    await forkFrom(opened, "And then?").click();
    await opened.conversation.getByText("The second answer.").waitFor({ state: "detached" });
    await expect.poll(() => opened.composer.inputValue()).toBe("And then?");
    await opened.conversation.getByText("The first answer.").waitFor();

    await opened.runCommand("Tiller: Export Session…");
    await opened.quickPickOption(/^Markdown/).click();
    const target = join(workbench().server.workspace, "talk.md");
    const box = opened.page.locator(".quick-input-widget input.input");
    await expect.poll(() => box.inputValue()).toMatch(/\.md$/);
    await opened.answerInput(target);
    const told = opened.notification(/1 possible secret was redacted/);
    await told.waitFor();
    const text = readFileSync(target, "utf8");
    expect(text).toContain("The first answer.");
    expect(text).not.toContain(KEY);
    expect(text).not.toContain("The second answer.");
    await told.getByRole("button", { name: "Export with Secrets" }).click();
    await opened.editorTab("talk.md").waitFor();
    expect(readFileSync(target, "utf8")).toContain(KEY);
  });

  test("that is temporary has branches to go to, and can be saved", async () => {
    await workbench().script(reply("The first answer."), reply("The second answer."), reply("Another answer."));
    const opened = await workbench().newChat();
    await opened.evaluate((vscode) => vscode.commands.executeCommand("tiller.newTemporaryChat"));
    const temporary = opened.chat.getByText("This temporary chat isn't saved.");
    await temporary.waitFor();
    await say(opened, "First", "The first answer.");
    await say(opened, "Second", "The second answer.");
    await forkFrom(opened, "Second").click();
    await opened.conversation.getByText("The second answer.").waitFor({ state: "detached" });
    await say(opened, "Instead", "Another answer.");

    await opened.runCommand("Tiller: Show Session Branches…");
    await opened.quickPickOption(/Instead, current/).waitFor();
    await workbench().screenshot(opened.page, "session-tree");
    await opened.quickPickOption(/Second, 4 messages/).click();
    await opened.conversation.getByText("The second answer.").waitFor();
    await opened.conversation.getByText("Another answer.").waitFor({ state: "detached" });

    await opened.chat.getByRole("button", { name: "Save", exact: true }).click();
    await temporary.waitFor({ state: "hidden" });
    await opened.evaluate((vscode) => vscode.commands.executeCommand("tiller.sessions.focus"));
    await opened.page.getByRole("treeitem", { name: /^First, current/ }).waitFor();
    await workbench().screenshot(opened.page, "sessions-kept");
  });
});
