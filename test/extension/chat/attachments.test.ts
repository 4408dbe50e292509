import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Chat } from "../../../extension/chat/chat.ts";
import { Drafts } from "../../../extension/window/draft.ts";
import type { ImageAttachment } from "../../../webview/protocol/draft.ts";
import { memoryStore } from "../../support/memory-store.ts";
import { openChat } from "../../support/open-chat.ts";

const PIXEL: ImageAttachment = { kind: "image", id: "1", name: "a.png", mimeType: "image/png", data: "AAAA", note: "" };

let folder: string;
let chats: Chat[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tiller-attachments-"));
  chats = [];
});
afterEach(async () => {
  await Promise.all(chats.map((chat) => chat.dispose()));
  await rm(folder, { recursive: true });
});

describe("images of a message", () => {
  test("go to the agent and appear in the transcript", async () => {
    const { chat, items } = openChat(folder);
    chats.push(chat);
    await chat.prompt({ text: "look", delivery: "steer", images: [PIXEL] });
    await expect.poll(items).toContainEqual(
      expect.objectContaining({
        kind: "prompt",
        text: "look",
        images: [{ src: "data:image/png;base64,AAAA", alt: "Image 1" }],
      }),
    );
  });

  test("are returned with the text when the agent refuses it", async () => {
    const given: unknown[] = [];
    const { chat } = openChat(folder, { giveBack: (text, images) => given.push([text, images]) });
    chats.push(chat);
    await chat.prompt({ text: "refuse", delivery: "steer", images: [PIXEL] });
    expect(given).toEqual([["refuse", [PIXEL]]]);
  });
});

describe("drafts", () => {
  test("keep images with the text, even after a reload of the window and in another session", () => {
    const store = memoryStore();
    const drafts = new Drafts(store);
    drafts.setAttachments("a", [PIXEL]);
    drafts.set("a", "look");
    expect(new Drafts(store).of("a")).toMatchObject({ text: "look", attachments: [PIXEL] });
    drafts.set("a", "");
    drafts.move("a", "b");
    expect(drafts.of("b")).toMatchObject({ text: "", attachments: [PIXEL] });
  });

  test("keep the caret position, which belongs to its text", () => {
    const store = memoryStore();
    const drafts = new Drafts(store);
    const place = { start: 2, end: 4, top: 30 };
    expect(drafts.set("a", "look here")).toBe(true);
    const { at } = drafts.of("a");
    expect(drafts.set("a", "look here", place)).toBe(false);
    expect(new Drafts(store).of("a")).toEqual({ chat: "a", text: "look here", at, place });
    drafts.set("a", "another text");
    expect(drafts.of("a").place).toBeUndefined();
  });

  test("lose images that are too large to keep over a reload, but not the text", () => {
    const store = memoryStore();
    const drafts = new Drafts(store);
    drafts.set("a", "look");
    drafts.setAttachments("a", [{ ...PIXEL, data: "A".repeat(8_000_001) }]);
    expect(new Drafts(store).of("a")).toMatchObject({ text: "look" });
    expect(new Drafts(store).of("a").attachments).toBeUndefined();
  });
});
