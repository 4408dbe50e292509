import { describe, expect, it } from "vitest";
import { inPage } from "../support/open-page.ts";
import { usePage } from "../support/use-page.ts";

const panel = usePage();
const INTERNAL = "application/vnd.code.uri-list";
const message = () => panel().page.getByRole("textbox", { name: "Message" });
const hint = () => panel().page.locator(".drop-hint");
const dropped = async () => (await panel().posts()).filter((post) => post.type === "dropUris");

describe("a drop on the page", () => {
  it("uses the most complete list of addresses, and becomes a mention", async () => {
    await panel().snapshot([]);
    const uris = ["file:///work/a.ts", "file:///work/b.ts#3,1-4,2"];
    await inPage(panel().page, "drop", {
      data: { "text/uri-list": "file:///work/a.ts", [INTERNAL]: uris.join("\r\n") },
    });
    expect(await dropped()).toEqual([{ type: "dropUris", uris, areProblems: false }]);
    await panel().send({ type: "insert", text: "@a.ts @b.ts:3-4 " });
    expect(await message().inputValue()).toBe("@a.ts @b.ts:3-4 ");
  });

  it("can be lines of the Problems view", async () => {
    await panel().snapshot([]);
    const data = { [INTERNAL]: "file:///work/a.ts#3,1-3,9", "application/vnd.code.diagnostics": "[{}]" };
    await inPage(panel().page, "drop", { data });
    expect(await dropped()).toEqual([{ type: "dropUris", uris: ["file:///work/a.ts#3,1-3,9"], areProblems: true }]);
  });

  it("can have its addresses as JSON only, or nothing readable", async () => {
    await panel().snapshot([]);
    await inPage(panel().page, "drop", { data: { resourceurls: '["file:///work/a.ts", 7]' } });
    await inPage(panel().page, "drop", { data: { resourceurls: "[" } });
    expect(await dropped()).toEqual([{ type: "dropUris", uris: ["file:///work/a.ts"], areProblems: false }]);
  });

  it("is not passed to the editor when it comes from another program", async () => {
    await panel().snapshot([]);
    const files = [{ name: "dot.png", base64: "" }];
    expect(await inPage(panel().page, "drag", { files, events: ["dragenter", "dragover"] })).toEqual([
      { type: "dragenter", isHeard: false, isTaken: true },
      { type: "dragover", isHeard: false, isTaken: true },
    ]);
  });

  it("is left to the editor when it is neither file nor address", async () => {
    await panel().snapshot([]);
    expect(await inPage(panel().page, "drag", { text: "some words", events: ["dragenter", "dragover"] })).toEqual([
      { type: "dragenter", isHeard: true, isTaken: false },
      { type: "dragover", isHeard: true, isTaken: false },
    ]);
    expect(await hint().isVisible()).toBe(false);
  });

  it("is announced while it is over the page, and a line gives advice once Shift is released", async () => {
    await panel().snapshot([]);
    const data = { [INTERNAL]: "file:///work/a.ts" };
    await inPage(panel().page, "drag", { data, events: ["dragenter", "dragover"] });
    expect(await hint().textContent()).toBe("Drop to add to the message");
    await inPage(panel().page, "drag", { data, events: ["dragleave"] });
    expect(await hint().textContent()).toBe("Hold Shift to drop here");
    await inPage(panel().page, "drag", { data, events: ["dragenter", "drop"] });
    expect(await hint().isVisible()).toBe(false);
  });
});
