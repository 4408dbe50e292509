import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { reply, toolCall } from "../support/scripted-replies.ts";
import type { EditorWindow } from "./support/editor-window.ts";
import { useWorkbench } from "./support/workbench.ts";

const workbench = useWorkbench({
  files: { "src/port.txt": "one\ntwo\nthree\nfour\n", "notes.txt": "to do\n" },
  settings: { "chat.disableAIFeatures": false },
  guests: [fileURLToPath(new URL("guest", import.meta.url))],
});

/** What stands in the composer. */
function draft(opened: EditorWindow): Promise<string> {
  return opened.composer.inputValue();
}

test("menus, problems and links put things into the composer, beside what stands there, and send nothing", async () => {
  const model = await workbench().script(reply("It is a port."));
  const opened = await workbench().open();
  await opened.showChat();
  await opened.composer.fill("Look at ");
  await opened.evaluate(async (vscode) => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    if (folder === undefined) throw new Error("No folder.");
    const uri = vscode.Uri.joinPath(folder.uri, "src/port.txt");
    await vscode.window.showTextDocument(uri, { selection: new vscode.Range(1, 0, 2, 5) });
    await vscode.commands.executeCommand("tiller.addSelection");
  });
  await opened.chat.getByRole("button", { name: /^port\.txt:2-3 2 lines/ }).waitFor();

  await opened.page.getByRole("treeitem", { name: "notes.txt" }).click({ button: "right" });
  await opened.page.getByRole("menuitem", { name: "Tiller" }).hover();
  await opened.page.getByRole("menuitem", { name: "Add to Chat" }).click();
  await expect.poll(() => draft(opened)).toContain("@notes.txt");
  expect(await draft(opened)).toContain("Look at ");

  const titles = await opened.evaluate(async (vscode) => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    if (folder === undefined) throw new Error("No folder.");
    const uri = vscode.Uri.joinPath(folder.uri, "src/port.txt");
    const problems = vscode.languages.createDiagnosticCollection("test");
    const problem = new vscode.Diagnostic(new vscode.Range(2, 0, 2, 5), "Three is too many.", 0);
    problem.source = "counter";
    problem.code = "C3";
    problems.set(uri, [problem]);
    const actions = await vscode.commands.executeCommand<
      { title: string; command?: { command: string; arguments: [] } }[]
    >("vscode.executeCodeActionProvider", uri, problem.range);
    const fix = actions.find(({ title }) => title === "Fix with Tiller")?.command;
    if (fix !== undefined) await vscode.commands.executeCommand(fix.command, ...fix.arguments);
    return actions.map(({ title }) => title);
  });
  expect(titles).toEqual(expect.arrayContaining(["Fix with Tiller", "Explain with Tiller"]));
  await expect.poll(() => draft(opened)).toContain("Fix the problem at @src/port.txt:3.");

  await opened.evaluate((vscode) => {
    const query = `text=${encodeURIComponent("And say why & how.")}`;
    const scheme = vscode.env.uriScheme;
    void vscode.env.openExternal(vscode.Uri.parse(`${scheme}://tiller-dev.tiller/prompt?${query}`));
  });
  await opened.dialog.getByRole("button", { name: "Open", exact: true }).click();
  await expect.poll(() => draft(opened)).toContain("And say why & how.");
  await workbench().screenshot(opened.page, "doors-composer");
  expect(model.requests).toEqual([]);

  await opened.chat.getByRole("button", { name: "Send", exact: true }).click();
  await opened.conversation.getByText("It is a port.").waitFor();
  const sent = JSON.stringify(model.requests[0]?.body.messages);
  expect(sent).toContain("two\\nthree");
  expect(sent).toContain("Three is too many. [counter C3]");
});

test("another extension prompts, hears of events, lends a tool and is refused what is taken", async () => {
  const model = await workbench().script(
    reply([toolCall("guest_word", { language: "de" })]),
    reply("The word is Feierabend."),
    reply("Hello to you."),
  );
  const opened = await workbench().openChat();
  const result = await opened.evaluate(async (vscode) => {
    const guest = await vscode.extensions.getExtension("tiller-test.guest")?.activate();
    const { text, session } = await guest.prompt("What is the word?");
    const again = await guest.prompt("Hello", { session: session.id });
    const refusals = [];
    for (const attempt of [
      () => guest.register("bash"),
      () => guest.register("guest_word"),
      () => guest.prompt(" "),
      () => guest.prompt("Hi", { session: "nobody" }),
      () => guest.prompt("Hi", { signal: AbortSignal.abort() }),
    ]) {
      try {
        await attempt();
      } catch (error) {
        refusals.push(error instanceof Error && "code" in error ? error.code : String(error));
      }
    }
    guest.takeBack();
    return { text, isSame: again.session.id === session.id, refusals, told: guest.told() };
  });
  expect(result).toMatchObject({
    text: "The word is Feierabend.",
    isSame: true,
    refusals: ["invalid_argument", "invalid_argument", "invalid_argument", "invalid_argument", "aborted"],
    told: expect.arrayContaining(["tool_execution_update false", "agent_settled false"]),
  });
  expect(JSON.stringify(model.requests[1]?.body.messages)).toContain("Feierabend");
});

test("@tiller in the editor's own chat streams the agent's answer", async () => {
  await workbench().script(reply("Hello from the agent."));
  const opened = await workbench().open();
  // Without a model that it can show the chat sends nothing, not even to a participant.
  await opened.evaluate(async (vscode) => {
    await vscode.lm.selectChatModels({ vendor: "guest" });
    await vscode.commands.executeCommand("workbench.action.chat.open", { mode: "ask" });
    await vscode.commands.executeCommand("workbench.action.chat.changeModel", {
      vendor: "guest",
      id: "guest-1",
      family: "guest",
    });
  });
  const chat = opened.page.locator(".interactive-session");
  await chat.getByText("Guest One").waitFor();
  await opened.evaluate((vscode) =>
    vscode.commands.executeCommand("workbench.action.chat.open", { query: "@tiller Say hello" }),
  );
  await chat.getByText("Hello from the agent.").waitFor();
  await workbench().screenshot(opened.page, "doors-native-chat");
});
