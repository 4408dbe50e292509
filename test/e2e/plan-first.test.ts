import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { reply, toolCall } from "../support/scripted-replies.ts";
import { useWorkbench } from "./support/workbench.ts";

const workbench = useWorkbench({ files: { "a.txt": "one\n" } });

const PLAN = "# Say two\n\n`a.txt` says one.\n\n- [ ] Write b.txt\n- [ ] Check it\n";
const isThere = (name: string) => existsSync(join(workbench().server.workspace, name));

test("a plan is made without changing anything, edited as a document, kept over a reload, and carried out", async () => {
  const question = { question: "Which file?", choices: ["b.txt", "a.txt"] };
  const done = [
    { op: "update", id: "task-1", status: "completed" },
    { op: "update", id: "task-2", status: "completed" },
  ];
  const model = await workbench().script(
    reply([toolCall("bash", { command: "touch b.txt" })]),
    reply([toolCall("ask_user", question)]),
    reply(PLAN),
    reply([toolCall("write", { path: "b.txt", content: "two\n" })]),
    reply([toolCall("todo_write", { ops: done })]),
    reply("Both say it now."),
  );
  const opened = await workbench().newChat();
  await opened.send("/plan Say two");
  await opened.quickPickOption("b.txt").click();
  const line = opened.chat.getByRole("region", { name: "Proposed plan" });
  await line.getByText("Plan ready: Say two").waitFor();
  expect(isThere("b.txt")).toBe(false);
  await workbench().screenshot(opened.page, "plan-first");

  await line.getByRole("button", { name: "Change…" }).click();
  await expect
    .poll(() => opened.evaluate((vscode) => vscode.window.activeTextEditor?.document.getText()))
    .toContain("- [ ] Write b.txt");
  await opened.evaluate(async (vscode) => {
    await vscode.window.activeTextEditor?.edit((edit) =>
      edit.replace(new vscode.Range(0, 0, 0, 100), "# Say two twice"),
    );
    await vscode.commands.executeCommand("tiller.submitEditor");
  });
  await line.getByText("Plan ready: Say two twice").waitFor();

  await expect.poll(() => opened.editorTab(/Untitled/).count()).toBe(0);
  await opened.reload();
  await opened.showChat();
  await line.getByText("Plan ready: Say two twice").waitFor();
  await opened.chat.getByRole("button", { name: "Permission mode: Plan First" }).waitFor();

  await line.getByRole("button", { name: "Start…" }).click();
  await opened.quickPickOption(/Ask First/).waitFor();
  await workbench().screenshot(opened.page, "plan-first-start");
  await opened.quickPickOption(/Auto-Edit/).click();
  await opened.chat.getByText("Both say it now.").waitFor();
  expect(isThere("b.txt")).toBe(true);
  expect(JSON.stringify(model.requests[3]?.body.messages.at(-1))).toContain("Say two twice");
  await opened.chat.getByRole("button", { name: /^Plan: 2 of 2 done/ }).waitFor();
  await workbench().screenshot(opened.page, "plan-first-done");
});
