import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Chat } from "../../../extension/chat/chat.ts";
import { runPrompt } from "../../../extension/chat/run-prompt.ts";
import { openChat } from "../../support/open-chat.ts";

let folder: string;
let chat: Chat;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tiller-run-"));
  chat = openChat(folder).chat;
});
afterEach(async () => {
  await chat.dispose();
  await rm(folder, { recursive: true });
});

describe("runPrompt", () => {
  test("resolves with the last answer when the run is over, and reports its events", async () => {
    const types: string[] = [];
    const result = await runPrompt(chat, "hello", { event: ({ type }) => types.push(type) });
    expect(result).toMatchObject({ text: "You said: hello", aborted: false });
    expect(types.at(0)).toBe("agent_start");
    expect(types.at(-1)).toBe("agent_settled");
  });

  test("rejects when the prompt is refused", async () => {
    await expect(runPrompt(chat, "refuse")).rejects.toThrow("No API key found for anthropic.");
  });

  test("rejects when the agent ends first, and reports no further events", async () => {
    await expect(runPrompt(chat, "die now")).rejects.toThrow("The agent stopped before it finished.");
  });

  test("reports a question of the agent while it waits", async () => {
    const asked: string[] = [];
    const ended = runPrompt(chat, "confirm", {
      uiRequest: (request) => {
        asked.push(request.method);
        chat.questions.answer(request.id, { type: "confirmed", confirmed: true });
      },
    });
    expect((await ended).text).toContain('"confirmed":true');
    expect(asked).toEqual(["confirm"]);
  });

  test("ends the run when a signal aborts while the agent works", async () => {
    const controller = new AbortController();
    const ended = runPrompt(chat, "hang", {
      signal: controller.signal,
      event: ({ type }) => type === "message_end" && controller.abort(),
    });
    expect(await ended).toMatchObject({ aborted: true, text: "" });
  });

  test("ends the run as soon as it begins when a signal aborts before the agent has started", async () => {
    const controller = new AbortController();
    const ended = runPrompt(chat, "hang", { signal: controller.signal });
    controller.abort();
    expect(await ended).toMatchObject({ aborted: true });
  });

  test("sends nothing with an aborted signal", async () => {
    await expect(runPrompt(chat, "hello", { signal: AbortSignal.abort() })).rejects.toThrow("aborted");
    expect(chat.agent.client).toBeUndefined();
  });
});
