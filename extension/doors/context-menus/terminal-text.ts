import * as vscode from "vscode";

/**
 * The text that is selected in the terminal, which the editor gives only by way of the clipboard: a text there is put back. Undefined when
 * nothing is selected.
 */
export async function selectedInTerminal(): Promise<string | undefined> {
  const { clipboard } = vscode.env;
  const before = await clipboard.readText();
  const mark = `tiller ${Date.now()} ${Math.random()}`;
  await clipboard.writeText(mark);
  try {
    await vscode.commands.executeCommand("workbench.action.terminal.copySelection");
    const text = await clipboard.readText();
    return text === mark || text === "" ? undefined : text;
  } finally {
    await clipboard.writeText(before);
  }
}
