import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { reply, text, toolCall } from "../support/scripted-replies.ts";
import { useWorkbench } from "./support/workbench.ts";

const FILES = ["one.txt", "two.txt", "three.txt", "four.txt"];

const workbench = useWorkbench({
  settings: { "tiller.permissionMode": "auto" },
  files: Object.fromEntries(FILES.map((name) => [name, "first\nsecond\nthird\n"])),
});

test("a whole session leaves none of our warnings or errors in the editor's log and the browser's console", async () => {
  const edits = FILES.map((path) =>
    reply([toolCall("edit", { path, edits: [{ oldText: "second", newText: "changed" }] })]),
  );
  await workbench().script(...edits, reply([text("All four are changed.")]));
  const opened = await workbench().openChat();
  await opened.evaluate(async (vscode, names) => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    if (folder === undefined || !Array.isArray(names)) return;
    for (const [at, name] of names.entries()) {
      const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder.uri, String(name)));
      await vscode.window.showTextDocument(document, { viewColumn: at + 1, preview: false });
    }
  }, FILES);
  await opened.send("Change all four");
  await opened.conversation.getByText("All four are changed.").waitFor();
  const shown = () =>
    opened.evaluate((vscode) => vscode.window.visibleTextEditors.map(({ document }) => document.lineAt(1).text));
  await expect.poll(shown).toEqual(FILES.map(() => "changed"));
  const marks = opened.page.locator('[class*="TextEditorDecorationType"]');
  await expect.poll(() => marks.count()).toBeGreaterThanOrEqual(FILES.length);
  await opened.evaluate((vscode) => vscode.commands.executeCommand("workbench.action.closeAllEditors"));
  await expect.poll(shown).toEqual([]);
  await opened.reload();
  await opened.showChat();
  await opened.conversation.getByText("All four are changed.").waitFor();
  expect(await problems()).toEqual([]);
  expect(opened.consoleProblems.filter((line) => OURS.test(withoutPlaces(line)))).toEqual([]);
});

/** Leaves out the address of the script and the folder of the test, which have our name in what the editor itself says. */
function withoutPlaces(line: string): string {
  return line.replace(/ \([^()]*\)$/, "").replaceAll(/tiller-e2e-\w+/g, "");
}

/** Names us or our work. */
const OURS = /tiller|PendingMigrationError|Illegal argument/i;

/** The warnings and errors of the session that are ours: all in our own log, those that name us or our work in the logs of extension hosts. */
async function problems(): Promise<string[]> {
  const folder = join(workbench().server.root, "user/logs");
  const names = await readdir(folder, { recursive: true });
  const entriesIn = async (wanted: RegExp) => {
    const texts = await Promise.all(
      names.filter((name) => wanted.test(name)).map((name) => readFile(join(folder, name), "utf8")),
    );
    expect(texts.length).toBeGreaterThan(0);
    const entries = texts.flatMap((text) => text.split(/\n(?=\d{4}-\d\d-\d\d )/));
    return entries.filter((entry) => /\[(?:warning|error)\]/.test(entry));
  };
  const ofHosts = await entriesIn(/remoteexthost\.log$/);
  return [...ofHosts.filter((entry) => OURS.test(entry)), ...(await entriesIn(/Tiller[^/]*\.log$/))];
}
