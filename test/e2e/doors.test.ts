import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { reply, toolCall } from "../support/scripted-replies.ts";
import type { EditorWindow } from "./support/editor-window.ts";
import { useWorkbench } from "./support/workbench.ts";

const workbench = useWorkbench({
  files: { "src/port.txt": "one\ntwo\nthree\nfour\n", "notes.txt": "to do\n" },
  settings: { "chat.disableAIFeatures": false },
  extensions: [fileURLToPath(new URL("api-user", import.meta.url))],
});

/** Returns the text in the composer. */
function draft(opened: EditorWindow): Promise<string> {
  return opened.composer.inputValue();
}

/** Follows a link to the extension, in the way that links take back into an editor that runs in a browser. */
async function followLink(opened: EditorWindow, link: string): Promise<void> {
  const address = await opened.evaluate(async (vscode, rest) => {
    const uri = vscode.Uri.parse(`${vscode.env.uriScheme}://tiller-dev.tiller/${rest}`);
    return (await vscode.env.asExternalUri(uri)).toString(true);
  }, link);
  const page = await opened.page.context().newPage();
  await page.goto(String(address));
  await page.close();
}

/** Drags something into the composer. The editor lets the page see it while Shift is held. */
async function dragToChat({ page, composer }: EditorWindow, source: Locator): Promise<void> {
  const from = await middle(source);
  const to = await middle(composer);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 20, from.y + 5, { steps: 3 });
  await page.keyboard.down("Shift");
  await page.mouse.move(to.x, to.y, { steps: 8 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
}

/** Chooses from a menu, which takes no click in the first moment after it came up. */
async function choose(item: Locator): Promise<void> {
  await item.hover();
  const isOpen = async () => {
    if (await item.isVisible()) await item.click();
    return item.isVisible();
  };
  await expect.poll(isOpen, { interval: 1_000 }).toBe(false);
}

async function middle(place: Locator): Promise<{ x: number; y: number }> {
  const box = await place.boundingBox();
  if (box === null) throw new Error("It cannot be seen.");
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

test("menus, problems and links add to the composer, keep its text, and send nothing", async () => {
  const model = await workbench().script(reply("It is a port."));
  const opened = await workbench().newChat();
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
  await choose(opened.page.getByRole("menuitem", { name: "Add to Chat" }));
  await expect.poll(() => draft(opened)).toContain("@notes.txt");
  await dragToChat(opened, opened.page.getByRole("treeitem", { name: "src" }).first());
  await expect.poll(() => draft(opened)).toContain("@src/ ");
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

  await followLink(opened, "prompt?text=And%20say%20why.");
  await expect.poll(() => draft(opened)).toContain("And say why.");
  await workbench().screenshot(opened.page, "doors-composer");
  expect(model.requests).toEqual([]);

  await opened.chat.getByRole("button", { name: "Send", exact: true }).click();
  await opened.conversation.getByText("It is a port.").waitFor();
  const sent = JSON.stringify(model.requests[0]?.body.messages);
  expect(sent).toContain("two\\nthree");
  expect(sent).toContain("Three is too many. [counter C3]");
});

test("another extension can send prompts, receive events, register a tool, and is refused a used name", async () => {
  const model = await workbench().script(
    reply([toolCall("acme_word", { language: "de" })]),
    reply("The word is Feierabend."),
    reply("Hello to you."),
  );
  const opened = await workbench().newChat();
  const result = await opened.evaluate(async (vscode) => {
    const apiUser = await vscode.extensions.getExtension("tiller-test.api-user")?.activate();
    const { text, session } = await apiUser.prompt("What is the word?");
    const again = await apiUser.prompt("Hello", { session: session.id });
    const refusals = [];
    for (const attempt of [
      () => apiUser.register("bash"),
      () => apiUser.register("acme_word"),
      () => apiUser.prompt(" "),
      () => apiUser.prompt("Hi", { session: "nobody" }),
      () => apiUser.prompt("Hi", { signal: AbortSignal.abort() }),
    ]) {
      try {
        await attempt();
      } catch (error) {
        refusals.push(error instanceof Error && "code" in error ? error.code : String(error));
      }
    }
    apiUser.takeBack();
    return { text, isSame: again.session.id === session.id, refusals, told: apiUser.told() };
  });
  expect(result).toMatchObject({
    text: "The word is Feierabend.",
    isSame: true,
    refusals: ["invalid_argument", "invalid_argument", "invalid_argument", "invalid_argument", "aborted"],
    told: expect.arrayContaining(["tool_execution_update false", "agent_settled false"]),
  });
  expect(JSON.stringify(model.requests[1]?.body.messages)).toContain("Feierabend");
});

test("a model of another extension is in the list, answers, calls tools, can be stopped, and explains failures", async () => {
  await workbench().script();
  const opened = await workbench().newChat();
  await opened.chat.getByRole("button", { name: /^Model:/ }).click();
  await opened.quickInput.getByRole("textbox").first().fill("acme one");
  await opened.quickPickOption(/Acme One, vscode\/acme\/acme-1/).waitFor();
  await workbench().screenshot(opened.page, "doors-editor-models");
  await opened.page.keyboard.press("Enter");
  await opened.chat.getByRole("button", { name: "Model: Acme One" }).waitFor();
  await opened.send("Read the notes.");
  await opened.conversation.getByText("They say 1 to do").waitFor();
  await opened.send("Fail.");
  await opened.conversation.getByText("Acme One isn't available right now: Enough for today.").waitFor();
  await opened.send("Wait.");
  await opened.conversation.getByText("Waiting…").waitFor();
  await workbench().screenshot(opened.page, "doors-editor-model");
  await opened.chat.getByRole("button", { name: "Stop", exact: true }).click();
  await opened.chat.getByRole("button", { name: "Send", exact: true }).waitFor();
  const asked = await opened.evaluate(async (vscode) => {
    const apiUser = await vscode.extensions.getExtension("tiller-test.api-user")?.activate();
    return apiUser.asked();
  });
  expect(asked).toMatchObject([
    { words: [expect.stringContaining("user: You are Tiller"), "user: Read the notes."] },
    { words: { 2: "assistant: Let me look. | calls read", 3: "user: result 1\tto do\n" } },
    { words: { 4: "assistant: They say 1\tto do\n", 5: "user: Fail." } },
    { words: { 6: "user: Wait." }, tools: expect.arrayContaining(["read", "bash", "vscode_hover"]) },
  ]);
  expect(JSON.stringify(asked)).not.toContain("lm_tiller");
});

test("our reading tools answer other agents and report errors, and ask the user outside the workspace", async () => {
  const opened = await workbench().newChat();
  const answers = await opened.evaluate(async (vscode) => {
    const apiUser = await vscode.extensions.getExtension("tiller-test.api-user")?.activate();
    return {
      names: vscode.lm.tools.map(({ name }) => name).filter((name) => name.startsWith("tiller_")),
      files: await apiUser.invoke("tiller_find_files", { glob: "*.txt" }),
      lines: await apiUser.invoke("tiller_search_text", { text: "no such text" }),
      missing: await apiUser.invoke("tiller_document_symbols", { path: "nowhere.txt" }),
      wrong: await apiUser.invoke("tiller_find_definition", {}),
    };
  });
  const asking = opened.evaluate(async (vscode) => {
    const apiUser = await vscode.extensions.getExtension("tiller-test.api-user")?.activate();
    return apiUser
      .invoke("tiller_document_symbols", { path: "/etc/hostname" })
      .catch((error: unknown) => String(error));
  });
  await opened.dialog.getByText("Allow reading outside the workspace?").waitFor();
  await workbench().screenshot(opened.page, "doors-offered-tool");
  await opened.page.keyboard.press("Escape");
  expect(await asking).toContain("Cancel");
  expect(answers).toMatchObject({
    names: { length: 16 },
    files: expect.stringContaining("notes.txt"),
    lines: expect.stringMatching(/^0 lines in 0 of \d+ files?\.$/),
    missing: expect.stringMatching(/^No such file: /),
    wrong: "Give either symbol, or path and line.",
  });
});

test("@tiller in the editor's own chat streams the agent's answer", async () => {
  await workbench().script(reply("Hello from the agent."));
  const opened = await workbench().newChat();
  // Without a model that it can show the chat sends nothing, not even to a participant.
  await opened.evaluate(async (vscode) => {
    await vscode.lm.selectChatModels({ vendor: "acme" });
    await vscode.commands.executeCommand("workbench.action.chat.open", { mode: "ask" });
    await vscode.commands.executeCommand("workbench.action.chat.changeModel", {
      vendor: "acme",
      id: "acme-1",
      family: "acme",
    });
  });
  const chat = opened.page.locator(".interactive-session");
  await chat.getByText("Acme One").waitFor();
  await opened.evaluate((vscode) =>
    vscode.commands.executeCommand("workbench.action.chat.open", { query: "@tiller Say hello" }),
  );
  await chat.getByText("Hello from the agent.").waitFor();
  await workbench().screenshot(opened.page, "doors-native-chat");
});
