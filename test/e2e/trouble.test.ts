import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FrameLocator } from "playwright-core";
import { describe, expect, test } from "vitest";
import { gate, hang, reply, text, toolCall } from "../support/scripted-replies.ts";
import { eventually } from "./support/deadline.ts";
import type { EditorWindow } from "./support/editor-window.ts";
import { SAMPLE_WORKSPACE, useWorkbench } from "./support/workbench.ts";

const DEADLINE_MS = 20_000;
const KEY = "sk-ant-api03-0123456789abcdef";

const workbench = useWorkbench({ files: SAMPLE_WORKSPACE });

const run = (opened: EditorWindow, command: string) =>
  opened.evaluate((vscode, id) => vscode.commands.executeCommand(String(id)), command);

/** The page that a tab of ours shows, found by something in it. */
async function pageWith(opened: EditorWindow, find: (page: FrameLocator) => Promise<boolean>): Promise<FrameLocator> {
  const frames = opened.page.locator('iframe.webview[src*="extensionId=tiller-dev.tiller"]');
  let found: FrameLocator | undefined;
  await eventually(
    async () => {
      for (let at = (await frames.count()) - 1; at >= 0; at -= 1) {
        const page = frames.nth(at).contentFrame().frameLocator("#active-frame");
        if (await find(page)) found = page;
      }
      return found !== undefined;
    },
    DEADLINE_MS,
    () => "a page",
  );
  return found ?? expect.fail("no page");
}

describe("a trace", () => {
  test("can be watched while the agent works, saved without keys, opened from its file and replayed", async () => {
    const middle = gate();
    await workbench().script(reply([text(`The key is ${KEY}. `), middle, text("That was all.")]));
    const opened = await workbench().newChat();
    await opened.send("Tell me the key");
    await opened.conversation.getByText("The key is").waitFor();
    await run(opened, "tiller.openTrace");
    const live = await pageWith(opened, (page) => page.getByRole("grid", { name: "Frames" }).isVisible());
    await live
      .getByRole("row", { name: /prompt c/ })
      .first()
      .waitFor();
    middle.release();
    await live.getByRole("row", { name: "agent_settled" }).waitFor();
    await workbench().screenshot(opened.page, "trace");

    const file = join(workbench().server.workspace, "chat.tillertrace");
    await live.getByRole("button", { name: "Save…" }).click();
    // The dialog puts the name in when it has looked at the folder; what is typed before would be mixed with it.
    const name = opened.quickInput.locator("input.input");
    await expect.poll(() => name.inputValue(), { timeout: DEADLINE_MS }).toMatch(/chat\.tillertrace$/);
    await name.press("Enter");
    await expect
      .poll(() => readFile(file, "utf8").catch(() => ""), { timeout: DEADLINE_MS })
      .toContain("agent_settled");
    const saved = await readFile(file, "utf8");
    expect(saved).toContain("[redacted]");
    expect(saved).not.toContain(KEY);

    await run(opened, "workbench.action.closeAllEditors");
    await opened.evaluate(
      (vscode, path) => vscode.commands.executeCommand("vscode.open", vscode.Uri.file(String(path))),
      file,
    );
    const fromFile = await pageWith(opened, (page) => page.getByText("Saved by Tiller").isVisible());
    await fromFile
      .getByRole("row", { name: /prompt c/ })
      .first()
      .waitFor();
    await fromFile.getByRole("button", { name: "Replay" }).click();
    await opened.quickPickOption("Instant").click();
    await opened.editorTab("Replay: Tell me the key").waitFor();
    const replay = await pageWith(opened, (page) => page.locator("main.is-read-only").isVisible());
    await replay.getByText("That was all.").waitFor();
    await replay.getByText("The key is [redacted].").waitFor();
    expect(await replay.getByRole("textbox", { name: "Message", exact: true }).isVisible()).toBe(false);
    await workbench().screenshot(opened.page, "replay");
  });
});

describe("a crash", () => {
  test("is a card, and its report describes the crash and nothing of the conversation", async () => {
    await workbench().script(reply("The secret word is walnut."));
    const opened = await workbench().newChat();
    await opened.send("Which word?");
    await opened.conversation.getByText("walnut").waitFor();
    await opened.composer.fill("half a thought");
    const isShown = [
      opened.conversation.getByText(/SIGKILL.*Restarting/).waitFor(),
      opened.conversation.getByRole("button", { name: "Restart Agent" }).waitFor(),
    ];
    for (const pid of await workbench().agents()) process.kill(pid, "SIGKILL");
    await Promise.all(isShown);
    await opened.conversation.getByText("The agent crashed and was restarted.").waitFor();
    expect(await opened.conversation.getByRole("button", { name: "Continue" }).count()).toBe(0);
    await opened.conversation.getByRole("button", { name: "Copy Report" }).click();
    await opened.notification(/Diagnostic report copied to the clipboard/).waitFor();
    await workbench().screenshot(opened.page, "crash-report");
    const report = String(await opened.evaluate((vscode) => vscode.env.clipboard.readText()));
    expect(report).toContain("# Tiller diagnostic report");
    expect(report).toContain("The agent crashed (SIGKILL).");
    expect(report).toMatch(/- Items: .*1 prompt/);
    expect(report).toMatch(/\[info\] agent: crashed/);
    expect(report).not.toMatch(/walnut|Which word|half a thought/);
    expect(await opened.composer.inputValue()).toBe("half a thought");
  });

  test("in the middle of a run ends in a card with Continue, which goes away when it was used", async () => {
    const model = await workbench().script(hang({ afterBlocks: [text("I shall begin.")] }), reply("I went on."));
    const opened = await workbench().newChat();
    await opened.send("Do a lot");
    await opened.conversation.getByText("I shall begin.").waitFor();
    for (const pid of await workbench().agents()) process.kill(pid, "SIGKILL");
    await opened.conversation.getByText("The agent crashed and was restarted.").waitFor();
    expect(await opened.conversation.getByText(/Restarting/).count()).toBe(0);
    await workbench().screenshot(opened.page, "crash-in-a-run");
    await opened.conversation.getByRole("button", { name: "Continue" }).click();
    await opened.conversation.getByText("I went on.").waitFor();
    expect(await opened.conversation.getByRole("button", { name: "Continue" }).count()).toBe(0);
    expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain("Do a lot");
  });
});

describe("child processes", () => {
  test("of agents are all gone after a reload, and after the extension host crashed", async () => {
    const command = { command: "(sleep 8841 & wait) & sleep 8842" };
    await workbench().script(reply([toolCall("bash", command)]), reply([toolCall("bash", command)]));
    const opened = await workbench().newChat();
    const isGone = async () =>
      (await workbench().agents()).length === 0 && (await workbench().processes("sleep 884")).length === 0;
    const begin = async (words: string) => {
      await opened.send(words);
      await opened.approve("bash", "Allow Once");
      const isRunning = async () => (await workbench().processes("sleep 884")).length >= 2;
      await eventually(isRunning, DEADLINE_MS, () => "the command");
    };
    await begin("Wait");
    await opened.reload();
    await eventually(isGone, DEADLINE_MS, () => "the end of all processes after a reload");
    await opened.showChat();
    await run(opened, "tiller.newSession");
    await begin("Wait again");
    process.kill(Number(await opened.evaluate(() => process.pid)), "SIGKILL");
    await eventually(isGone, DEADLINE_MS, () => "the end of all processes after the host's death");
  });
});
