import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type RecordedRequest, reply, toolCall } from "../support/scripted-replies.ts";
import type { EditorWindow } from "./support/editor-window.ts";
import { initRepository } from "./support/tool-project.ts";
import { TYPESCRIPT_PROJECT } from "./support/typescript-project.ts";
import { useWorkbench } from "./support/workbench.ts";

const workbench = useWorkbench({
  files: TYPESCRIPT_PROJECT,
  settings: {
    "tiller.permissionMode": "auto-edit",
    "files.autoSave": "off",
  },
});

/** The results of the tools of a run, in order, as the model reads them. */
function resultsIn(request: RecordedRequest | undefined): string[] {
  const texts: string[] = [];
  for (const { content } of request?.body.messages ?? []) {
    if (typeof content === "string") continue;
    for (const block of content) if (block.type === "tool_result") texts.push(JSON.stringify(block.content));
  }
  return texts;
}

/** The editor tools in a request to the model, as JSON. */
function toolsIn(request: RecordedRequest | undefined): string {
  return JSON.stringify(request?.body.tools?.filter(({ name }) => name.startsWith("vscode_")));
}

/** The tools of the editor that the last session began with. */
let toolsOffered = "";

/** Has the agent call tools one after the other. @returns what the model reads of each. */
async function callTools(
  opened: EditorWindow,
  ...calls: [name: string, args: Record<string, unknown>][]
): Promise<string[]> {
  const model = await workbench().script(...calls.map((call) => reply([toolCall(...call)])), reply("That was all."));
  await newChat(opened);
  await opened.send("Go");
  await opened.conversation.getByText("That was all.").waitFor({ timeout: 60_000 });
  toolsOffered = toolsIn(model.requests[0]);
  return resultsIn(model.requests.at(-1));
}

async function newChat(opened: EditorWindow): Promise<void> {
  await opened.evaluate((vscode) => vscode.commands.executeCommand("tiller.newSession"));
  await opened.composer.waitFor();
}

const read = (name: string) => readFile(join(workbench().server.workspace, name), "utf8");

beforeAll(() => initRepository(workbench().server.workspace));

describe("the agent in a TypeScript project", () => {
  test("gets the tools that apply, and learns what its edits break", async () => {
    const opened = await workbench().newChat();
    const [callers] = await callTools(opened, ["vscode_call_hierarchy", { path: "src/events.ts", symbol: "emit" }]);
    expect(callers).toContain("method put at src/store.ts:13:3, line 15");
    expect(toolsOffered.length).toBeLessThan(12_000);
    expect(toolsOffered).toContain('"vscode_git_commit"');
    expect(toolsOffered).not.toMatch(/vscode_(?:breakpoints|read_notebook|run_tests|run_command)/);
    await opened.evaluate((vscode) => {
      const [folder] = vscode.workspace.workspaceFolders ?? [];
      if (folder === undefined) return;
      const place = new vscode.Location(vscode.Uri.joinPath(folder.uri, "src/main.ts"), new vscode.Position(3, 0));
      vscode.debug.addBreakpoints([new vscode.SourceBreakpoint(place)]);
    });

    const [renamed, broken, mended] = await callTools(
      opened,
      ["vscode_rename_symbol", { path: "src/store.ts", symbol: "sum", newName: "addUp" }],
      ["edit", { path: "src/main.ts", edits: [{ oldText: "value: 1", newText: 'value: "1"' }] }],
      ["edit", { path: "src/main.ts", edits: [{ oldText: 'value: "1"', newText: "value: 2" }] }],
    );
    expect(toolsOffered).toContain('"vscode_breakpoints"');
    expect(renamed).toContain('Renamed \\"sum\\" to \\"addUp\\" in 2 files');
    expect(await read("src/main.ts")).toContain('import { Store, addUp } from "./store.ts";');
    expect(broken).toContain("Problems after this edit: 1 introduced, 0 fixed, 0 as before.");
    expect(broken).toContain("introduced src/main.ts:4:26 error: Type 'string' is not assignable to type 'number'.");
    expect(mended).toContain("Problems after this edit: 0 introduced, 1 fixed, 0 as before.");
  });
});

describe("a file with the user's unsaved changes", () => {
  const typeInto = (opened: EditorWindow, text: string) =>
    opened.evaluate(async (vscode, typed) => {
      const [folder] = vscode.workspace.workspaceFolders ?? [];
      if (folder === undefined) return;
      const editor = await vscode.window.showTextDocument(vscode.Uri.joinPath(folder.uri, "src/main.ts"));
      await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), typed ?? ""));
    }, text);
  const inEditor = (opened: EditorWindow) =>
    opened.evaluate((vscode) => vscode.window.activeTextEditor?.document.getText() ?? "");

  test("is saved, changed in the editor, or left alone, as the user answers, and typed text is never lost", async () => {
    const opened = await workbench().newChat();
    const edit = (oldText: string, newText: string) =>
      reply([toolCall("edit", { path: "src/main.ts", edits: [{ oldText, newText }] })]);
    await workbench().script(
      edit("const store", "const shop"),
      reply("Left alone."),
      edit("const store", "const shop"),
      reply("In the editor."),
      edit("const shop", "const stall"),
      reply("On the disk."),
    );
    await typeInto(opened, "// mine 1\n");
    await newChat(opened);
    const answer = async (name: string, said: string) => {
      await opened.send("Rename it");
      await opened
        .question(/which has unsaved changes/)
        .getByRole("button", { name })
        .click();
      await opened.conversation.getByText(said, { exact: true }).waitFor();
    };
    await answer("Don't Change the File", "Left alone.");
    expect(await inEditor(opened)).toContain("// mine 1\nimport");
    expect(await inEditor(opened)).toContain("const store");

    await answer("Change Without Saving", "In the editor.");
    expect(await inEditor(opened)).toContain("const shop");
    expect(await inEditor(opened)).toContain("// mine 1");
    expect(await read("src/main.ts")).toContain("const store");

    await opened.evaluate((vscode) => vscode.commands.executeCommand("workbench.action.files.save"));
    await typeInto(opened, "// mine 2\n");
    await newChat(opened);
    await answer("Save and Change the File", "On the disk.");
    expect(await read("src/main.ts")).toContain("const stall");
    expect(await read("src/main.ts")).toMatch(/^\/\/ mine 2\n\/\/ mine 1\n/);
  });
});
