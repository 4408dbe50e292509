import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";
import { CommandTerminal } from "../../host/host-tools/run/command-terminal.ts";
import { terminalText } from "./terminal-text.ts";

const NAME = "Tiller";

/**
 * Types a block into the terminal in front, or into a new one. One line is run; several are pasted, as shells that can hold them back do, so that
 * the user presses Enter. The clipboard is as before.
 */
export async function typeIntoTerminal(code: string): Promise<void> {
  const { text, isRun } = terminalText(code);
  if (text === "") throw new Error(t("There is nothing in the block to run."));
  const { activeTerminal } = vscode.window;
  const terminal = hasShell(activeTerminal) ? activeTerminal : vscode.window.createTerminal({ name: NAME });
  terminal.show(false);
  if (isRun) {
    terminal.sendText(text, true);
    return;
  }
  const before = await vscode.env.clipboard.readText();
  await vscode.env.clipboard.writeText(text);
  try {
    await vscode.commands.executeCommand("workbench.action.terminal.paste");
  } finally {
    await vscode.env.clipboard.writeText(before);
  }
}

/** Whether something waits there for commands: in a terminal for the agent's commands nothing does. */
function hasShell(terminal: vscode.Terminal | undefined): terminal is vscode.Terminal {
  if (terminal === undefined) return false;
  const { creationOptions } = terminal;
  return !("pty" in creationOptions && creationOptions.pty instanceof CommandTerminal);
}
