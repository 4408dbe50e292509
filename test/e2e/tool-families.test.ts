import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { reply, toolCall } from "../support/scripted-replies.ts";
import type { EditorWindow } from "./support/editor-window.ts";
import { makeMaze } from "./support/maze.ts";
import { outcomesIn, runRows } from "./support/tool-calls.ts";
import {
  addRemote,
  changeFiles,
  ENDLESS_SECONDS,
  initRepository,
  lastPushed,
  resetRepository,
  TOOL_PROJECT,
} from "./support/tool-project.ts";
import { EDITOR_ROWS } from "./support/tool-rows/editor-rows.ts";
import { FILE_ROWS, UNSAVED_ROWS } from "./support/tool-rows/file-rows.ts";
import { GIT_ROWS, PUSH_ROWS } from "./support/tool-rows/git-rows.ts";
import { LANGUAGE_ROWS } from "./support/tool-rows/language-rows.ts";
import { DEBUG_ROWS, NOTEBOOK_ROWS, RUN_ROWS } from "./support/tool-rows/run-rows.ts";
import { good } from "./support/tool-rows/tool-row.ts";
import { useWorkbench } from "./support/workbench.ts";

const workbench = useWorkbench({
  files: TOOL_PROJECT,
  extensions: [fileURLToPath(new URL("lab", import.meta.url))],
  settings: {
    "tiller.permissionMode": "auto",
    "tiller.hostTools.allowedCommands": ["workbench.action.closePanel"],
    "typescript.updateImportsOnFileMove.enabled": "always",
    "debug.internalConsoleOptions": "neverOpen",
    "files.autoSave": "off",
  },
});

const folder = () => workbench().server.workspace;
const read = (name: string) => readFile(join(folder(), name), "utf8");

beforeAll(() => initRepository(folder()));
beforeEach(() => resetRepository(folder()));

/** Opens a chat in a window that has found the notebook, so that the notebook tools are available. The search runs in the background. */
async function newChatWithNotebooks(): Promise<EditorWindow> {
  const opened = await workbench().newChat();
  await opened.evaluate(async (vscode) => {
    const [uri] = await vscode.workspace.findFiles("notes.ipynb");
    if (uri !== undefined) await vscode.workspace.openNotebookDocument(uri);
    // A running agent would get them a moment later.
    await vscode.commands.executeCommand("tiller.restartAgent");
  });
  await opened.tidy();
  return opened;
}

describe("every editor tool works and fails with advice", () => {
  test("that shows and asks", async () => {
    const opened = await workbench().newChat();
    await runRows(workbench(), opened, EDITOR_ROWS);
    await opened.notification("The tests pass.").waitFor();
    await opened.editorTab(/Main: old and new/).waitFor();
    await opened.page.locator(".monaco-diff-editor").getByText("console.log(1);").first().waitFor();
    await workbench().screenshot(opened.page, "host-tool-diff");
    await opened
      .notification("The agent wants to show you changes: Two files")
      .getByRole("button", { name: "Show Changes" })
      .click();
    await opened.editorTab(/Two files/).waitFor();
  });

  test("that uses language services", async () => {
    const opened = await workbench().newChat();
    await runRows(workbench(), opened, LANGUAGE_ROWS);
    expect(await read("src/fixable.ts")).toBe("import { sum } from './store.ts';\nexport const a = sum([1]);\n");
    expect(await read("src/main.ts")).toContain("console.log(store.whole(), sum([1, 2]));");
  });

  test("that works with files", async () => {
    const opened = await workbench().newChat();
    await runRows(workbench(), opened, FILE_ROWS);
    expect(await read("src/store.ts")).toContain('import { EventEmitter } from "./emitter.ts";');
    expect(await read("src/main.ts")).toContain('store.put({ name: "two", value: 2 });');
    await opened.evaluate(async (vscode) => {
      for (const path of ["src/main.ts", "src/store.ts"]) {
        const [uri] = await vscode.workspace.findFiles(path);
        if (uri === undefined) continue;
        const editor = await vscode.window.showTextDocument(uri);
        await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "// mine\n"));
      }
    });
    await runRows(workbench(), opened, UNSAVED_ROWS);
    expect(await read("src/store.ts")).toMatch(/^\/\/ mine\n/);
    expect(await read("src/main.ts")).toMatch(/^import/);
  });

  test("that runs things", async () => {
    const opened = await newChatWithNotebooks();
    await runRows(workbench(), opened, RUN_ROWS);
    expect(await told(opened)).toEqual(["test adds", "test notices", "test adds"]);
    await runRows(workbench(), opened, NOTEBOOK_ROWS);
    expect(JSON.parse(await read("notes.ipynb")).cells).toMatchObject([
      { source: ["print(42)"], outputs: [{ text: ["ran print(42)\n"] }] },
      { source: ["endless"] },
    ]);
  });

  test("that debugs", async () => {
    const opened = await workbench().newChat();
    await runRows(workbench(), opened, DEBUG_ROWS);
  });

  test("that works with Git", async () => {
    await changeFiles(folder());
    const opened = await workbench().newChat();
    await runRows(workbench(), opened, GIT_ROWS);
    addRemote(folder());
    await runRows(workbench(), opened, PUSH_ROWS);
    expect(lastPushed(folder())).toBe("Change what runs");
  });
});

