import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { reply } from "../support/scripted-replies.ts";
import { useWorkbench } from "./support/workbench.ts";

const CODE = "export function greet(name: string) {\n  return name;\n}\n\ngreet('Ada');\n";
const workbench = useWorkbench({
  files: {
    "api/src/a.ts": CODE,
    "api/.env": "KEY=1\nOTHER=2\n",
    "api/.gitignore": "*.gen.ts\n",
    "api/src/x.gen.ts": "export const x = 1;\nexport const y = 2;\n",
    "web/src/b.ts": "export const b = 1;\n",
    "lib/c.ts": "export const c = 1;\n",
    "all.code-workspace": JSON.stringify({ folders: [{ path: "api" }, { path: "web" }, { path: "lib" }] }),
  },
});

/** Selects two lines of a file, which is shown. */
async function select(vscode: typeof import("vscode"), path: string | undefined): Promise<void> {
  const document = await vscode.workspace.openTextDocument(path ?? "");
  const editor = await vscode.window.showTextDocument(document, { preserveFocus: true });
  const first = document.fileName.endsWith("a.ts") ? 1 : 0;
  editor.selection = new vscode.Selection(first, 0, first + 1, 1);
}

test("a chat works in the selected folder, the model knows all folders, and attached editor content is shown with the message", async () => {
  const root = workbench().server.workspace;
  await promisify(execFile)("git", ["init", "-q"], { cwd: join(root, "api") });
  const model = await workbench().script(reply("It is in web/src/b.ts."), reply("Fixed."));
  const opened = await workbench().openChat({ folder: join(root, "all.code-workspace") });
  const { chat, composer, conversation, page } = opened;

  // One of three folders, chosen for the chat.
  await chat.getByRole("button", { name: "Folder: api" }).waitFor();
  await opened.runCommand("Tiller: New Chat");
  await opened.quickPickOption(/^web/).click();
  await chat.getByRole("button", { name: "Folder: web" }).waitFor();
  await opened.send("Where is b?");
  await conversation.getByRole("link", { name: "web/src/b.ts" }).waitFor();
  const system = JSON.stringify(model.requests[0]?.body.system);
  expect(system).toContain(`- api: ${root}/api`);
  expect(system).toContain(`- web: ${root}/web (your working directory)`);
  expect(system).toContain(`- lib: ${root}/lib`);

  // All folders are listed, and what is new in them.
  await composer.click();
  await page.keyboard.type("@b.ts");
  await chat.getByRole("option", { name: /^web\/src\/b\.ts/ }).waitFor();
  await writeFile(join(root, "lib/fresh-file.ts"), "");
  const fresh = async () => {
    await composer.fill("@fresh-fil");
    await page.keyboard.type("e");
    return chat.getByRole("option", { name: /^lib\/fresh-file\.ts/ }).count();
  };
  await expect.poll(fresh, { timeout: 20_000, interval: 1_000 }).toBe(1);
  await page.keyboard.press("Escape");
  await composer.fill("");

  // Something selected is offered, but not of files that look secret or are ignored; Tab takes it.
  await opened.evaluate(
    async (vscode, path) => {
      const document = await vscode.workspace.openTextDocument(path ?? "");
      const editor = await vscode.window.showTextDocument(document, { preserveFocus: true });
      const problems = vscode.languages.createDiagnosticCollection("test");
      const problem = (line: number, text: string) => new vscode.Diagnostic(new vscode.Range(line, 0, line, 5), text);
      problems.set(document.uri, [problem(4, "first")]);
      Object.assign(globalThis, {
        more: () => problems.set(document.uri, [problem(4, "first"), problem(1, "second")]),
      });
      // The language service is there once it knows the symbols.
      for (let found: unknown[] = []; found.length === 0; ) {
        found = (await vscode.commands.executeCommand("vscode.executeDocumentSymbolProvider", document.uri)) ?? [];
      }
      editor.selection = new vscode.Selection(1, 0, 2, 1);
    },
    join(root, "api/src/a.ts"),
  );
  const ghost = chat.getByRole("button", { name: "selection a.ts:2-3 Tab" });
  await ghost.waitFor();
  for (const file of ["api/.env", "api/src/x.gen.ts"]) {
    await opened.evaluate(select, join(root, file));
    await ghost.waitFor({ state: "detached" });
    await opened.evaluate(select, join(root, "api/src/a.ts"));
    await ghost.waitFor();
  }
  await composer.click();
  await page.keyboard.press("Tab");
  await chat.getByRole("button", { name: "Remove a.ts:2-3" }).waitFor();

  // A symbol, and problems that become more after they were picked.
  await page.keyboard.type("Look at @symbol:gre");
  await chat
    .getByRole("option", { name: /^greet/ })
    .first()
    .waitFor();
  await page.keyboard.press("Enter");
  await chat.getByRole("button", { name: "Remove greet" }).waitFor();
  await page.keyboard.type("and fix @prob");
  await chat.getByRole("option", { name: /^@problems/ }).waitFor();
  await page.keyboard.press("Enter");
  await chat.getByRole("button", { name: /^1 problem/ }).waitFor();
  await workbench().screenshot(page, "mentions-composer");
  await opened.evaluate(() => {
    const more: unknown = Reflect.get(globalThis, "more");
    if (typeof more === "function") more();
  });
  await page.keyboard.press("Enter");
  await conversation.getByText("Fixed.").waitFor();

  const said = JSON.stringify(model.requests[1]?.body.messages.at(-1));
  expect(said).toContain("Look at @symbol:greet and fix @problems");
  expect(said).toContain("api/src/a.ts:5:1: error: first\\napi/src/a.ts:2:1: error: second\\n</item");
  expect(said).toContain("  return name;\\n}\\n\\n</item");
  expect(said).toContain("export function greet(name: string) {\\n  return");

  // The sent content is shown byte for byte, also after a reload.
  const prompt = conversation.getByRole("article", { name: "You: Look at @symbol:greet and fix @problems" });
  await prompt.getByRole("button", { name: /^2 problems/ }).click();
  const sent = prompt.locator("pre:visible");
  expect(await sent.textContent()).toBe("api/src/a.ts:5:1: error: first\napi/src/a.ts:2:1: error: second");
  expect(await prompt.textContent()).not.toContain("<attached");
  await workbench().screenshot(page, "mentions-sent");
  await opened.reload();
  await opened.showChat();
  await prompt.getByRole("button", { name: /^2 problems/ }).waitFor();
  await chat.getByRole("button", { name: "Folder: web" }).waitFor();
}, 180_000);
