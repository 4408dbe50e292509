import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Chat } from "../../../extension/chat/chat.ts";
import type { ChatPorts } from "../../../extension/chat/chat-ports.ts";
import { compactNow } from "../../../extension/chat/context-window.ts";
import { forkFrom } from "../../../extension/chat/fork-chat.ts";
import { continueRun, tryAgain } from "../../../extension/chat/go-on.ts";
import type { TranscriptItem } from "../../../webview/protocol/items.ts";
import type { ToPanel } from "../../../webview/protocol/to-panel.ts";
import { fixtureAgent, isAlive } from "../../support/fixture-agent.ts";
import { openChat as openFixtureChat } from "../../support/open-chat.ts";

let folder: string;
let sessionFile: string;
let chats: Chat[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tiller-chat-"));
  sessionFile = join(folder, "session.json");
  chats = [];
});
afterEach(async () => {
  await Promise.all(chats.map((chat) => chat.dispose()));
  await rm(folder, { recursive: true });
});

/** A chat that ends with the test. */
function openChat(changes: Partial<ChatPorts> = {}) {
  const opened = openFixtureChat(folder, changes);
  chats.push(opened.chat);
  return opened;
}

/** The transcript as lines: who says what. */
function lines(items: readonly TranscriptItem[]): string[] {
  return items.flatMap((item) => {
    if (item.kind === "prompt" || item.kind === "text" || item.kind === "notice") return [`${item.kind}: ${item.text}`];
    if (item.kind === "question") return [`question ${item.state}: ${item.title}`];
    return [];
  });
}

