import { expect, test } from "vitest";
import { reply } from "../support/scripted-replies.ts";
import { useWorkbench } from "./support/workbench.ts";

const ANSWER = [
  "The sum is $\\sum_{i=1}^n i$.",
  "```mermaid\nflowchart LR\n  A[Page] -->|ready| B[Host]\n```",
  "That is all.",
].join("\n\n");

const workbench = useWorkbench();

test("formulas and diagrams are drawn in the editor", async () => {
  await workbench().script(reply(ANSWER));
  const opened = await workbench().openChat();
  await opened.send("Explain");
  await opened.conversation.getByText("That is all.").waitFor();
  await opened.conversation.locator("math").waitFor();
  const diagram = opened.conversation.getByRole("img", { name: "Diagram" });
  await diagram.waitFor();
  expect(await opened.conversation.locator(".diagram-note").count()).toBe(0);
  await workbench().screenshot(opened.page, "reading");
});
