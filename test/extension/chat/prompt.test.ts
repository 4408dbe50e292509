import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { deferred } from "../../../agent/util/deferred.ts";
import type { ChatPorts } from "../../../extension/chat/chat-ports.ts";
import { problemsBlock } from "../../../extension/core/mentions/context-blocks.ts";
import { joinPrompt } from "../../../extension/core/mentions/prompt-blocks.ts";
import type { ContextAttachment } from "../../../webview/protocol/context.ts";
import { openChat } from "../../support/open-chat.ts";
import { ScriptedModel } from "../../support/scripted-model.ts";
import { reply } from "../../support/scripted-replies.ts";
import { BUILT_AGENT } from "../../support/spawn-agent.ts";

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
async function open(compose: ChatPorts["compose"]) {
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
  const opened = openChat(folder, {
    compose,
    launch: async () => ({ file: process.execPath, args, cwd: folder, env }),
  });
  onTestFinished(async () => {
    await opened.chat.dispose();
    await model.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return { ...opened, model };
}

describe("Chat.prompt", () => {
  test("sends messages in the order of the requests, even while chips are being read", async () => {
    const read = deferred<void>();
    const compose = async (text: string) => {
      await read.promise;
      return joinPrompt([problemsBlock([])], text);
    };
    const { chat, items, ui, model } = await open(compose);
    model.enqueue(reply("1"), reply("2"));
    const first = chat.prompt({ text: "Fix @problems", delivery: "steer", contexts: [CHIP] });
    const second = chat.prompt({ text: "Then test", delivery: "followUp" });
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
    const { chat, items } = await open(() => Promise.reject(new Error("nothing is to be read")));
    await chat.prompt({ text: "!echo hi", delivery: "steer", contexts: [CHIP] });
    await expect
      .poll(() => items().flatMap((item) => (item.kind === "tool" ? [[item.input, item.output]] : [])))
      .toEqual([["echo hi", "hi\n"]]);
  });
});