describe("Chat", () => {
  test("a message starts the agent and is answered in the transcript", async () => {
    const { chat, seen, items, ui } = openChat();
    await chat.prompt({ text: "hello", delivery: "steer" });
    await expect.poll(() => lines(items())).toEqual(["prompt: hello", "text: You said: hello"]);
    await expect.poll(ui).toMatchObject({ status: "idle", modelLabel: "Demo", mode: { label: "Ask First" } });
    expect(ui().banner?.action?.command).toBe("tiller.setUpModel");
    expect(seen.sessions).toEqual([sessionFile]);
  });

  test("another model that continues is shown as the selected one", async () => {
    const { chat, ui } = openChat();
    await chat.prompt({ text: "hello", delivery: "steer" });
    await expect.poll(ui).toMatchObject({ modelLabel: "Demo" });
    await chat.prompt({ text: "fallback Spare", delivery: "steer" });
    await expect.poll(ui).toMatchObject({ modelLabel: "Spare" });
  });

  test("a message that the agent refuses returns to the composer, with the reason in the transcript", async () => {
    const { chat, seen, items } = openChat();
    await chat.prompt({ text: "refuse", delivery: "steer" });
    expect(seen.drafts).toEqual(["refuse"]);
    expect(lines(items())).toEqual(["notice: Couldn't send the message. No API key found for anthropic."]);
  });

  test("an agent without the command retry gets a message to continue", async () => {
    const { chat, items } = openChat();
    await chat.prompt({ text: "hello", delivery: "steer" });
    await expect.poll(() => lines(items())).toHaveLength(2);
    await tryAgain(chat);
    await expect.poll(() => lines(items())[2]).toMatch(/^prompt: You were interrupted/);
  });

  test("a second request to try again is covered by the first", async () => {
    const { chat } = openChat();
    await chat.prompt({ text: "fail", delivery: "steer" });
    await tryAgain(chat);
    await expect(tryAgain(chat)).resolves.toBeUndefined();
  });

  test("a summary that the user stops is not a failure, whatever the agent's error text", async () => {
    const { chat } = openChat();
    await chat.prompt({ text: "hello", delivery: "steer" });
    await expect(compactNow(chat, "stop")).resolves.toBeUndefined();
    await expect(compactNow(chat, "")).rejects.toThrow("No summary.");
  });

  test("the plan is read again when steps have been removed from it", async () => {
    const { chat, ui } = openChat();
    await chat.prompt({ text: "hello", delivery: "steer" });
    await expect.poll(() => ui().plan).toEqual({ phases: [], hiddenTasks: 0 });
    await chat.prompt({ text: "plan act", delivery: "steer" });
    const task = { id: "task-1", text: "act", state: "pending" };
    await expect
      .poll(() => ui().plan)
      .toEqual({ phases: [{ id: "phase-1", name: "Plan", tasks: [task] }], hiddenTasks: 0 });
  });

  test("a change by an extension of the agent is shown", async () => {
    const { chat, items } = openChat();
    await chat.prompt({ text: "elsewhere", delivery: "steer" });
    await expect.poll(() => lines(items())).toContain("prompt: from another branch");
    expect(lines(items())).not.toContain("prompt: elsewhere");
  });

  test("stop() ends the run", async () => {
    const { chat, items, ui } = openChat();
    await chat.prompt({ text: "hang", delivery: "steer" });
    await expect.poll(() => ui().status).toBe("running");
    await chat.stop();
    await expect.poll(() => ui().status).toBe("idle");
    expect(lines(items())).toEqual(["prompt: hang", "notice: Stopped"]);
  });

  test("an answer from the panel reaches the agent once", async () => {
    const { chat, items } = openChat();
    await chat.prompt({ text: "select", delivery: "steer" });
    await expect.poll(() => chat.questions.pending).toHaveLength(1);
    const id = chat.questions.pending[0]?.request.id ?? "";
    expect(chat.questions.answer(id, { type: "value", value: "Deny" })).toBe(true);
    expect(chat.questions.answer(id, { type: "value", value: "Allow once" })).toBe(false);
    await expect
      .poll(() => lines(items()))
      .toEqual(["prompt: select", "question answered: Allow bash? make", 'text: {"value":"Deny"}']);
  });

  test("a call of a host tool runs, and its result is sent back", async () => {
    const { chat, seen, items } = openChat();
    await chat.prompt({ text: 'tool vscode_open_file {"path":"a"}', delivery: "steer" });
    await expect.poll(() => lines(items()).at(-1)).toBe('text: {"result":{"content":[]}}');
    expect(seen.calls.map(({ toolName, arguments: args }) => [toolName, args])).toEqual([
      ["vscode_open_file", { path: "a" }],
    ]);
  });

  test("after a crash the transcript stays, open questions close, and the agent restarts", async () => {
    const { chat, items, ui } = openChat();
    await chat.prompt({ text: "select", delivery: "steer" });
    await expect.poll(() => chat.questions.pending).toHaveLength(1);
    const { pid } = chat.agent;
    process.kill(pid ?? 0, "SIGKILL");
    await expect.poll(() => ui().status).toBe("crashed");
    expect(lines(items())).toEqual([
      "prompt: select",
      "question cancelled: Allow bash? make",
      "notice: The agent crashed (SIGKILL). Restarting in 1s…",
    ]);
    expect(chat.questions.pending).toEqual([]);
    await expect.poll(() => ui().status, { timeout: 10_000 }).toBe("idle");
    expect(chat.agent.pid).not.toBe(pid);
    expect(lines(items())).toHaveLength(3);
    expect(items().at(-1)).toMatchObject({
      level: "warning",
      text: "The agent crashed and was restarted.",
      detail: "The agent crashed (SIGKILL).",
      action: { label: "Continue", command: "tiller.continueRun" },
      secondAction: { label: "Copy Report", command: "tiller.copyReport" },
    });
    const { id } = items().at(-1) ?? {};
    await continueRun(chat);
    await expect.poll(() => lines(items())).toHaveLength(5);
    expect(items().find((item) => item.id === id)).toEqual({
      id,
      kind: "notice",
      level: "warning",
      text: "The agent crashed and was restarted.",
      detail: "The agent crashed (SIGKILL).",
      action: { label: "Copy Report", command: "tiller.copyReport" },
    });
  });

  test("after a crash of an idle agent there is nothing to continue", async () => {
    const { chat, items, ui } = openChat();
    await chat.prompt({ text: "hello", delivery: "steer" });
    await expect.poll(() => ui().status).toBe("idle");
    process.kill(chat.agent.pid ?? 0, "SIGKILL");
    await expect.poll(() => ui().status).toBe("crashed");
    await expect.poll(() => ui().status, { timeout: 10_000 }).toBe("idle");
    expect(items().at(-1)).toMatchObject({
      level: "info",
      text: "The agent crashed and was restarted.",
      action: { label: "Copy Report", command: "tiller.copyReport" },
    });
  });

  test("messages that were queued when the user stops the run return to the composer", async () => {
    const { chat, seen, ui } = openChat();
    await chat.prompt({ text: "queue", delivery: "steer" });
    await expect.poll(() => ui().followUp).toEqual(["go home"]);
    await chat.stop();
    expect(seen.drafts).toEqual(["first\n\nsecond"]);
  });

  test("messages that were queued when the agent crashed return to the composer", async () => {
    const { chat, seen, ui } = openChat();
    await chat.prompt({ text: "queue", delivery: "steer" });
    await expect.poll(() => ui().followUp).toEqual(["go home"]);
    process.kill(chat.agent.pid ?? 0, "SIGKILL");
    await expect.poll(() => seen.drafts).toEqual(["left and right\n\ngo home"]);
  });

  test("the crash card shows the exit code and the last output", async () => {
    const { chat, items, ui } = openChat();
    await chat.prompt({ text: "die", delivery: "steer" });
    await expect.poll(() => ui().status).toBe("crashed");
    expect(items().find((item) => item.kind === "notice")).toMatchObject({
      text: "The agent exited with code 7. Restarting in 1s…",
      detail: "Error: out of luck",
      action: { label: "Restart Agent", command: "tiller.restartAgent" },
      secondAction: { label: "Copy Report", command: "tiller.copyReport" },
    });
  });

  test("an agent that cannot be started is shown in an empty chat, and is not restarted", async () => {
    const { chat, seen, items, ui } = openChat({
      launch: async () => ({ ...fixtureAgent("chat-agent"), file: "/no/agent" }),
    });
    await chat.prompt({ text: "hello", delivery: "steer" });
    expect(ui().status).toBe("crashed");
    expect(seen.drafts).toEqual(["hello"]);
    expect(lines(items())).toEqual([]);
    expect(ui().setup).toEqual({
      kind: "noAgent",
      text: `Couldn't start the agent "/no/agent" in ${tmpdir()}: spawn /no/agent ENOENT.`,
      action: { label: "Restart Agent", command: "tiller.restartAgent" },
    });
  });

  test("a reopened window shows the session as before", async () => {
    await writeFile(sessionFile, JSON.stringify([{ role: "user", content: "from yesterday", timestamp: 1 }]));
    const { chat, items, ui } = openChat();
    chat.wake();
    await expect.poll(() => ui().status).toBe("idle");
    expect(lines(items())).toEqual(["prompt: from yesterday"]);
  });

  test("a run that ended with its window is reported once, with a button to continue", async () => {
    const first = openChat();
    await first.chat.prompt({ text: "hang", delivery: "steer" });
    await expect.poll(() => first.seen.isRunning).toBe(true);
    await first.chat.dispose();
    const second = openChat();
    second.seen.isRunning = true;
    await second.chat.request("get_state", {});
    expect(second.items().at(-1)).toMatchObject({
      text: "The agent stopped during a run. Its work may be unfinished.",
      action: { label: "Continue", command: "tiller.continueRun" },
    });
    expect(second.seen.isRunning).toBe(false);
    await second.chat.restart();
    expect(lines(second.items())).toHaveLength(2);
    const { id } = second.items().at(-1) ?? {};
    await continueRun(second.chat);
    await expect.poll(() => lines(second.items())).toHaveLength(4);
    expect(second.items().find((item) => item.id === id)).not.toHaveProperty("action");
  });

  test("two pages show the same conversation, each from its own starting point", async () => {
    const { chat, items } = openChat();
    const second: ToPanel[] = [];
    const feed = chat.transcript.feed({
      send: (message) => second.push(message),
      draft: () => ({ chat: "s1", text: "", at: 0 }),
    });
    await chat.prompt({ text: "hello", delivery: "steer" });
    await expect.poll(() => lines(items())).toHaveLength(2);
    feed.setVisible(true);
    await chat.prompt({ text: "again", delivery: "steer" });
    await expect.poll(() => lines(items())).toHaveLength(4);
    await expect.poll(() => second.some((message) => message.type === "patch")).toBe(true);
    expect(second[0]).toMatchObject({ type: "snapshot", revision: 1 });
    expect(second.map((message) => (message.type === "patch" ? message.revision : 1))).toEqual(
      second.map((_, at) => at + 1),
    );
    feed.dispose();
  });

  test("a fork continues before a message, which returns to the composer", async () => {
    const { chat, seen, items } = openChat();
    await chat.prompt({ text: "one", delivery: "steer" });
    await expect.poll(() => lines(items())).toHaveLength(2);
    await chat.prompt({ text: "two", delivery: "steer" });
    await expect.poll(() => lines(items())).toHaveLength(4);
    await chat.setMode("auto");
    const { key } = chat.session;
    await forkFrom(chat, "2");
    expect(lines(items())).toEqual(["prompt: one", "text: You said: one"]);
    expect(seen.drafts).toEqual(["two"]);
    expect(chat.session.key).not.toBe(key);
    await expect.poll(() => chat.transcript.ui.mode.label).toBe("Ask First");
  });

  test("the title is the first message", async () => {
    const { chat, items } = openChat();
    expect(chat.session.title).toBeUndefined();
    await chat.prompt({ text: "one\ntwo", delivery: "steer" });
    await expect.poll(() => lines(items())).toHaveLength(2);
    await chat.prompt({ text: "three", delivery: "steer" });
    await expect.poll(() => lines(items())).toHaveLength(4);
    expect(chat.session.title).toBe("one two");
  });

  test("queued messages can be moved to the input", async () => {
    const { chat, seen } = openChat();
    await chat.outbox.clearQueue();
    expect(seen.drafts).toEqual(["first\n\nsecond"]);
  });

  test("nothing starts in an untrusted workspace, and a message returns", async () => {
    const { chat, seen, ui } = openChat({ blockedBy: () => "untrusted" });
    chat.wake();
    expect(ui().status).toBe("untrusted");
    await chat.prompt({ text: "hello", delivery: "steer" });
    expect(seen.drafts).toEqual(["hello"]);
    expect(chat.agent.pid).toBeUndefined();
  });

  test("restart() replaces the process and continues with the same transcript", async () => {
    const { chat, items } = openChat();
    await chat.prompt({ text: "hello", delivery: "steer" });
    await expect.poll(() => lines(items())).toHaveLength(2);
    const { pid } = chat.agent;
    await chat.restart();
    expect(isAlive(pid ?? 0)).toBe(false);
    expect(chat.agent.pid).not.toBe(pid);
    expect(lines(items())).toEqual(["prompt: hello", "text: You said: hello"]);
    expect(JSON.parse(await readFile(sessionFile, "utf8"))).toHaveLength(2);
  });

  test("dispose() ends the process", async () => {
    const { chat } = openChat();
    await chat.request("get_state", {});
    const { pid } = chat.agent;
    await chat.dispose();
    expect(isAlive(pid ?? 0)).toBe(false);
  });
});
