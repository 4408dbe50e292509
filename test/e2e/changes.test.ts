import { existsSync } from "node:fs";
import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { deferred } from "../../agent/util/deferred.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";
import type { EditorWindow } from "./support/editor-window.ts";
import { type Git, gitDiff, gitIn, snapshot } from "./support/git-diff.ts";
import { SharedFile, seeded } from "./support/shared-files.ts";
import { useWorkbench } from "./support/workbench.ts";

const LINES = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`).join("");
const NAMES = Array.from({ length: 20 }, (_, index) => `part-${index + 1}.txt`);
const workbench = useWorkbench({
  files: {
    "a.txt": LINES,
    "b.txt": LINES,
    "c.txt": "old\n",
    "d.txt": LINES,
    ".gitignore": "out/\n",
    ...Object.fromEntries(NAMES.map((name) => [name, "first\n"])),
  },
  settings: {
    "tiller.permissionMode": "auto",
    "tiller.hostTools.reportProblems": false,
    "files.autoSave": "off",
    "editor.quickSuggestions": "off", // they are worked out anew at each key
    "editor.minimap.enabled": false,
  },
});

const folder = () => workbench().server.workspace;
const read = (name: string) => readFile(join(folder(), name), "utf8");

const git: Git = (...args) => gitIn(folder())(...args);

/** Returns the pending changes: names and numbers of lines, as the view shows them. */
async function waiting(opened: EditorWindow): Promise<string[]> {
  const rows = await opened.page
    .getByRole("tree", { name: /Changes/ })
    .getByRole("treeitem")
    .allTextContents();
  // A row has the name of the file and then its place in the workspace.
  return rows.map((row) => row.trim().replace(/^(.+?)\1 /, "$1 "));
}

/** Returns the lines of the hunks' buttons in files, by name; lines from 1. */
function hunksShown(opened: EditorWindow, names: readonly string[]): Promise<unknown> {
  return opened.evaluate(async (vscode, wanted) => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    const found: Record<string, number[]> = {};
    for (const name of wanted ?? []) {
      if (folder === undefined) break;
      const uri = vscode.Uri.joinPath(folder.uri, name);
      await vscode.workspace.openTextDocument(uri);
      const lenses = await vscode.commands.executeCommand("vscode.executeCodeLensProvider", uri, 100);
      const keeps = Array.isArray(lenses)
        ? lenses.filter(({ command }) => command?.command === "tiller.keepChange")
        : [];
      found[name] = keeps.map(({ range }) => range.start.line + 1);
    }
    return found;
  }, names);
}

const run = (opened: EditorWindow, command: string, ...args: unknown[]) =>
  opened.evaluate((vscode, call) => vscode.commands.executeCommand(call?.command ?? "", ...(call?.args ?? [])), {
    command,
    args,
  });

function show(opened: EditorWindow, name: string): Promise<unknown> {
  return opened.evaluate(
    (vscode, path) => vscode.window.showTextDocument(vscode.Uri.file(path ?? ""), { preview: false }),
    join(folder(), name),
  );
}

async function say(opened: EditorWindow, message: string, answer: string): Promise<void> {
  await opened.send(message);
  await opened.conversation.getByText(answer, { exact: true }).waitFor();
  await opened.chat.getByRole("button", { name: "Send", exact: true }).waitFor();
}

const edit = (path: string, ...changes: [oldText: string, newText: string][]) =>
  toolCall("edit", { path, edits: changes.map(([oldText, newText]) => ({ oldText, newText })) });
const bash = (command: string) => toolCall("bash", { command });

/** Sets whether the agent learns the problems after each edit, which opens its files in tabs. */
function setReports(opened: EditorWindow, isOn: boolean): Promise<unknown> {
  return opened.evaluate(
    (vscode, value) => vscode.workspace.getConfiguration("tiller").update("hostTools.reportProblems", value, true),
    isOn,
  );
}

beforeAll(() => {
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "first");
});
// A test begins with the files as they were, also when it is tried again.
beforeEach(() => {
  git("reset", "-q", "--hard");
  git("clean", "-fdqx");
});

/** A new conversation, with nothing left to judge. */
async function startOver(): Promise<EditorWindow> {
  const opened = await workbench().newChat();
  await run(opened, "tiller.keepAllChanges");
  await run(opened, "tiller.changes.focus"); // it is collapsed until somebody opens it
  return opened;
}

test("changes by edits, writes and a shell command match Git; hunks and turns can be undone", async () => {
  await workbench().script(
    reply([edit("a.txt", ["line 2\n", "LINE 2\n"], ["line 18\n", "LINE 18\n"])]),
    reply([toolCall("write", { path: "new.txt", content: "made\n" })]),
    reply([
      bash("sed -i 's/^line 5$/LINE 5/;s/^line 15$/LINE 15/' b.txt d.txt; rm c.txt; mkdir -p out; echo x > out/x"),
    ]),
    reply("First turn."),
    reply([bash("sed -i 's/^line 9$/LINE 9/' b.txt")]),
    reply("Second turn."),
  );
  await writeFile(join(folder(), "d.txt"), `mine, not committed\n${LINES}`);
  const before = snapshot(git);
  const opened = await startOver();
  // A file that is open has its old text for a moment after it was changed.
  await show(opened, "a.txt");
  await say(opened, "Change things", "First turn.");
  const files = ["a.txt", "b.txt", "d.txt", "new.txt"];
  await expect.poll(() => waiting(opened), { timeout: 20_000 }).toHaveLength(5);
  const said = gitDiff(git, before);
  expect(await waiting(opened)).toEqual(said.rows);
  expect(said.rows).toEqual(["a.txt +2 −2", "b.txt +2 −2", "c.txt +0 −1", "d.txt +2 −2", "new.txt +1 −0"]);
  const { "c.txt": _deleted, ...shown } = said.hunks;
  await expect.poll(() => hunksShown(opened, files)).toEqual(shown);
  expect(shown).toEqual({ "a.txt": [2, 18], "b.txt": [5, 15], "d.txt": [6, 16], "new.txt": [1] });

  const path = join(folder(), "a.txt");
  await opened.evaluate(async (vscode, name) => {
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(name ?? ""));
    await editor.edit((edit) => edit.insert(new vscode.Position(10, 0), "mine\n"));
    await editor.document.save();
  }, path);
  await opened.page.getByText("Change 1 of 2").first().waitFor();
  await workbench().screenshot(opened.page, "changes-review");
  await run(opened, "tiller.undoChange", path, 0);
  await expect
    .poll(() => read("a.txt"))
    .toBe(LINES.replace("line 18", "LINE 18").replace("line 11\n", "mine\nline 11\n"));
  await run(opened, "tiller.keepChange", path, 0);
  await expect.poll(() => waiting(opened)).not.toContain("a.txt +1 −1");

  await say(opened, "Once more", "Second turn.");
  await expect.poll(() => waiting(opened), { timeout: 20_000 }).toContain("b.txt +3 −3");
  await run(opened, "tiller.undoTurn");
  await expect.poll(() => read("b.txt")).toBe(LINES.replace("line 5\n", "LINE 5\n").replace("line 15", "LINE 15"));
});

test("a deleted file is shown with its content and restored as executable, and a file made executable waits and is restored", async () => {
  await workbench().script(
    reply([
      bash(
        "rm run.sh empty.txt; chmod +x plain.sh; sed -i 's/line 3$/LINE 3/' a.txt z.txt; printf 'a\\0b' > image.bin",
      ),
    ]),
    reply("Changed."),
    reply([bash("printf 'a\\0c' > other.bin")]),
    reply("Once more."),
  );
  for (const name of ["run.sh", "plain.sh"]) await writeFile(join(folder(), name), "echo hello\n");
  await writeFile(join(folder(), "empty.txt"), "");
  await writeFile(join(folder(), "z.txt"), LINES);
  await chmod(join(folder(), "run.sh"), 0o755);
  git("add", ".");
  const opened = await startOver();
  await say(opened, "Change things", "Changed.");
  await expect
    .poll(() => waiting(opened), { timeout: 20_000 })
    .toEqual([
      "a.txt +1 −1",
      "empty.txt +0 −0",
      "image.bin new, no diff",
      "plain.sh executable",
      "run.sh +0 −1",
      "z.txt +1 −1",
    ]);
  await run(opened, "workbench.action.closeAllEditors");
  for (const name of ["a.txt", "z.txt"]) {
    await run(opened, "tiller.nextChange");
    await opened.editorTab(new RegExp(`^${name}`)).waitFor();
  }
  await run(opened, "tiller.showFileChanges", join(folder(), "run.sh"));
  await opened.page.locator(".monaco-diff-editor").getByText("hello").first().waitFor();
  await run(opened, "tiller.reviewChanges");
  await opened.page.locator(".multiDiffEditor").getByText("hello").first().waitFor();
  for (const name of ["run.sh", "plain.sh", "empty.txt"])
    await run(opened, "tiller.undoFileChanges", join(folder(), name));
  expect(await read("run.sh")).toBe("echo hello\n");
  const mode = async (name: string) => ((await stat(join(folder(), name))).mode & 0o777).toString(8);
  expect([await mode("run.sh"), await mode("plain.sh"), await read("empty.txt")]).toEqual(["755", "644", ""]);
  await say(opened, "Once more", "Once more.");
  await expect.poll(() => waiting(opened), { timeout: 20_000 }).toHaveLength(4);
  await run(opened, "tiller.undoTurn");
  await expect.poll(() => waiting(opened)).toEqual(["a.txt +1 −1", "image.bin new, no diff", "z.txt +1 −1"]);
});

test("restoring to a message can restore the files, the conversation, or both, and the user's changes stay", async () => {
  await writeFile(join(folder(), "r.txt"), LINES);
  await workbench().script(
    reply([edit("r.txt", ["line 3\n", "LINE 3\n"]), toolCall("write", { path: "s.txt", content: "one\n" })]),
    reply("The first."),
    reply([bash("sed -i 's/^line 8$/LINE 8/' r.txt; echo two >> s.txt")]),
    reply("The second."),
    reply([edit("r.txt", ["line 13\n", "LINE 13\n"])]),
    reply("The third."),
  );
  const opened = await startOver();
  await say(opened, "Message one", "The first.");
  await say(opened, "Message two", "The second.");
  await say(opened, "Message three", "The third.");
  const goBack = async (message: string, what: string | RegExp, meanwhile = async () => {}) => {
    await opened.conversation.getByRole("article", { name: `You: ${message}` }).click({ button: "right" });
    await opened.page.getByRole("menuitem", { name: "Restore to This Point…" }).hover();
    await opened.page.keyboard.press("Enter"); // a menu that has just come up takes no click
    await opened.quickPickOption(what).waitFor();
    await meanwhile();
    await opened.quickPickOption(what).click();
  };
  const mine = `${await read("r.txt")}mine\n`;

  // Changes made while the user selects how far to restore stay, too.
  await goBack("Message three", /^Files,/, () => writeFile(join(folder(), "r.txt"), mine));
  await expect.poll(() => read("r.txt")).toBe(mine.replace("LINE 13", "line 13"));
  await opened.conversation.getByText("The third.", { exact: true }).waitFor();

  await goBack("Message three", /^Chat,/);
  await opened.conversation.getByText("The third.", { exact: true }).waitFor({ state: "detached" });
  await expect.poll(() => opened.composer.inputValue()).toBe("Message three");
  expect(await read("r.txt")).toBe(mine.replace("LINE 13", "line 13"));

  await goBack("Message two", /^Files and chat,/);
  await opened.conversation.getByText("The second.", { exact: true }).waitFor({ state: "detached" });
  await expect.poll(() => read("r.txt")).toBe(`${LINES.replace("line 3\n", "LINE 3\n")}mine\n`);
  expect(await read("s.txt")).toBe("one\n");

  await goBack("Message one", /^Files and chat,/);
  await opened.conversation.getByText("The first.", { exact: true }).waitFor({ state: "detached" });
  await expect.poll(() => read("r.txt")).toBe(`${LINES}mine\n`);
  await expect.poll(() => existsSync(join(folder(), "s.txt"))).toBe(false);
});

test("a user who types 500 characters while the agent edits 20 files and opens 5 gets exactly these characters", async () => {
  await writeFile(join(folder(), "typed.txt"), "");
  const typed = Array.from({ length: 5 }, (_, index) => `part ${index} `.padEnd(100, "the robot types words "));
  const opened = await startOver();
  const focused = deferred<void>();
  let robot = focused.promise;
  const work = typed.map((piece, index) => async () => {
    await robot; // the agent's next step comes while the next piece is typed, whichever of the two is quicker
    // Language services look at each file that is edited, in a tab of its own, which takes a while.
    if (index === 1) await setReports(opened, false);
    robot = opened.page.keyboard.type(piece);
    const names = index === 0 ? NAMES.slice(0, 1) : NAMES.slice(index * 5 - 4, index * 5 + 1);
    const [first = ""] = names;
    return reply([
      ...names.map((name) => edit(name, ["first\n", "changed\n"])),
      toolCall("vscode_open_file", { path: first, startLine: 1 }),
    ]);
  });
  await workbench().script(...work, reply("All edited."));
  await setReports(opened, true);
  await show(opened, "typed.txt");
  await run(opened, "workbench.action.files.revert"); // the editor keeps what was not saved
  await opened.composer.fill("Edit all");
  await opened.chat.getByRole("button", { name: "Send", exact: true }).click();
  await opened.page.locator(".editor-instance .view-lines").click();
  await expect
    .poll(() => opened.page.evaluate("document.activeElement.closest('.editor-instance') !== null"))
    .toBe(true);
  await opened.page.evaluate(`globalThis.strayed = [];
    const typedIn = document.activeElement;
    addEventListener("blur", () => strayed.push("a page in the window"));
    document.addEventListener("focusin", ({ target }) => target === typedIn || strayed.push(target.className))`);
  focused.resolve();
  await opened.conversation.getByText("All edited.", { exact: true }).waitFor({ timeout: 100_000 });
  await robot;
  await workbench().screenshot(opened.page, "changes-typing");
  const text = () =>
    opened.evaluate(
      (vscode, path) => vscode.workspace.textDocuments.find(({ uri }) => uri.fsPath === path)?.getText(),
      join(folder(), "typed.txt"),
    );
  await expect.poll(text).toBe(typed.join(""));
  expect(typed.join("")).toHaveLength(500);
  expect(await Promise.all(NAMES.map(read))).toEqual(NAMES.map(() => "changed\n"));
  expect(await opened.page.evaluate("strayed")).toEqual([]);
}, 140_000);

test("the user's text stays in any order of writes, saves and undos by the user and the agent", async () => {
  const random = seeded(20_261_122);
  const pick = <T>(choices: readonly [T, ...T[]]): T => choices[Math.floor(random() * choices.length)] ?? choices[0];
  const opened = await startOver();
  const make = (name: string) => new SharedFile(opened, folder(), name);
  const files = [make("shared-1.txt"), make("shared-2.txt"), make("shared-3.txt")] as const;
  await Promise.all(files.map(({ path, ownText }) => writeFile(path, ownText)));
  const own = new Map<SharedFile, string[]>(files.map((file) => [file, []]));
  /** The user does something with a file, and then the agent wants to change a line of it. */
  const step = (round: number) => async () => {
    const file = pick(files);
    await file.lines(); // the editor has seen what the agent did before
    if (random() < 0.3) await file.undoFirst();
    if (random() < 0.7) {
      await file.write(random(), `mine ${round}`);
      own.get(file)?.push(`mine ${round}`);
      if (random() < 0.4) await file.save();
    }
    const lines = await file.lines();
    expect(lines).toEqual(expect.arrayContaining(own.get(file) ?? []));
    const line = lines.filter((one) => one.startsWith("a"))[Math.floor(random() * 6)] ?? "";
    if (file.isDirty && !file.isLent) answer(file);
    else if (!file.isDirty) file.isLent = false;
    return reply([edit(file.name, [`${line}\n`, `${line.split(" ")[0]} by the agent ${round}\n`])]);
  };
  const answers: Promise<void>[] = [];
  function answer(file: SharedFile): void {
    const choice = pick(["Save and Change the File", "Change Without Saving", "Don't Change the File"]);
    if (choice.startsWith("Save")) file.isDirty = false;
    file.isLent = choice.startsWith("Change");
    const question = opened.question(new RegExp(`^The agent wants to change ${file.name}, which has unsaved changes`));
    answers.push(question.getByRole("button", { name: choice }).click());
  }
  await workbench().script(...Array.from({ length: 24 }, (_, round) => step(round)), reply("Enough."));
  await opened.send("Change lines");
  await opened.conversation.getByText("Enough.", { exact: true }).waitFor({ timeout: 60_000 });
  await Promise.all(answers);
  for (const file of files) {
    expect(await file.lines()).toEqual(expect.arrayContaining(own.get(file) ?? []));
    await file.undoAll();
    await file.save();
    expect(await readFile(file.path, "utf8")).toBe(file.ownText);
  }
});

test("a change right before the window is reloaded, and one by a command that runs then, waits for review after it", async () => {
  const opened = await workbench().newChat();
  await run(opened, "tiller.keepAllChanges");
  const write = toolCall("write", { path: "late.txt", content: "late\n" });
  const command = toolCall("bash", { command: "echo made > made.txt; sleep 600" });
  await workbench().script(reply([write]), reply([command]));
  await opened.send("Go");
  await expect.poll(() => existsSync(join(folder(), "made.txt"))).toBe(true);
  await opened.reload();
  await opened.showChat();
  await expect.poll(() => waiting(opened)).toEqual(["late.txt +1 −0", "made.txt +1 −0"]);
});
