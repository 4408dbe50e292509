import * as vscode from "vscode";

/**
 * Returns the selected text in the terminal, or undefined without a selection. The editor passes it only through the clipboard, whose text is
 * restored.
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