test("a file is formatted by the formatter in its language's settings", async () => {
  const opened = await workbench().newChat();
  const choose = (id: string | undefined) =>
    opened.evaluate(async (vscode, formatter) => {
      const settings = vscode.workspace.getConfiguration("editor", { languageId: "typescript" });
      await settings.update("defaultFormatter", formatter, true, true);
    }, id);
  const format = (says: string) =>
    runRows(workbench(), opened, [[good("vscode_format", { path: "src/chosen.ts" }, says)]]);
  await choose("vscode.typescript-language-features");
  await format("src/chosen.ts: +1 -1 in 1 place");
  expect(await read("src/chosen.ts")).toBe("export const by = 'me';\n");
  await format("src/chosen.ts is already formatted.");
  await choose("tiller-test.lab");
  const lines = { path: "src/chosen.ts", startLine: 1 };
  const none = "src/chosen.ts is already formatted, or the editor has no formatter for typescript.";
  await runRows(workbench(), opened, [[good("vscode_format", lines, none, "Not by tiller-test.lab")]]);
  await format("src/chosen.ts: +1 -1 in 1 place");
  expect(await read("src/chosen.ts")).toBe("export const by = 'lab';\n");
  await choose(undefined);
});

test("files changed by a code action's command are among the changes, beside those of its edit", async () => {
  const opened = await workbench().newChat();
  // Changes in these files that earlier tests left pending.
  await opened.evaluate((vscode) => vscode.commands.executeCommand("tiller.keepAllChanges"));
  const before = [await read("src/chosen.ts"), await read("src/store.ts")];
  await runRows(workbench(), opened, [
    [good("vscode_list_code_actions", { path: "src/chosen.ts", startLine: 1, kind: "refactor.lab" }, "1 action for")],
    [
      good(
        "vscode_apply_code_action",
        (earlier) => ({ id: /(a\d+): Change both/.exec(earlier)?.[1] }),
        "src/chosen.ts: +1 -0 in 1 place",
        "Changed 1 file: src/store.ts.",
      ),
    ],
  ]);
  expect(await read("src/store.ts")).toBe(`// by the command\n${before[1]}`);
  for (const name of ["src/chosen.ts", "src/store.ts"]) {
    await opened.evaluate(
      (vscode, path) => vscode.commands.executeCommand("tiller.undoFileChanges", path),
      join(folder(), name),
    );
  }
  expect([await read("src/chosen.ts"), await read("src/store.ts")]).toEqual(before);
});

/** Returns the notes of the extension `lab`. */
function told(opened: EditorWindow): Promise<unknown> {
  return opened.evaluate((vscode) => vscode.extensions.getExtension("tiller-test.lab")?.exports.told());
}

