import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Chat } from "../../extension/chat.ts";
import { applySessionDefaults } from "../../extension/session-defaults.ts";
import { openChat } from "../support/open-chat.ts";

let folder: string;
let chat: Chat;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tiller-defaults-"));
  ({ chat } = openChat(folder));
});
afterEach(async () => {
  await chat.dispose();
  await rm(folder, { recursive: true });
});

describe("applySessionDefaults", () => {
  test("the model of the settings is set and shown", async () => {
    await applySessionDefaults(chat, { model: "demo/other", thinkingLevel: "" });
    expect(chat.transcript.ui.modelLabel).toBe("Other");
  });

  test("a model that is not there is an error that names the setting", async () => {
    await expect(applySessionDefaults(chat, { model: "demo/none", thinkingLevel: "" })).rejects.toThrow(
      'The setting "tiller.model" names "demo/none", which is not available. Pick a model.',
    );
  });
});
