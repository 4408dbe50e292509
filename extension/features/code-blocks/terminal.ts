import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";
import { CommandTerminal } from "../../host/host-tools/run/command-terminal.ts";
import { terminalText } from "./terminal-text.ts";

const NAME = "Tiller";

/**
 * Types a block into the active terminal, or into a new one. A single line is run; several are pasted, which many shells do not run before the user
 * presses Enter. The clipboard is restored.
 */
export async function typeIntoTerminal(code: string): Promise<void> {
  const { text, isRun } = terminalText(code);
  if (text === "") throw new Error(t("The code block has nothing to run."));
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

/** True for a terminal with a shell; those for the agent's commands have none that reads input. */
function hasShell(terminal: vscode.Terminal | undefined): terminal is vscode.Terminal {
  if (terminal === undefined) return false;
  const { creationOptions } = terminal;
  return !("pty" in creationOptions && creationOptions.pty instanceof CommandTerminal);
}
