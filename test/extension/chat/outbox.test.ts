import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Chat } from "../../../extension/chat/chat.ts";
import type { ImageAttachment } from "../../../webview/protocol/draft.ts";
import { openChat } from "../../support/open-chat.ts";
import { ScriptedModel } from "../../support/scripted-model.ts";
import { type Gate, gate, reply, text } from "../../support/scripted-replies.ts";
import { BUILT_AGENT } from "../../support/spawn-agent.ts";

const PIXEL: ImageAttachment = { kind: "image", id: "1", name: "a.png", mimeType: "image/png", data: "AAAA", note: "" };

let folder: string;
let model: ScriptedModel;
let chat: Chat;
let given: { text: string; images: readonly ImageAttachment[] }[];
let opened: ReturnType<typeof openChat>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tiller-outbox-"));
  model = await ScriptedModel.start();
  given = [];
  opened = openChat(folder, {
    launch: async () => ({
      file: process.execPath,
      args: [BUILT_AGENT, "--mode", "rpc", "--no-session", "--permission-mode", "confirm"],
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        PI_CODING_AGENT_DIR: folder,
        ANTHROPIC_API_KEY: "test-key",
        ANTHROPIC_BASE_URL: model.url,
      },
    }),
    giveBack: (text, images = []) => given.push({ text, images }),
  });
  chat = opened.chat;
});
afterEach(async () => {
  await chat.dispose();
  await model.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A run that stands still in the middle of its answer. */
async function startHeldRun(): Promise<Gate> {
  const held = gate();
  model.enqueue(reply([text("Working"), held, text(" on it")]));
  await chat.prompt({ text: "start", delivery: "steer" });
  await held.reached;
  return held;
}
const queues = () => [opened.ui().steering, opened.ui().followUp];
const prompts = () => opened.items().flatMap((item) => (item.kind === "prompt" ? [item] : []));

describe("a message that is longer than the model's window", () => {
  test("returns to the composer, and the notice offers to attach it as a file", async () => {
    const text = "x".repeat(8_000_000);
    await chat.prompt({ text, delivery: "steer" });
    expect(given).toEqual([{ text, images: [] }]);
    expect(opened.items().at(-1)).toMatchObject({
      kind: "notice",
      level: "error",
      text: expect.stringMatching(
        /^Couldn't send the message\. The message is too long. It has about 2,000,000 tokens/,
      ),
      action: { label: "Attach as File", command: "tiller.attachAsFile" },
    });
  });
});

describe("queued messages", () => {
  test("can be edited, reordered, switched and removed, and are read in the new order", async () => {
    const held = await startHeldRun();
    model.enqueue(reply("1"), reply("2"), reply("3"));
    await chat.prompt({ text: "a", delivery: "steer" });
    await chat.prompt({ text: "b", delivery: "steer" });
    await chat.prompt({ text: "c", delivery: "followUp" });
    await chat.prompt({ text: "d", delivery: "followUp" });
    await chat.outbox.editQueue({ op: "move", queue: "steering", index: 1, label: "b", by: -1 });
    expect(queues()).toEqual([
      ["b", "a"],
      ["c", "d"],
    ]);
    await chat.outbox.editQueue({ op: "switch", queue: "followUp", index: 1, label: "d" });
    await chat.outbox.editQueue({ op: "replace", queue: "steering", index: 0, label: "b", text: "B" });
    await chat.outbox.editQueue({ op: "remove", queue: "followUp", index: 0, label: "c" });
    expect(queues()).toEqual([["B", "a", "d"], []]);
    held.release();
    await expect.poll(() => prompts().map(({ text }) => text)).toEqual(["start", "B", "a", "d"]);
    await expect.poll(() => opened.ui().status).toBe("idle");
    expect(given).toEqual([]);
  });

  test("keep their images when others change, and when they are taken back", async () => {
    const held = await startHeldRun();
    model.enqueue(reply("1"));
    await chat.prompt({ text: "", delivery: "followUp", images: [PIXEL] });
    await chat.prompt({ text: "look", delivery: "followUp", images: [PIXEL] });
    expect(queues()).toEqual([[], ["[Image]", "look"]]);
    await chat.outbox.editQueue({ op: "move", queue: "followUp", index: 0, label: "[Image]", by: 1 });
    expect(queues()).toEqual([[], ["look", "[Image]"]]);
    await chat.outbox.editQueue({ op: "remove", queue: "followUp", index: 1, label: "[Image]" });
    held.release();
    await expect.poll(() => prompts().at(-1)).toMatchObject({ text: "look", images: [{ alt: "Image 1" }] });
    await expect.poll(() => opened.ui().status).toBe("idle");
  });

  test("return to the composer with their images when the agent ends", async () => {
    await startHeldRun();
    await chat.prompt({ text: "look", delivery: "followUp", images: [PIXEL] });
    await chat.prompt({ text: "on", delivery: "steer" });
    await chat.park();
    expect(given).toEqual([{ text: "on\n\nlook", images: [PIXEL] }]);
  });

  test("that were read during an edit are reported, and the edited text goes into the composer", async () => {
    const held = await startHeldRun();
    model.enqueue(reply("1"));
    await chat.prompt({ text: "a", delivery: "steer" });
    await chat.outbox.editQueue({ op: "replace", queue: "steering", index: 1, label: "gone", text: "other" });
    expect(queues()).toEqual([["a"], []]);
    expect(given).toEqual([{ text: "other", images: [] }]);
    held.release();
    await expect.poll(() => opened.ui().status).toBe("idle");
  });

  test("begin a run when the run they waited for is over", async () => {
    model.enqueue(reply("1"));
    await chat.prompt({ text: "start", delivery: "steer" });
    await expect.poll(() => opened.ui().status).toBe("idle");
    model.enqueue(reply("2"));
    await chat.prompt({ text: "a", delivery: "steer" });
    await expect.poll(() => prompts().map(({ text }) => text)).toEqual(["start", "a"]);
    await expect.poll(() => opened.ui().status).toBe("idle");
  });
});
