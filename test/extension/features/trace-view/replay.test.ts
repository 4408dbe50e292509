import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { secretFinder } from "../../../../agent/util/secrets.ts";
import type { Chat } from "../../../../extension/chat/chat.ts";
import { TranscriptStore } from "../../../../extension/chat/transcript-store.ts";
import { Replay } from "../../../../extension/features/trace-view/replay.ts";
import { readTrace, traceFile } from "../../../../extension/features/trace-view/trace-file.ts";
import { openChat } from "../../../support/open-chat.ts";
import { ScriptedModel } from "../../../support/scripted-model.ts";
import { gate, httpError, reply, text, thinking, toolCall } from "../../../support/scripted-replies.ts";
import { LONG } from "../../../support/small-window.ts";
import { BUILT_AGENT } from "../../../support/spawn-agent.ts";

let folder: string;
let model: ScriptedModel;
let chat: Chat;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tiller-replay-"));
  model = await ScriptedModel.start();
  const tiny = { id: "tiny", contextWindow: 1_000_000, maxTokens: 3000, reasoning: true };
  const local = { baseUrl: model.url, api: "anthropic-messages", apiKey: "LOCAL_KEY", models: [tiny] };
  writeFileSync(join(folder, "notes.txt"), "One line of notes.\n");
  mkdirSync(join(folder, "agent"));
  writeFileSync(join(folder, "agent", "models.json"), JSON.stringify({ providers: { local } }));
  const compaction = { reserveTokens: 2000, keepRecentTokens: 100 };
  writeFileSync(join(folder, "agent", "settings.json"), JSON.stringify({ compaction, retry: { baseDelayMs: 1 } }));
  chat = openChat(folder, { launch: async () => builtAgent() }).chat;
  chat.transcript.trace.configure({ isEnabled: true, maxChars: 100_000_000 });
});

afterEach(async () => {
  await chat.dispose();
  await model.stop();
  rmSync(folder, { recursive: true, force: true });
});

function builtAgent() {
  const args = ["--mode", "rpc", "--rpc-stream", "delta", "--permission-mode", "confirm", "--model", "local/tiny"];
  const session = chat.session.file === undefined ? [] : ["--session", chat.session.file];
  return {
    file: process.execPath,
    args: [BUILT_AGENT, ...args, "--thinking", "low", ...session],
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      PI_CODING_AGENT_DIR: join(folder, "agent"),
      LOCAL_KEY: "test-key-0123",
    },
  };
}

const settled = (answers: number) =>
  expect
    .poll(() => chat.transcript.items().filter(({ kind }) => kind === "footer").length, { timeout: 60_000 })
    .toBe(answers);

async function save(): Promise<Uint8Array> {
  const { trace, seed } = chat.transcript;
  const header = { savedAt: 1, tiller: "0.0.0", title: "Test", dropped: trace.dropped, ...seed };
  return new TextEncoder().encode(await traceFile(header, trace.after(0), secretFinder(["test-key-0123"])));
}

async function replayed(bytes: Uint8Array): Promise<TranscriptStore> {
  const { header, entries, skipped } = await readTrace(bytes);
  expect(skipped).toBe(0);
  const store = new TranscriptStore({ ...header, uiChanged: () => {} });
  const replay = new Replay(store);
  for (const entry of entries) replay.apply(entry);
  return store;
}

