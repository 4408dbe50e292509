import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { entryOf, resendEdited } from "../../../extension/chat/resend.ts";
import type { TranscriptItem } from "../../../webview/protocol/items.ts";
import { openChat } from "../../support/open-chat.ts";
import { ScriptedModel } from "../../support/scripted-model.ts";
import { reply } from "../../support/scripted-replies.ts";
import { BUILT_AGENT } from "../../support/spawn-agent.ts";

const prompt = (id: string, text: string): TranscriptItem => ({ id, kind: "prompt", text, images: [] });

describe("entryOf", () => {
  test("distinguishes prompts with the same text by their order, counted from the end", () => {
    const items = [prompt("1", "go on"), prompt("2", "other"), prompt("3", "go on")];
    const points = ["old", "go on", "other", "go on"].map((text, at) => ({ entryId: `e${at}`, text }));
    expect(items.map(({ id }) => entryOf(items, id, points))).toEqual(["e1", "e2", "e3"]);
  });

  test("finds a prompt by its words, whatever was attached", () => {
    const attached = '\n\n<attached key="0123456789abcdef">\nnote\n</attached 0123456789abcdef>';
    expect(entryOf([prompt("1", "look")], "1", [{ entryId: "e", text: `look${attached}` }])).toBe("e");
  });

  test("finds no entry for a prompt that is not in the session", () => {
    const items = [prompt("1", "gone"), prompt("2", "here")];
    expect(entryOf(items, "1", [{ entryId: "e", text: "here" }])).toBe(undefined);
    expect(entryOf(items, "2", [{ entryId: "e", text: "here" }])).toBe("e");
  });
});

describe("resendEdited", () => {
  test("continues in a new session from before the message, and keeps the old one", async () => {
    const folder = await mkdtemp(join(tmpdir(), "tiller-resend-"));
    const model = await ScriptedModel.start();
    model.enqueue(reply("1"), reply("2"), reply("zwei"));
    const { chat, items, seen, ui } = openChat(folder, {
      launch: async () => ({
        file: process.execPath,
        args: [BUILT_AGENT, "--mode", "rpc", "--permission-mode", "confirm"],
        cwd: folder,
        env: {
          PATH: process.env.PATH,
          HOME: folder,
          PI_CODING_AGENT_DIR: folder,
          ANTHROPIC_API_KEY: "test-key",
          ANTHROPIC_BASE_URL: model.url,
        },
      }),
    });
    onTestFinished(async () => {
      await chat.dispose();
      await model.stop();
      await rm(folder, { recursive: true, force: true });
    });
    const texts = () => items().flatMap((item) => (item.kind === "prompt" ? [item.text] : []));
    const idle = () => expect.poll(() => ui().status, { timeout: 15_000 }).toBe("idle");
    await chat.prompt({ text: "one", delivery: "steer" });
    await expect.poll(texts).toEqual(["one"]);
    await idle();
    await chat.prompt({ text: "two", delivery: "steer" });
    await expect.poll(texts).toEqual(["one", "two"]);
    await idle();
    const itemId = items().find((item) => item.kind === "prompt" && item.text === "two")?.id ?? "";
    await resendEdited(chat, itemId, { text: "zwei", delivery: "steer" });
    await expect.poll(texts).toEqual(["one", "zwei"]);
    await idle();
    expect(new Set(seen.sessions).size).toBe(2);
    await expect(resendEdited(chat, itemId, { text: "drei", delivery: "steer" })).rejects.toThrow(
      "no longer in the session",
    );
    expect(seen.drafts).toEqual([]);
  });
});
