import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { deferred } from "../../../../agent/util/deferred.ts";
import { problemsBlock } from "../../../../extension/core/mentions/context-blocks.ts";
import { joinPrompt } from "../../../../extension/core/mentions/prompt-blocks.ts";
import { sendMessage } from "../../../../extension/features/composer/send-message.ts";
import type { ContextAttachment } from "../../../../webview/protocol/context.ts";
import { openChat } from "../../../support/open-chat.ts";
import { ScriptedModel } from "../../../support/scripted-model.ts";
import { reply } from "../../../support/scripted-replies.ts";
import { BUILT_AGENT } from "../../../support/spawn-agent.ts";

const CHIP: ContextAttachment = {
  kind: "context",
  id: "1",
  mark: "@problems",
  source: { kind: "problems" },
  label: "0 problems",
  detail: "empty",
  note: "",
};

/** A chat with the built agent and a scripted model. */
async function open() {
  const folder = await mkdtemp(join(tmpdir(), "tiller-send-"));
  const model = await ScriptedModel.start();
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    PI_CODING_AGENT_DIR: folder,
    ANTHROPIC_API_KEY: "test-key",
    ANTHROPIC_BASE_URL: model.url,
  };
  const args = [BUILT_AGENT, "--mode", "rpc", "--permission-mode", "confirm"];
  const opened = openChat(folder, { launch: async () => ({ file: process.execPath, args, cwd: folder, env }) });
  onTestFinished(async () => {
    await opened.chat.dispose();
    await model.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return { ...opened, model };
}

describe("sendMessage", () => {
  test("sends messages in the order of the requests, even while chips are being read", async () => {
    const { chat, items, ui, model } = await open();
    model.enqueue(reply("1"), reply("2"));
    const read = deferred<void>();
    const compose = async (text: string) => {
      await read.promise;
      return joinPrompt([problemsBlock([])], text);
    };
    const first = sendMessage(chat, { text: "Fix @problems", whileRunning: "steer", contexts: [CHIP] }, { compose });
    const second = sendMessage(chat, { text: "Then test", whileRunning: "followUp" }, { compose });
    read.resolve();
    await Promise.all([first, second]);
    const said = () => items().flatMap((item) => (item.kind === "prompt" ? [[item.text, item.sent?.length ?? 0]] : []));
    await expect.poll(said, { timeout: 15_000 }).toEqual([
      ["Fix @problems", 1],
      ["Then test", 0],
    ]);
    await expect.poll(() => ui().status, { timeout: 15_000 }).toBe("idle");
    expect(JSON.stringify(model.requests[0]?.body.messages)).toContain('{\\"kind\\":\\"problems\\"');
  });

  test("passes typed text to the shell, without chips", async () => {
    const { chat, items } = await open();
    const compose = () => Promise.reject(new Error("nothing is to be read"));
    await sendMessage(chat, { text: "!echo hi", whileRunning: "steer", contexts: [CHIP] }, { compose });
    await expect
      .poll(() => items().flatMap((item) => (item.kind === "tool" ? [[item.input, item.output]] : [])))
      .toEqual([["echo hi", "hi\n"]]);
  });
});