describe("a saved trace", () => {
  test("of 5,000 frames with tools, thinking, questions, retries, a compaction and a crash becomes the same conversation", async () => {
    const nearlyFull = { usage: { input_tokens: 999_000 } };
    const many = Array.from({ length: 80 }, () => toolCall("read", { path: "notes.txt" }, { pieces: 2 }));
    model.enqueue(
      reply([
        thinking("I should look first.", { chunks: 4 }),
        toolCall("bash", { command: "touch seen; echo done" }, { pieces: 5 }),
      ]),
      httpError(529, "overloaded_error", "Overloaded"),
      ...Array.from({ length: 9 }, () => reply([text("More to read."), ...many])),
      reply("That was a lot."),
      reply([text(LONG), toolCall("read", { path: "notes.txt" })], nearlyFull),
      reply("The summary"),
      reply("The beginning"),
      reply("Done"),
      reply("Still here"),
    );
    await chat.prompt({ text: "Look around", delivery: "steer" });
    await expect.poll(() => chat.questions.pending, { timeout: 60_000 }).toHaveLength(1);
    const [question] = chat.questions.pending;
    chat.questions.answer(question?.request.id ?? "", { type: "value", value: "Allow once" });
    await settled(1);
    await chat.prompt({ text: "Now fill the window", delivery: "steer" });
    await settled(2);
    await chat.prompt({ text: "!echo from the shell", delivery: "steer" });
    process.kill(chat.agent.pid ?? 0, "SIGKILL");
    await expect.poll(() => chat.transcript.ui.status, { timeout: 60_000 }).toBe("crashed");
    await chat.restart();
    await chat.prompt({ text: "Are you there?", delivery: "steer" });
    await settled(3);
    await chat.refresh();

    const bytes = await save();
    expect(chat.transcript.trace.count).toBeGreaterThan(5_000);
    const store = await replayed(bytes);
    expect(JSON.stringify(store.items())).toBe(JSON.stringify(chat.transcript.items()));
    expect(JSON.stringify(store.ui)).toBe(JSON.stringify(chat.transcript.ui));
    const kinds = new Set(store.items().map((item) => (item.kind === "activity" ? item.activity : item.kind)));
    expect([...kinds].sort()).toEqual(
      ["compaction", "footer", "notice", "prompt", "retry", "text", "thinking", "tool"].sort(),
    );
    // The answered approval is a note on its call.
    expect(store.items().some((item) => item.kind === "tool" && item.note === "Allowed once")).toBe(true);
    expect(new TextDecoder().decode(bytes)).not.toContain("test-key-0123");
  }, 180_000);

  test("of a session that was continued, steered, stopped, forked and left alone becomes the same conversation", async () => {
    const never = gate();
    model.enqueue(
      reply("First answer"),
      reply([text("I begin. "), never, text("Never said.")]),
      reply([text("Going on. "), toolCall("nothing_such")]),
      reply("Second answer"),
    );
    await chat.prompt({ text: "First", delivery: "steer" });
    await settled(1);
    const { file } = chat.session;
    await chat.dispose();
    chat = openChat(folder, { start: { key: "s1", file }, launch: async () => builtAgent() }).chat;
    chat.transcript.trace.configure({ isEnabled: true, maxChars: 100_000_000 });
    chat.preview([{ role: "user", content: "First", timestamp: 1 }]);
    await chat.prompt({ text: "A long task", delivery: "steer" });
    await expect.poll(() => JSON.stringify(chat.transcript.items()), { timeout: 60_000 }).toContain("I begin.");
    await chat.prompt({ text: "And this", delivery: "followUp" });
    await expect.poll(() => chat.transcript.ui.followUp, { timeout: 60_000 }).toEqual(["And this"]);
    await chat.outbox.clearQueue();
    await chat.stop();
    await expect.poll(() => chat.transcript.ui.status, { timeout: 60_000 }).toBe("idle");
    never.release();
    await chat.prompt({ text: "Go on", delivery: "steer" });
    await expect.poll(() => JSON.stringify(chat.transcript.items()), { timeout: 60_000 }).toContain("Second answer");
    await expect.poll(() => chat.transcript.ui.status, { timeout: 60_000 }).toBe("idle");
    const { messages } = await chat.request("get_fork_messages", {});
    const before = JSON.stringify(chat.transcript.items());
    const store = await replayed(await save());
    expect(JSON.stringify(store.items())).toBe(before);
    await chat.request("fork", { entryId: messages.at(-1)?.entryId ?? "" });
    await chat.agent.reload();
    const forked = await replayed(await save());
    expect(JSON.stringify(forked.items())).toBe(JSON.stringify(chat.transcript.items()));
    expect(JSON.stringify(forked.items())).not.toBe(before);
    expect(JSON.stringify(forked.ui)).toBe(JSON.stringify(chat.transcript.ui));
  }, 180_000);
});
