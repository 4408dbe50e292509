import { describe, expect, it } from "vitest";
import type { TranscriptItem } from "../../../../webview/protocol/items.ts";
import { usePage } from "../../support/use-page.ts";

const panel = usePage();
const PROMPT: TranscriptItem = {
  id: "p1",
  kind: "prompt",
  text: "Why?",
  images: [{ src: "data:image/gif;base64,R0lGODlhAQABAAAAACw=", alt: "Image 1" }],
};
const message = () => panel().page.getByRole("textbox", { name: "Message" });
const line = () => panel().page.getByText("Editing message (Esc to cancel)");
const sent = async () => (await panel().posts()).flatMap((post) => (post.type === "prompt" ? [post] : []));

async function edit(): Promise<void> {
  await panel().snapshot([PROMPT]);
  await message().focus();
  await panel().page.keyboard.type("half a thought");
  await panel().page.getByRole("article", { name: "You: Why?" }).focus();
  await panel().page.keyboard.press("F2");
}

describe("editing an earlier message", () => {
  it("loads it with its images, sends it in its place, and restores the draft", async () => {
    await edit();
    expect(await line().isVisible()).toBe(true);
    expect(await message().inputValue()).toBe("Why?");
    await panel().page.keyboard.type(" Because.");
    await panel().page.keyboard.press("Enter");
    expect(await sent()).toMatchObject([{ text: "Why? Because.", editOf: "p1", images: [{ mimeType: "image/gif" }] }]);
    expect(await message().inputValue()).toBe("half a thought");
    expect(await line().isVisible()).toBe(false);
    expect(await panel().page.locator(".attachments li").count()).toBe(0);
  });

  it("restores the chips that were sent with it", async () => {
    const fixed = { meta: { kind: "git" }, content: "M a.ts" } as const;
    const git = { kind: "context", id: "p2-0", mark: "@git", source: { kind: "git" }, note: "", fixed } as const;
    const chip = { ...git, label: "Git changes", detail: "1 line, 6 B" };
    await panel().snapshot([{ id: "p2", kind: "prompt", text: "Why @git?", images: [], sent: [chip] }]);
    const article = panel().page.getByRole("article", { name: "You: Why @git?" });
    await article.getByRole("button", { name: "Git changes 1 line, 6 B" }).click();
    expect(await article.locator("pre").textContent()).toBe("M a.ts");
    await article.focus();
    await panel().page.keyboard.press("F2");
    await panel().page.getByRole("button", { name: "Remove Git changes" }).waitFor();
    await panel().page.keyboard.press("Enter");
    expect(await sent()).toMatchObject([{ text: "Why @git?", editOf: "p2", contexts: [chip] }]);
  });

  it("ends with Escape, which restores the draft and does not stop a run", async () => {
    await edit();
    await panel().patch([], { status: "running" });
    await panel().page.keyboard.press("Escape");
    expect(await message().inputValue()).toBe("half a thought");
    await panel().page.keyboard.press("Enter");
    expect(await sent()).toEqual([{ type: "prompt", text: "half a thought", delivery: "steer" }]);
    expect((await panel().posts()).filter((post) => post.type === "stop")).toEqual([]);
  });

  it("does not change the draft that the host keeps", async () => {
    await edit();
    await panel().page.keyboard.type("!");
    await message().blur();
    const posts = await panel().posts();
    expect(posts.filter((post) => post.type === "draft").at(-1)).toMatchObject({ text: "half a thought" });
    expect(posts.filter((post) => post.type === "attachments")).toEqual([]);
  });
});
