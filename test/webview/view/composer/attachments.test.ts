import { describe, expect, it } from "vitest";
import type { Attachment, ImageAttachment } from "../../../../webview/protocol/draft.ts";
import { inPage } from "../../support/open-page.ts";
import { usePage } from "../../support/use-page.ts";

const panel = usePage();
const message = () => panel().page.getByRole("textbox", { name: "Message" });
const chips = () => panel().page.getByRole("list", { name: "Attachments" }).getByRole("listitem");
const sent = async () => (await panel().posts()).flatMap((post) => (post.type === "prompt" ? [post] : []));
const PIXEL: ImageAttachment = {
  kind: "image",
  id: "1",
  name: "dot.png",
  mimeType: "image/png",
  data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  note: "",
};

async function open(ui = {}): Promise<void> {
  await panel().snapshot([], ui);
  await message().focus();
}
const pasteText = (text: string) => inPage(panel().page, "paste", { text });
const pasteFile = (name: string, base64: string) => inPage(panel().page, "paste", { files: [{ name, base64 }] });

describe("pasted images", () => {
  it("are pasted, shown as chips, and sent with the text", async () => {
    await open();
    await pasteFile("dot.png", PIXEL.data);
    await expect.poll(() => chips().allTextContents()).toEqual(["dot.png 70B"]);
    await panel().page.keyboard.type("look");
    await panel().page.keyboard.press("Enter");
    expect(await sent()).toMatchObject([
      { text: "look", images: [{ name: "dot.png", mimeType: "image/png", data: PIXEL.data }] },
    ]);
    expect(await chips().count()).toBe(0);
    const told = (await panel().posts()).flatMap((post) =>
      post.type === "attachments" ? [post.attachments.length] : [],
    );
    expect(told).toEqual([1, 0]);
  });

  it("can be sent without a text", async () => {
    await open();
    await pasteFile("dot.png", PIXEL.data);
    await expect.poll(() => chips().count()).toBe(1);
    await panel().page.getByRole("button", { name: "Send" }).click();
    expect(await sent()).toMatchObject([{ text: "", images: [{ name: "dot.png" }] }]);
  });

  it("are waited for when Enter comes while they are read", async () => {
    await open();
    await panel().page.keyboard.type("look");
    await pasteFile("dot.png", PIXEL.data);
    await panel().page.keyboard.press("Enter");
    await expect.poll(async () => (await sent()).length).toBe(1);
    expect(await sent()).toMatchObject([{ text: "look", images: [{ name: "dot.png" }] }]);
  });

  it("can be dropped anywhere on the page", async () => {
    await open();
    await inPage(panel().page, "drop", { files: [{ name: "dot.png", base64: PIXEL.data }] });
    await expect.poll(() => chips().count()).toBe(1);
  });

  it("are scaled down when they are too large", async () => {
    await open({ maxImageBytes: 20_000 });
    await inPage(panel().page, "pasteNoise", 400);
    await expect.poll(() => chips().count(), { timeout: 10_000 }).toBe(1);
    expect(await chips().allTextContents()).toEqual([expect.stringMatching(/^noise\.png \d+KB, reduced from \d+KB$/)]);
    await panel().page.keyboard.press("Enter");
    const [image] = (await sent())[0]?.images ?? [];
    expect((image?.data.length ?? 0) * 0.75).toBeLessThan(20_001);
  });

  it("of an unsupported type are refused with the reason", async () => {
    await open();
    await pasteFile("page.png", "PGh0bWw+");
    await expect
      .poll(() => panel().page.locator(".attachment-note").textContent())
      .toBe("page.png isn't a PNG, JPEG, GIF, or WebP image.");
    expect(await chips().count()).toBe(0);
  });

  it("are flagged before sending when the model cannot see them", async () => {
    await open({ acceptsImages: false, modelLabel: "Demo" });
    await pasteFile("dot.png", PIXEL.data);
    await expect.poll(() => panel().page.getByText("Demo doesn't support images.").isVisible()).toBe(true);
  });

  it("are removed by their cross, and the focus returns to the text", async () => {
    await open();
    await pasteFile("dot.png", PIXEL.data);
    await panel().page.getByRole("button", { name: "Remove dot.png" }).click();
    expect(await chips().count()).toBe(0);
    expect(await inPage(panel().page, "focused")).toBe("VSCODE-TEXT-AREA");
  });

  it("come back with the draft of a conversation, and from a refused message", async () => {
    await panel().snapshot([], {}, { chat: "a", text: "look", at: 5, attachments: [PIXEL] });
    expect(await chips().allTextContents()).toEqual(["dot.png 70B"]);
    const second: Attachment = { ...PIXEL, id: "2", name: "second.png" };
    await panel().send({ type: "setDraft", text: "", mode: "append", attachments: [second] });
    expect(await chips().allTextContents()).toEqual(["dot.png 70B", "second.png 70B"]);
    await panel().snapshot([], {}, { chat: "b", text: "", at: 6 });
    expect(await chips().count()).toBe(0);
  });
});

