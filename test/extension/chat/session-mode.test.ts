import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PermissionMode } from "../../../agent/protocol/approvals.ts";
import type { Chat } from "../../../extension/chat/chat.ts";
import { modeFace, SessionMode, uncontainedFace } from "../../../extension/chat/session-mode.ts";
import { openChat as openFixtureChat } from "../../support/open-chat.ts";

let folder: string;
let chats: Chat[];
let setting: PermissionMode;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tiller-mode-"));
  chats = [];
  setting = "confirm";
});
afterEach(async () => {
  await Promise.all(chats.map((chat) => chat.dispose()));
  await rm(folder, { recursive: true });
});

function openChat() {
  const mode = new SessionMode(() => setting);
  const opened = openFixtureChat(folder, { mode });
  chats.push(opened.chat);
  const agentMode = async () => (await opened.chat.request("get_state", {})).permissionMode;
  const notices = () => opened.items().flatMap((item) => (item.kind === "notice" ? [item.text] : []));
  return { ...opened, mode, agentMode, notices };
}

async function crash(chat: Chat): Promise<void> {
  const { pid } = chat.agent;
  process.kill(pid ?? 0, "SIGKILL");
  await expect.poll(() => chat.transcript.ui.status).toBe("crashed");
  await expect.poll(() => chat.transcript.ui.status, { timeout: 10_000 }).toBe("idle");
}

test("each mode has an icon that the page can draw", async () => {
  const style = await readFile(new URL("../../../webview/style/icons.css", import.meta.url), "utf8");
  for (const mode of PermissionMode.options) expect(style).toContain(`.codicon-${modeFace(mode).icon}::before`);
  expect(style).toContain(`.codicon-${uncontainedFace("").icon}::before`);
});

describe("the permission mode", () => {
  test("changes in the running agent without a restart", async () => {
    const { chat, ui, agentMode } = openChat();
    await chat.request("get_state", {});
    const { pid } = chat.agent;
    await chat.setMode("auto");
    expect(await agentMode()).toBe("auto");
    expect(ui().mode.label).toBe("Full Access");
    expect(chat.agent.pid).toBe(pid);
  });

  test("selected before the agent runs is used at its start", async () => {
    const { chat, ui, agentMode } = openChat();
    await chat.setMode("readonly");
    expect(ui().mode.label).toBe("Read-Only");
    expect(chat.agent.pid).toBeUndefined();
    expect(await agentMode()).toBe("readonly");
  });

  test("of the settings applies as soon as it changes, even over a selected one", async () => {
    const { chat, ui, agentMode } = openChat();
    await chat.request("get_state", {});
    await chat.setMode("auto");
    setting = "auto-edit";
    await chat.followModeSetting();
    expect(await agentMode()).toBe("auto-edit");
    expect(ui().mode.label).toBe("Auto-Edit");
  });

  test("is the sandboxed one from the answer on that uses the sandbox", async () => {
    const { chat, ui, mode, agentMode } = openChat();
    await chat.request("get_state", {});
    const [once, deny, option] = ["Allow once", "Deny", "Run commands in a sandbox"] as const;
    const approval = { toolCallId: "t1", tool: "bash", subject: "npm test", reasons: [], once, deny, rules: [] };
    const ask = (id: string) =>
      chat.asked.take({
        type: "extension_ui_request",
        id,
        method: "select",
        title: "Allow bash? npm test",
        options: [once, option, deny],
        approval: { ...approval, sandbox: { option, text: "Commands can run in a sandbox here." } },
      });
    ask("one");
    chat.questions.answer("one", { type: "value", value: once });
    expect(mode.current).toBe("confirm");
    ask("two");
    chat.questions.answer("two", { type: "value", value: option });
    expect(mode.current).toBe("sandboxed");
    await expect.poll(agentMode).toBe("sandboxed");
    await expect.poll(() => ui().mode.label).toBe("Sandboxed");
  });

  test("survives a crash of the agent", async () => {
    const { chat, agentMode } = openChat();
    await chat.request("get_state", {});
    await chat.setMode("readonly");
    await crash(chat);
    expect(await agentMode()).toBe("readonly");
  });

  test("returns to the setting when an agent with full access ends, and the chat says so", async () => {
    const { chat, agentMode, notices } = openChat();
    await chat.request("get_state", {});
    await chat.setMode("auto");
    await crash(chat);
    expect(await agentMode()).toBe("confirm");
    expect(notices()).toContain(
      "Full Access ended when the agent stopped. The permission mode from your settings applies again.",
    );
  });

  test("of the settings can be full access, which then stays", async () => {
    setting = "auto";
    const { chat, agentMode, notices } = openChat();
    await chat.request("get_state", {});
    await chat.setMode("auto");
    await chat.restart();
    expect(await agentMode()).toBe("auto");
    expect(notices()).toEqual([]);
  });

  test("that the agent refuses is an error, and the chat shows the one that applies", async () => {
    const { chat, mode, ui } = openChat();
    await chat.request("get_state", {});
    await chat.prompt({ text: "fix the mode", delivery: "steer" });
    await expect.poll(() => chat.transcript.ui.status).toBe("idle");
    await expect(chat.setMode("auto")).rejects.toThrow("The mode is fixed.");
    expect(ui().mode.label).toBe("Ask First");
    expect(mode.current).toBe("confirm");
  });
});