/** Returns the running tasks by name, and the numbers of processes. */
async function running(opened: EditorWindow): Promise<unknown> {
  const sleeping = await workbench().processes(`sleep ${ENDLESS_SECONDS}`);
  const searching = await workbench().processes(NOWHERE);
  // The editor may go on naming a debugger that has ended; its program tells.
  const debugged = await workbench().processes(DEBUGGED);
  const names = await opened.evaluate((vscode) =>
    // The editor may believe for ever that a task runs whose program is not there.
    vscode.tasks.taskExecutions.map(({ task }) => task.name).filter((name) => name !== "broken"),
  );
  return { names, sleeping: sleeping.length, searching: searching.length, debugged: debugged.length };
}

/** The result when nothing of these tests runs. */
const NOTHING = { names: [], sleeping: 0, searching: 0, debugged: 0 };

/** The program that `run` of launch.json starts. */
const DEBUGGED = "run.js";

/** The glob that searches in a maze look for, by which they are found. */
const NOWHERE = "maze/**/nowhere.txt";

type Call = [tool: string, args: Record<string, unknown>];

const ENDLESS: readonly Call[] = [
  ["vscode_run_task", { task: "endless" }],
  ["vscode_run_in_terminal", { command: `sleep ${ENDLESS_SECONDS}` }],
  ["vscode_run_tests", { what: "all" }],
  ["vscode_run_cell", { path: "endless.ipynb", cell: 0 }],
  ["vscode_find_files", { glob: NOWHERE }],
  ["vscode_search_text", { text: "way out", glob: NOWHERE }],
  ["vscode_ask_user", { question: "Which way?", options: ["Left", "Right"] }],
];

/** These would give up by themselves, but not before long. */
const LONG: readonly Call[] = [
  ["vscode_hover", { path: "types.lab", line: 1 }],
  ["vscode_workspace_symbols", { query: "endless" }],
  ["vscode_debug", { what: "start", configuration: "run" }],
  [
    "vscode_apply_edit",
    { edits: [{ path: "src/store.ts", startLine: 1, endLine: 1, newText: "// agent" }], preview: true },
  ],
];

const callAll = (calls: readonly Call[]) => reply(calls.map((call) => toolCall(...call)));

test("running calls end at once when the user stops the agent, and nothing of them continues", async () => {
  const opened = await newChatWithNotebooks();
  await makeMaze(join(folder(), "maze"));
  const model = await workbench().script(callAll(ENDLESS), callAll(LONG), reply("That was all."));
  const stop = opened.chat.getByRole("button", { name: "Stop", exact: true });
  const isTold = (...parts: string[]) => expect.poll(() => told(opened)).toEqual(expect.arrayContaining(parts));
  await opened.send("Go");
  await opened.question("Which way?").waitFor();
  // Task and terminal start beside two searches that take all of the processor.
  const all = { ...NOTHING, names: ["endless"], sleeping: 2, searching: 2 };
  await expect.poll(() => running(opened), { timeout: 60_000 }).toEqual(all);
  await isTold("test goes on", "cell goes on");
  await stop.click();
  await opened.question("Which way?").getByText("Canceled").waitFor();
  await expect.poll(() => running(opened)).toEqual(NOTHING);
  await isTold("test is cancelled", "cell is cancelled");

  await opened.send("Go on");
  await opened.refactorPreview.waitFor();
  await expect.poll(() => running(opened)).toEqual({ ...NOTHING, debugged: 1 });
  await isTold("hover goes on", "search goes on");
  await stop.click();
  await opened.refactorPreview.waitFor({ state: "hidden" });
  await expect.poll(() => running(opened)).toEqual(NOTHING);
  expect(await read("src/store.ts")).toMatch(/^import/);

  await opened.send("And now?");
  await opened.conversation.getByText("That was all.", { exact: true }).waitFor();
  expect([...outcomesIn(model.requests.at(-1)).values()]).toEqual(
    [...ENDLESS, ...LONG].map(([tool]) => ({ text: `Host tool "${tool}" was aborted`, isError: true })),
  );
}, 180_000);