describe("a draft with an image", () => {
  it("is complete after another conversation was shown, and in a new page", async () => {
    await open();
    await panel().page.keyboard.type("look at ");
    await pasteFile("dot.png", PIXEL.data);
    await expect.poll(() => chips().count()).toBe(1);
    await panel().page.keyboard.type("this");
    await panel().snapshot([], {}, { chat: "c2", text: "", at: 1 });
    expect([await message().inputValue(), await chips().count()]).toEqual(["", 0]);

    const posts = await panel().posts();
    const text = posts.flatMap((post) => (post.type === "draft" && post.chat === "c1" ? [post.text] : [])).at(-1) ?? "";
    const attachments = posts.flatMap((post) => (post.type === "attachments" ? [post.attachments] : [])).at(-1) ?? [];
    const draft = { chat: "c1", text, at: Date.now(), attachments };
    const isWhole = async () => {
      await panel().snapshot([], {}, draft);
      expect(await message().inputValue()).toBe("look at this");
      expect(await chips().allTextContents()).toEqual(["dot.png 70B"]);
    };
    await isWhole();
    await panel().page.evaluate("sessionStorage.clear()");
    await panel().reload();
    await isWhole();
  });
});

describe("large pasted text", () => {
  const BIG = Array.from({ length: 31 }, (_, at) => `line ${at + 1}`).join("\n");

  it("becomes a chip where it was pasted, and is sent completely as one", async () => {
    await open();
    await panel().page.keyboard.type("See: ");
    await pasteText(BIG);
    expect(await message().inputValue()).toBe("See: [Pasted text 1: 31 lines]");
    expect(await chips().allTextContents()).toEqual(["Pasted text 1 31 lines"]);
    await panel().page.keyboard.type(" Why?");
    await panel().page.keyboard.press("Enter");
    const block = { meta: { kind: "pasted", name: "Pasted text 1" }, content: BIG };
    expect(await sent()).toMatchObject([
      {
        text: "See: [Pasted text 1: 31 lines] Why?",
        contexts: [{ mark: "[Pasted text 1: 31 lines]", source: { kind: "sent" }, fixed: block }],
      },
    ]);
  });

  it("goes whole into a command and its arguments", async () => {
    await open();
    await panel().page.keyboard.type("/explain ");
    await pasteText(BIG);
    await panel().page.keyboard.press("Enter");
    const [prompt] = await sent();
    expect(prompt).toMatchObject({ text: `/explain ${BIG}` });
    expect(prompt?.contexts).toBe(undefined);
  });

  it("is a chip again when the message is edited", async () => {
    const fixed = { meta: { kind: "pasted", name: "Pasted text 1" }, content: BIG } as const;
    const chip = { kind: "context", id: "p-0", source: { kind: "sent" }, label: "Pasted text 1", note: "" } as const;
    const mark = "[Pasted text 1: 31 lines]";
    await panel().snapshot([
      {
        id: "p",
        kind: "prompt",
        text: `See: ${mark}`,
        images: [],
        sent: [{ ...chip, mark, detail: "31 lines", fixed }],
      },
    ]);
    await panel().send({ type: "editPrompt", id: "p" });
    await expect.poll(() => message().inputValue()).toBe(`See: ${mark}`);
    expect(await chips().allTextContents()).toEqual(["Pasted text 1 31 lines"]);
    await chips().getByRole("button", { name: "Pasted text 1 31 lines", exact: true }).click();
    expect(await message().inputValue()).toBe(`See: ${BIG}`);
  });

  it("is unfolded by a click on the chip", async () => {
    await open();
    await pasteText(BIG);
    await panel().page.getByRole("button", { name: "Pasted text 1 31 lines", exact: true }).click();
    expect(await message().inputValue()).toBe(BIG);
    expect(await chips().count()).toBe(0);
  });

  it("loses its chip with its mark, and gets it back by undo", async () => {
    await open();
    await pasteText(BIG);
    await panel().page.keyboard.press("Control+a");
    await panel().page.keyboard.press("Delete");
    expect(await chips().count()).toBe(0);
    await panel().page.keyboard.press("Control+z");
    expect(await chips().count()).toBe(1);
    await panel().page.keyboard.press("Enter");
    expect((await sent()).map(({ contexts }) => contexts?.[0]?.fixed?.content)).toEqual([BIG]);
  });

  it("is complete in the document of Edit in editor", async () => {
    await open();
    await panel().page.keyboard.type("See: ");
    await pasteText(BIG);
    await panel().page.getByRole("button", { name: "Edit in Editor" }).click();
    expect((await panel().posts()).at(-1)).toEqual({ type: "editInEditor", text: `See: ${BIG}` });
  });

  it("stays text when it is small", async () => {
    await open();
    await pasteText("small");
    expect(await chips().count()).toBe(0);
  });
});
