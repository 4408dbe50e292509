import { describe, expect, it } from "vitest";
import type { FromPanel } from "../../../../webview/protocol/from-panel.ts";
import { CONVERSATION } from "../../support/sample-items.ts";
import { usePage } from "../../support/use-page.ts";

const panel = usePage();

async function posted(type: FromPanel["type"]): Promise<FromPanel[]> {
  return (await panel().posts()).filter((post) => post.type === type);
}

describe("a message's menu", () => {
  it("can fork the conversation, with the keyboard too, also at the end of an answer", async () => {
    await panel().snapshot(CONVERSATION);
    const forks = panel().page.getByRole("button", { name: /^Fork from here/ });
    const prompt = panel().page.getByRole("article", { name: /^You: Why does/ });
    await prompt.hover();
    await forks.first().click();
    await forks.last().press("Enter");
    const footer = CONVERSATION.findLast(({ kind }) => kind === "footer");
    expect(await posted("fork")).toEqual([
      { type: "fork", id: "1" },
      { type: "fork", id: footer?.id },
    ]);
  });

  it("can put the message into the composer", async () => {
    await panel().snapshot(CONVERSATION);
    await panel().send({ type: "editPrompt", id: "1" });
    const box = panel().page.getByRole("textbox", { name: "Message" });
    await expect.poll(() => box.inputValue()).toBe("Why does the date test fail? Please fix it.");
  });

  it("can copy the message as it reads, without Markdown", async () => {
    await panel().snapshot([{ id: "t", kind: "text", text: "It is **bold**:\n\n- one\n- two", isStreaming: false }]);
    await panel().send({ type: "copyItem", id: "t" });
    await panel().send({ type: "copyItem", id: "gone" });
    await expect.poll(() => posted("copy")).toEqual([{ type: "copy", text: "It is bold:\n\none\ntwo" }]);
  });
});

describe("a temporary chat", () => {
  it("says that nothing is saved, and can be kept", async () => {
    await panel().snapshot(CONVERSATION, { isTemporary: true });
    const line = panel().page.getByText("This temporary chat isn't saved.");
    expect(await line.isVisible()).toBe(true);
    await panel().page.getByRole("button", { name: "Save" }).click();
    expect(await posted("command")).toEqual([{ type: "command", command: "tiller.keepSession" }]);
    await panel().patch([], { isTemporary: false });
    expect(await line.isVisible()).toBe(false);
  });
});
