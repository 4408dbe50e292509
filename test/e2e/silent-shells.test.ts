import { expect, test } from "vitest";
import { reply, toolCall } from "../support/scripted-replies.ts";
import type { EditorWindow } from "./support/editor-window.ts";
import { callTool, runRows } from "./support/tool-calls.ts";
import { good } from "./support/tool-rows/tool-row.ts";
import { useWorkbench } from "./support/workbench.ts";

const TOOL = "vscode_run_in_terminal";

/** Shells tell the editor nothing here. */
const workbench = useWorkbench({
  settings: {
    "tiller.permissionMode": "auto",
    "terminal.integrated.shellIntegration.enabled": false,
    "terminal.integrated.gpuAcceleration": "off", // Text that is drawn as text can be read.
    "terminal.integrated.env.linux": { FROM_SETTING: "set for terminals" },
  },
});

/** The terminal that is shown. */
const terminal = (opened: EditorWindow) => opened.page.locator(".terminal-wrapper.active .xterm-rows");

/** The terminals of the agent. */
const terminals = (opened: EditorWindow) =>
  opened.evaluate((vscode) => vscode.window.terminals.filter(({ name }) => name === "Tiller").length);

const sleeping = async (seconds: number) => (await workbench().processes(`sleep ${seconds}`)).length;

test("a shell without shell integration still returns output and exit code, and shows them", async () => {
  const opened = await workbench().newChat();
  await runRows(workbench(), opened, [
    [good(TOOL, { command: "echo he''llo; false" }, /^Ended with exit code 1\.\nhello$/)],
    [
      good(
        TOOL,
        { command: 'pwd; echo "$FROM_SETTING, $TERM_PROGRAM"' },
        `${workbench().server.workspace}\nset for terminals, vscode`,
      ),
    ],
    [good(TOOL, { command: "exit 3" }, /^Ended with exit code 3\.\n\(no output\)$/)],
  ]);
  for (const text of [
    "> echo he''llo; false",
    "hello",
    "[The command exited with code 1.]",
    "[The command exited with code 3.]",
  ])
    await terminal(opened).getByText(text, { exact: true }).waitFor();
  expect(await terminals(opened)).toBe(1);
  await workbench().screenshot(opened.page, "silent-shell");
});

test("a command in the terminal reads what the user types", async () => {
  const opened = await workbench().newChat();
  const model = await workbench().script();
  const outcome = await callTool(opened, model, TOOL, { command: "read name; echo hello $name" });
  await terminal(opened).getByText("> read name; echo hello $name", { exact: true }).waitFor();
  await opened.evaluate((vscode) => vscode.commands.executeCommand("workbench.action.terminal.focus"));
  await opened.page.keyboard.type("you");
  await opened.page.keyboard.press("Enter");
  expect(await outcome()).toEqual({ text: "Ended with exit code 0.\nhello you", isError: false });
});

test("a block of code runs in a terminal with a shell, not where the agent's commands run", async () => {
  const opened = await workbench().newChat();
  await runRows(workbench(), opened, [[good(TOOL, { command: "true" }, "Ended with exit code 0.")]]);
  expect(await terminals(opened)).toBe(1);
  await workbench().script(reply("Try this:\n```sh\necho ty''ped\n```\n"));
  await opened.send("How?");
  await opened.conversation.getByRole("button", { name: "More Actions…" }).click();
  await opened.chat.getByRole("menuitem", { name: "Run in Terminal" }).click();
  await terminal(opened).getByText("typed", { exact: true }).waitFor();
  expect(await terminals(opened)).toBe(2);
});

test("Stop ends the command with its child processes", async () => {
  const opened = await workbench().newChat();
  const command = "(trap '' TERM; sleep 987) & sleep 986; wait";
  await workbench().script(reply([toolCall(TOOL, { command })]), reply("Fine."));
  await opened.send("Go");
  await expect.poll(() => sleeping(987)).toBeGreaterThan(0);
  await expect.poll(() => sleeping(986)).toBeGreaterThan(0);
  await opened.chat.getByRole("button", { name: "Stop", exact: true }).click();
  await expect.poll(async () => (await sleeping(987)) + (await sleeping(986))).toBe(0);
  await opened.send("And now?");
  await opened.conversation.getByText("Fine.", { exact: true }).waitFor();
});

test("a long command keeps its terminal to itself, and ends with the terminal or the window", async () => {
  const opened = await workbench().newChat();
  await opened.evaluate((vscode) => {
    for (const one of vscode.window.terminals) one.dispose();
  });
  await expect.poll(() => terminals(opened)).toBe(0);
  const goesOn = (seconds: number) =>
    good(
      TOOL,
      { command: `echo begun; sleep ${seconds}`, timeoutSeconds: 1 },
      "Still running after 1 seconds",
      "begun",
    );
  await runRows(workbench(), opened, [
    [goesOn(985), goesOn(984)],
    [good(TOOL, { command: "echo next" }, "Ended with exit code 0.\nnext")],
  ]);
  expect(await terminals(opened)).toBe(3);
  await opened.evaluate((vscode) => vscode.window.terminals[0]?.dispose());
  await expect.poll(async () => (await sleeping(985)) === 0 || (await sleeping(984)) === 0).toBe(true);
  expect((await sleeping(985)) + (await sleeping(984))).toBeGreaterThan(0);
  await opened.reload();
  await expect.poll(async () => (await sleeping(985)) + (await sleeping(984))).toBe(0);
});
