import { expect, onTestFinished, test } from "vitest";
import { answerText, ScriptedCompletions } from "../support/scripted-completions.ts";
import { hang, type RecordedRequest, reply, toolCall } from "../support/scripted-replies.ts";
import { useWorkbench } from "./support/workbench.ts";

const workbench = useWorkbench({ files: { "README.md": "# Kettle\n\nBoils water.\n" } });

test("a model is found by its id, comes first the next time, and providers without a key are listed", async () => {
  const opened = await workbench().newChat();
  await opened.chat.getByRole("button", { name: /^Model: Claude/ }).click();
  await opened.quickPickOption(/Claude Opus 5\.5/).waitFor();
  await workbench().screenshot(opened.page, "models");
  await opened.answerInput("haiku-5-5");
  await opened.chat.getByRole("button", { name: /^Model: Claude Haiku/ }).waitFor();
  await opened.chat.getByRole("button", { name: /^Model:/ }).click();
  await opened.quickPickOption(/Claude Haiku.*current/).waitFor();
  await opened.quickInput.getByRole("textbox").first().fill("openrouter");
  await opened.quickPickOption(/OpenRouter, Set API Key/).waitFor();
  await opened.page.keyboard.press("Escape");
});

test("the list of thinking levels begins at the current one, and Enter changes nothing", async () => {
  const opened = await workbench().newChat();
  const level = opened.chat.getByRole("button", { name: /^Thinking: medium/ });
  await level.click();
  await opened.quickPickOption(/^medium/).waitFor();
  expect(await opened.quickPickOption(/^medium/).getAttribute("aria-label")).toContain("current");
  await opened.page.keyboard.press("Enter");
  await opened.quickInput.waitFor({ state: "hidden" });
  await level.waitFor();
});

test("a run that costs more than the limit is stopped, and continues with a higher limit", async () => {
  const opened = await workbench().newChat();
  const limitTo = (usd: number) =>
    opened.evaluate(
      (vscode, value) => vscode.workspace.getConfiguration("tiller").update("costLimit", value, true),
      usd,
    );
  await limitTo(0.000001);
  // The second request may or may not be on its way when the run is stopped.
  const answer = ({ body }: RecordedRequest) =>
    JSON.stringify(body).includes("Continue.") ? reply("It boils water.") : hang();
  const model = await workbench().script(reply([toolCall("read", { path: "README.md" })]), answer, answer);
  await opened.send("What is in README.md?");
  await opened.conversation.getByText(/over your limit of \$0\.00\. Tiller stopped the run/).waitFor();
  await workbench().screenshot(opened.page, "cost-limit");
  await opened.conversation.getByRole("button", { name: /Raise Limit and Continue/ }).click();
  await opened.answerInput("5");
  await opened.conversation.getByText("It boils water.").waitFor();
  await opened.chat.getByRole("button", { name: /^Context:/ }).click();
  await opened.chat.getByText(/Session cost: .*limit \$5\.00/).waitFor();
  await opened.chat.locator(".meter-parts dt").first().waitFor();
  await workbench().screenshot(opened.page, "context-card");
  expect(await opened.chat.locator(".meter-parts dt").allTextContents()).toContain("Tools");
  await opened.chat.getByRole("button", { name: "Compact Now" }).click();
  await opened.notification(/Nothing to compact/).waitFor();
  await workbench().screenshot(opened.page, "nothing-to-compact");
  await limitTo(0);
  await opened.page.keyboard.press("Escape");
  if (model.requests.length < 3) {
    await opened.send("And?");
    await expect.poll(() => model.requests.length).toBe(3);
  }
});

test("a custom server answers once it is in models.json, which the list of models opens", async () => {
  const server = await ScriptedCompletions.start();
  onTestFinished(() => server.stop());
  server.enqueue(answerText("From a server of my own."));
  const opened = await workbench().newChat();
  await opened.chat.getByRole("button", { name: /^Model:/ }).click();
  await opened.quickInput.getByRole("textbox").first().fill("custom models");
  await opened.quickPickOption(/Custom Models/).click();
  const openFile = () => opened.evaluate((vscode) => vscode.window.activeTextEditor?.document.fileName);
  await expect.poll(openFile).toMatch(/models\.json$/);
  await workbench().screenshot(opened.page, "models-json");
  const write = (mine: object) =>
    opened.evaluate(
      async (vscode, text) => {
        const document = vscode.window.activeTextEditor?.document;
        if (document === undefined) throw new Error("models.json is not open.");
        const edit = new vscode.WorkspaceEdit();
        edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text ?? "");
        await vscode.workspace.applyEdit(edit);
        await document.save();
      },
      JSON.stringify({ providers: { mine } }),
    );
  const problems = () =>
    opened.evaluate((vscode) => {
      const { document } = vscode.window.activeTextEditor ?? {};
      return document && vscode.languages.getDiagnostics(document.uri).map(({ message }) => message);
    });
  await write({ baseURL: server.url });
  await expect.poll(problems).toEqual(["Property baseURL is not allowed."]);
  await write({ baseUrl: server.url, api: "openai-completions", models: [{ id: "tiny" }] });
  await expect.poll(problems).toEqual([]);
  await expect
    .poll(async () => {
      await opened.chat.getByRole("button", { name: /^Model:/ }).click();
      await opened.quickInput.getByRole("textbox").first().fill("mine/tiny");
      return opened.quickPickOption(/tiny/).count();
    })
    .toBe(1);
  await opened.quickPickOption(/tiny/).click();
  await opened.chat.getByRole("button", { name: "Model: tiny" }).waitFor();
  await opened.send("Hello");
  await opened.conversation.getByText("From a server of my own.").waitFor();
  expect(server.requests[0]?.body.messages.at(-1)).toMatchObject({ role: "user", content: "Hello" });
});
