import { describe, expect, test } from "vitest";
import { httpError, reply } from "../support/scripted-replies.ts";
import { useWorkbench } from "./support/workbench.ts";

const workbench = useWorkbench({ hasKey: false, files: { "README.md": "# Kettle\n\nBoils water.\n" } });

describe("without a key", () => {
  test("the demo model answers and says what it is, and a stored key enables a language model", async () => {
    const opened = await workbench().openChat();
    await opened.chat.getByRole("heading", { name: "No model yet" }).waitFor();
    await workbench().screenshot(opened.page, "no-key");
    await opened.send("read README.md");
    await opened.chat.getByText(/using the demo model, which isn't a language model/).waitFor();
    await opened.toolCard(/^Read README\.md/).waitFor();
    await opened.conversation
      .getByText("`README.md` has")
      .or(opened.conversation.getByText(/README\.md has 3 lines/))
      .first()
      .waitFor();
    await workbench().screenshot(opened.page, "demo");

    const model = await workbench().script(
      reply("A real answer."),
      httpError(401, "authentication_error", "invalid x-api-key"),
    );
    await opened.chat.getByRole("button", { name: "Set Up a Model" }).click();
    await opened.quickPickOption(/Anthropic/).click();
    await opened.quickInput.getByPlaceholder("sk-ant-…").waitFor();
    await opened.answerInput("stored-key");
    await opened.chat.getByText(/using the demo model/).waitFor({ state: "hidden" });
    await opened.send("Hello");
    await opened.conversation.getByText("A real answer.").waitFor();
    expect(model.requests[0]?.headers["x-api-key"]).toBe("stored-key");

    await opened.send("Hello again");
    await opened.conversation
      .getByText(/invalid x-api-key|key was refused|refused the (API )?key/i)
      .first()
      .waitFor();
    await workbench().screenshot(opened.page, "key-refused");
    await opened.composer.fill("The composer lives on");
    expect(await opened.composer.inputValue()).toBe("The composer lives on");
  });
});

test("a missing program is named, and the draft stays", async () => {
  const opened = await workbench().open();
  const setCommand = (command: string) =>
    opened.evaluate(
      (vscode, value) => vscode.workspace.getConfiguration("tiller").update("agent.command", value, true),
      command,
    );
  await setCommand("/nowhere/agent");
  await opened.showChat();
  await opened.conversation.getByText("/nowhere/agent").first().waitFor();
  await opened.chat.getByRole("button", { name: "Open Settings" }).waitFor();
  await workbench().screenshot(opened.page, "missing-program");
  await opened.composer.fill("Still here");
  await setCommand("");
  await opened.chat.getByRole("heading", { name: "No model yet" }).waitFor();
  expect(await opened.composer.inputValue()).toBe("Still here");
});
