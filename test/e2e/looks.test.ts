import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { reply, text, thinking, toolCall } from "../support/scripted-replies.ts";
import type { EditorWindow } from "./support/editor-window.ts";
import { Film } from "./support/film.ts";
import { SAMPLE_WORKSPACE, useWorkbench } from "./support/workbench.ts";

const MEDIA = new URL("../../media/", import.meta.url);
const README_IMAGE = fileURLToPath(new URL("screenshot.png", MEDIA));
const README_FILM = fileURLToPath(new URL("run.gif", MEDIA));
const SIZE = { width: 1280, height: 860 };

const THEMES: [theme: string, bodyClass: string][] = [
  ["Light 2026", "vscode-light"],
  ["Dark 2026", "vscode-dark"],
  ["Default High Contrast", "vscode-high-contrast"],
  ["Default High Contrast Light", "vscode-high-contrast-light"],
];

const ANSWER = `The comparison was **off by one day**: a task that is due today was listed already.

- \`overdueTasks\` compared with \`<=\`
- it compares with \`<\` from here on

\`\`\`js
return tasks.filter((task) => !task.isDone && task.due < today);
\`\`\`

All three tests pass.`;

const FIX = {
  path: "src/tasks.js",
  edits: [{ oldText: "task.due <= today", newText: "task.due < today" }],
};

const workbench = useWorkbench({
  files: SAMPLE_WORKSPACE,
  settings: { "editor.minimap.enabled": false, "editor.wordWrap": "on" },
});

async function setTheme(opened: EditorWindow, theme: string): Promise<void> {
  await opened.evaluate(
    (vscode, name) => vscode.workspace.getConfiguration("workbench").update("colorTheme", name, true),
    theme,
  );
}

/** Makes the agent find and fix the sample's bug, after which the conversation has every kind of card. */
async function mendTheBug(opened: EditorWindow): Promise<void> {
  await opened.send("One test fails. Find out why and fix it.");
  await opened.approve("bash", /^Allow in this session: /);
  await opened.approve("edit", /^Allow in this session: /);
  await opened.approve("bash", "Allow Once");
  await opened.conversation.getByText("All three tests pass.").waitFor();
}

function script(): Promise<unknown> {
  return workbench().script(
    reply([thinking("First I run the tests to see which one fails."), toolCall("bash", { command: "npm test" })]),
    reply([
      text("The test of overdue tasks fails. I look at the function."),
      toolCall("read", { path: "src/tasks.js" }),
    ]),
    reply([toolCall("edit", FIX)]),
    reply([toolCall("bash", { command: "node --test 2>&1 | tail -8" })]),
    reply(ANSWER, { usage: { input_tokens: 4_200, output_tokens: 310 } }),
  );
}

test("a whole conversation fits a side bar of 300 pixels in four themes", async () => {
  await script();
  const opened = await workbench().open(SIZE);
  await setTheme(opened, "Dark 2026");
  await opened.evaluate(async (vscode) => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    if (folder) await vscode.window.showTextDocument(vscode.Uri.joinPath(folder.uri, "src/tasks.js"));
  });
  await opened.showChat();
  // Image and film of the README are made here.
  const film = process.env.TILLER_WRITE_SCREENSHOT ? new Film(opened.page) : undefined;
  await mendTheBug(opened);
  await opened.page.mouse.move(0, 0);
  await film?.write(README_FILM, SIZE);
  await workbench().screenshot(opened.page, "readme", process.env.TILLER_WRITE_SCREENSHOT ? README_IMAGE : undefined);
  for (const [theme, bodyClass] of THEMES) {
    await setTheme(opened, theme);
    await opened.chat.locator(`body.${bodyClass}`).waitFor();
    const body = opened.chat.locator("body");
    const width = await body.evaluate("document.documentElement.clientWidth");
    expect(width, theme).toBeLessThanOrEqual(300);
    expect(await body.evaluate("document.documentElement.scrollWidth"), theme).toBe(width);
  }
});
