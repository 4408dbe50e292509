import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Chat } from "../../../extension/chat/chat.ts";
import { ChatHub, type ChatView } from "../../../extension/window/chat-hub.ts";
import { isAlive } from "../../support/fixture-agent.ts";
import { openChat } from "../../support/open-chat.ts";

let folder: string;
let hub: ChatHub;
let maxRunning: number;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tiller-hub-"));
  maxRunning = 4;
  hub = new ChatHub({
    create: (start) => {
      const { chat } = openChat(folder, {
        beforeLaunch: () => hub.makeRoom(chat),
        start: { ...start, file: join(folder, `${start.key}.json`) },
        changed: () => hub.chatChanged(chat),
      });
      return chat;
    },
    fileOf: () => undefined,
    maxRunning: () => maxRunning,
    changed: () => {},
  });
});
afterEach(async () => {
  await hub.dispose();
  await rm(folder, { recursive: true });
});

function show(chat: Chat, isVisible = true): ChatView {
  const view = { chat, isVisible };
  hub.focus(view);
  return view;
}

async function opened(text = "hello"): Promise<Chat> {
  const chat = hub.openNew();
  show(chat, false);
  await chat.prompt({ text: text, delivery: "steer" });
  return chat;
}

const pidOf = (chat: Chat): number => chat.agent.pid ?? 0;

describe("ChatHub", () => {
  test("leaves no process after ten sessions were opened and closed", async () => {
    maxRunning = 10;
    const chats = await Promise.all(Array.from({ length: 10 }, () => opened()));
    const pids = chats.map(pidOf);
    expect(pids.filter(isAlive)).toHaveLength(10);
    await Promise.all(chats.slice(0, 5).map((chat) => hub.close(chat)));
    expect(pids.filter(isAlive)).toHaveLength(5);
    await hub.dispose();
    expect(pids.filter(isAlive)).toEqual([]);
  });

  test("ends the agent that was idle longest to start another, and its conversation continues when it is used", async () => {
    maxRunning = 2;
    const first = await opened("one");
    await expect.poll(() => hub.statusOf(first)).toBe("done");
    const second = await opened("two");
    await expect.poll(() => hub.statusOf(second)).toBe("done");
    const firstPid = pidOf(first);
    await opened("three");
    expect(isAlive(firstPid)).toBe(false);
    expect(first.transcript.ui.status).toBe("stopped");
    expect(isAlive(pidOf(second))).toBe(true);
    const { messages } = await first.request("get_messages", {});
    expect(messages[0]).toMatchObject({ role: "user", content: "one" });
  });

  test("does not end a working agent to start another", async () => {
    maxRunning = 1;
    const busy = await opened("hang");
    await expect.poll(() => hub.statusOf(busy)).toBe("running");
    const other = await opened("hello");
    expect(hub.statusOf(other)).toBe("crashed");
    expect(isAlive(pidOf(busy))).toBe(true);
    await busy.stop();
    await expect.poll(() => hub.statusOf(busy)).not.toBe("running");
    await other.restart();
    expect(hub.statusOf(other)).toBe("idle");
  });

  test("starts requested agents one after the other when there is room for only one", async () => {
    maxRunning = 1;
    const chats = Array.from({ length: 3 }, () => show(hub.openNew(), false).chat);
    await Promise.all(chats.map((chat) => chat.agent.start()));
    expect(chats.map((chat) => hub.statusOf(chat))).not.toContain("crashed");
    await expect.poll(() => chats.filter((chat) => chat.agent.pid !== undefined)).toHaveLength(1);
  });

  test("does not end an agent that waits for an answer", async () => {
    maxRunning = 1;
    const asking = await opened("select");
    await expect.poll(() => hub.statusOf(asking)).toBe("asking");
    expect(hub.pending.length).toBe(1);
    expect(hub.statusOf(await opened())).toBe("crashed");
    expect(isAlive(pidOf(asking))).toBe(true);
  });

  test("marks a run that ended unseen until the user looks at the chat", async () => {
    const chat = hub.openNew();
    const view = show(chat, false);
    await chat.prompt({ text: "hello", delivery: "steer" });
    await expect.poll(() => hub.statusOf(chat)).toBe("done");
    hub.focus({ ...view, isVisible: true });
    expect(hub.statusOf(chat)).toBe("idle");
  });

  test("keeps other agents running when one crashes", async () => {
    const first = await opened();
    const second = await opened();
    const secondPid = pidOf(second);
    process.kill(pidOf(first), "SIGKILL");
    await expect.poll(() => hub.statusOf(first)).toBe("crashed");
    expect(pidOf(second)).toBe(secondPid);
    await expect.poll(() => first.transcript.ui.status, { timeout: 10_000 }).toBe("idle");
  });

  test("does not open an open session twice", async () => {
    const chat = await opened();
    expect(hub.open({ key: chat.session.key })).toBe(chat);
    expect(hub.open({ file: chat.session.file })).toBe(chat);
    expect(hub.open({ key: "another" })).not.toBe(chat);
  });

  test("closes an empty chat when no view shows it any more", async () => {
    const chat = hub.openNew();
    const view = show(chat);
    await chat.request("get_state", {});
    const pid = pidOf(chat);
    hub.viewClosed(view);
    expect(hub.chats).not.toContain(chat);
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test("sends commands to the chat that the user was in last", async () => {
    const side = show(hub.openNew());
    const tab = show(hub.openNew());
    expect(hub.focused).toBe(tab.chat);
    hub.focus(side);
    expect(hub.focused).toBe(side.chat);
    hub.viewClosed(side);
    expect(hub.focused).toBe(tab.chat);
  });
});
