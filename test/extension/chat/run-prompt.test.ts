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
  test("resolves with the last answer when the run is over, and tells its events", async () => {
    const types: string[] = [];
    const result = await runPrompt(chat, "hello", { event: ({ type }) => types.push(type) });
    expect(result).toMatchObject({ text: "You said: hello", aborted: false });
    expect(types.at(0)).toBe("agent_start");
    expect(types.at(-1)).toBe("agent_settled");
  });

  test("rejects when the prompt is refused", async () => {
    await expect(runPrompt(chat, "refuse")).rejects.toThrow("No API key found for anthropic.");
  });

  test("rejects when the agent ends first, and hears no more of it", async () => {
    await expect(runPrompt(chat, "die now")).rejects.toThrow("The agent ended before it was done.");
  });

  test("a question of the agent is told while it waits", async () => {
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

  test("a signal that aborts while the agent works ends the run", async () => {
    const controller = new AbortController();
    const ended = runPrompt(chat, "hang", {
      signal: controller.signal,
      event: ({ type }) => type === "message_end" && controller.abort(),
    });
    expect(await ended).toMatchObject({ aborted: true, text: "" });
  });

  test("a signal that aborts before the agent has started ends the run as soon as there is one", async () => {
    const controller = new AbortController();
    const ended = runPrompt(chat, "hang", { signal: controller.signal });
    controller.abort();
    expect(await ended).toMatchObject({ aborted: true });
  });

  test("with a signal that has aborted nothing is sent", async () => {
    await expect(runPrompt(chat, "hello", { signal: AbortSignal.abort() })).rejects.toThrow("aborted");
    expect(chat.agent.client).toBeUndefined();
  });
});
