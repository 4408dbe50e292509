import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { gate, reply, text, toolCall } from "../support/scripted-replies.ts";
import { useWorkbench } from "./support/workbench.ts";

const workbench = useWorkbench({
  files: {
    "a.txt": "one\n",
    ".tiller/prompts/greet.md": "---\ndescription: Greets somebody\nargument-hint: <name>\n---\nGreet $1 warmly.\n",
  },
});

test("the plan can be changed in the chat while the agent works, and the model learns it", async () => {
  const middle = gate();
  const plan = [{ op: "replace", phases: [{ name: "Work", tasks: [{ content: "Look" }] }] }];
  const model = await workbench().script(
    reply([toolCall("todo_write", { ops: plan })]),
    reply([text("Planned."), middle]),
    reply([toolCall("todo_write", { ops: [{ op: "replace", phases: [] }] })]),
    reply("All done."),
  );
  const opened = await workbench().newChat();
  await opened.send("Plan");
  await opened.conversation.getByText("Planned.").waitFor();
  await opened.chat.getByRole("button", { name: /^Plan: 0 of 1 done/ }).click();
  const adder = opened.chat.getByRole("textbox", { name: "Add a task" });
  await adder.fill("Water the plants");
  await adder.press("Enter");
  await opened.chat.getByRole("checkbox", { name: "Water the plants" }).waitFor();
  await opened.chat.getByRole("checkbox", { name: /^Look/ }).click();
  await opened.chat.getByRole("button", { name: /^Plan: 1 of 2 done/ }).waitFor();
  await workbench().screenshot(opened.page, "plan");
  middle.release();
  await opened.conversation.getByText("All done.").waitFor();
  const heard = JSON.stringify(model.requests[2]?.body.messages.at(-1));
  expect(heard).toContain("Water the plants");
  expect(heard).not.toContain("Look");
  await opened.chat.getByRole("button", { name: /^Plan:/ }).waitFor({ state: "detached" });
});

test("slash commands are listed, completed and run", async () => {
  const model = await workbench().script(reply("Hello, Ada!"));
  const opened = await workbench().newChat();
  await opened.composer.click();
  await opened.page.keyboard.type("/");
  const list = opened.chat.getByRole("listbox", { name: "Slash commands" });
  await list.getByRole("option", { name: /^\/greet <name> prompt, project Greets somebody/ }).waitFor();
  await workbench().screenshot(opened.page, "slash-commands");
  await opened.page.keyboard.type("gre");
  await opened.page.keyboard.press("Tab");
  await opened.page.keyboard.type("Ada");
  await opened.page.keyboard.press("Enter");
  await opened.conversation.getByText("Hello, Ada!").waitFor();
  expect(JSON.stringify(model.requests[0]?.body.messages)).toContain("Greet Ada warmly.");
});

test("commands of the chat come first in the list and run without the agent", async () => {
  const model = await workbench().script(reply("Hello."));
  const opened = await workbench().newChat();
  await opened.send("Say hello");
  await opened.conversation.getByText("Hello.", { exact: true }).waitFor();
  await opened.composer.click();
  await opened.page.keyboard.type("/");
  const names = opened.chat.getByRole("listbox", { name: "Slash commands" }).locator(".slash-name");
  await expect
    .poll(() => names.allTextContents().then((all) => all.slice(0, 3)))
    .toEqual(["/new", "/clear", "/compact"]);
  await opened.page.keyboard.press("Backspace");
  await opened.evaluate(async (vscode) => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    if (folder === undefined) return;
    const selection = new vscode.Range(0, 0, 0, 3);
    await vscode.window.showTextDocument(vscode.Uri.joinPath(folder.uri, "a.txt"), { selection });
    await vscode.commands.executeCommand("tiller.addSelection");
  });
  const attached = opened.chat.getByRole("list", { name: "Attachments" }).getByRole("listitem");
  await attached.getByRole("button", { name: /^Remove / }).waitFor();
  await opened.send("/help");
  await opened.conversation.getByText("You can type:").waitFor();
  await attached.getByRole("button", { name: /^Remove / }).waitFor();
  await attached.getByRole("button", { name: /^Remove / }).click();
  await opened.send("/rewind");
  await opened.quickPickOption(/^Say hello/).click();
  await opened.quickPickOption(/^Chat,/).click();
  await opened.conversation.getByText("Hello.", { exact: true }).waitFor({ state: "detached" });
  await expect.poll(() => opened.composer.inputValue()).toBe("Say hello");
  expect(model.requests).toHaveLength(1);
});

describe("a flood", () => {
  test("of ten thousand notices leaves a working chat, with few of them", async () => {
    const fixture = fileURLToPath(new URL("../fixtures/agents/asks.mjs", import.meta.url));
    const opened = await workbench().newChat();
    await opened.evaluate(
      (vscode, command) => vscode.workspace.getConfiguration("tiller").update("agent.command", command, true),
      `"${process.execPath}" "${fixture}"`,
    );
    await opened.runCommand("Tiller: Restart Agent");
    const notices = Array.from({ length: 10_000 }, (_, at) => ({ method: "notify", message: `notice ${at}` }));
    await opened.send(JSON.stringify(notices));
    await opened.conversation.getByText(/^9,980 more notices/).waitFor();
    await opened.conversation.getByText("Answers:").waitFor();
    await opened.composer.fill("Still alive");
    expect(await opened.composer.inputValue()).toBe("Still alive");
    await workbench().screenshot(opened.page, "flood");
  });
});
