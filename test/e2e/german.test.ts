import { expect, test } from "vitest";
import { reply } from "../support/scripted-replies.ts";
import { useWorkbench } from "./support/workbench.ts";

const workbench = useWorkbench({ language: "de" });

test("view, menus, lists and chat are German in a German editor, and a message is answered", async () => {
  const model = await workbench().script(reply("Hallo!"));
  const opened = await workbench().open();
  await opened.evaluate((vscode) => vscode.commands.executeCommand("tiller.focusChat"));
  const box = opened.chat.getByRole("textbox", { name: "Nachricht", exact: true });
  await opened.chat.locator('textarea[placeholder="Gib Tiller eine Aufgabe"]').waitFor();
  expect(await opened.chat.locator("html").getAttribute("lang")).toBe("de");
  await opened.page.getByRole("button", { name: "Neuer Chat" }).first().waitFor();

  await box.fill("Sag hallo");
  await opened.chat.getByRole("button", { name: "Senden", exact: true }).click();
  await opened.chat.getByRole("log", { name: "Chat" }).getByText("Hallo!").waitFor();
  expect(model.requests).toHaveLength(1);
  await workbench().screenshot(opened.page, "german");

  await opened.runCommand("Tiller: Berechtigungsmodus auswählen");
  await opened.quickPickOption(/Zuerst fragen/).waitFor();
  await opened.quickInput.getByPlaceholder("Gilt sofort und nur für diese Sitzung").waitFor();
});
