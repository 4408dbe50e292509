import { describe, expect, it } from "vitest";
import type { ContextAttachment } from "../../../../webview/protocol/context.ts";
import { usePage } from "../../support/use-page.ts";

const panel = usePage();
const LINES: ContextAttachment = {
  kind: "context",
  id: "lines",
  mark: "",
  source: { kind: "lines", uri: "file:///w/a.ts", startLine: 12, endLine: 30 },
  label: "a.ts:12-30",
  detail: "19 lines, 512 B",
  note: "src/a.ts:12-30",
};
const ghost = () => panel().page.getByRole("button", { name: "selection a.ts:12-30 Tab" });
const message = () => panel().page.getByRole("textbox", { name: "Message" });
const press = (key: string) => panel().page.keyboard.press(key);
const sent = async () => (await panel().posts()).filter((post) => post.type === "prompt");

async function offer(isTaken = false): Promise<void> {
  await panel().snapshot([], { suggestion: { contexts: [LINES], isTaken } });
  await message().focus();
}

describe("the suggestion of the editor's selection", () => {
  it("is offered, and not sent unless it is accepted", async () => {
    await offer();
    await ghost().waitFor();
    await panel().page.keyboard.type("Why?");
    await press("Enter");
    expect(await sent()).toEqual([{ type: "prompt", text: "Why?", delivery: "steer" }]);
  });

  it("is accepted by one Tab, and the next Tab works as usual", async () => {
    await offer();
    await press("Tab");
    await panel().page.getByRole("button", { name: "Remove a.ts:12-30" }).waitFor();
    expect(await ghost().count()).toBe(0);
    expect((await panel().posts()).filter((post) => post.type === "suggestion")).toEqual([
      { type: "suggestion", action: "accept" },
    ]);
    await panel().page.keyboard.type("Why?");
    await press("Enter");
    expect(await sent()).toMatchObject([{ text: "Why?", contexts: [{ source: LINES.source, label: "a.ts:12-30" }] }]);
    await press("Tab");
    expect(await message().evaluate((box) => box.matches(":focus"))).toBe(false);
  });

  it("is dismissed for the conversation by its cross, and the focus returns to the text", async () => {
    await offer();
    await panel().page.getByRole("button", { name: "Don't suggest context in this chat" }).click();
    expect(await ghost().count()).toBe(0);
    expect((await panel().posts()).at(-1)).toEqual({ type: "suggestion", action: "dismiss" });
    expect(await message().evaluate((box) => box.matches(":focus"))).toBe(true);
  });

  it("is sent with the message when a setting says so, can be viewed, and removed", async () => {
    await offer(true);
    await panel()
      .page.getByRole("button", { name: /^a\.ts:12-30/ })
      .click();
    expect((await panel().posts()).at(-1)).toEqual({ type: "previewContext", id: "lines", source: LINES.source });
    await message().focus();
    await panel().page.keyboard.type("Why?");
    await press("Enter");
    expect(await sent()).toEqual([{ type: "prompt", text: "Why?", delivery: "steer", contexts: [LINES] }]);
    await panel().page.getByRole("button", { name: "Don't attach context automatically in this chat" }).click();
    expect((await panel().posts()).at(-1)).toEqual({ type: "suggestion", action: "dismiss" });
  });
});
