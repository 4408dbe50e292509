import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { PermissionMode } from "../../../agent/protocol/approvals.ts";
import type { Chat } from "../../../extension/chat/chat.ts";
import { readPlanCommand } from "../../../extension/chat/plan-first.ts";
import { SessionMode } from "../../../extension/chat/session-mode.ts";
import { openChat as openFixtureChat } from "../../support/open-chat.ts";
import { ScriptedModel } from "../../support/scripted-model.ts";
import { reply } from "../../support/scripted-replies.ts";
import { BUILT_AGENT } from "../../support/spawn-agent.ts";

const PLAN = "# Add a cache\n\nIt saves requests.\n\n- [ ] Write cache.ts\n- [ ] Use it";

let model: ScriptedModel;
let folder: string;
let chats: Chat[];
let setting: PermissionMode;
beforeEach(async () => {
  model = await ScriptedModel.start();
  folder = await mkdtemp(join(tmpdir(), "tiller-plan-first-"));
  await mkdir(join(folder, "project"));
  chats = [];
  setting = "confirm";
});
afterEach(async () => {
  await Promise.all(chats.map((chat) => chat.dispose()));
  await rm(folder, { recursive: true });
  await model.stop();
});

/** A chat with the built agent; `args` continue a session. */
function openChat(...args: string[]) {
  const mode = new SessionMode(() => setting);
  const opened = openFixtureChat(folder, {
    mode,
    launch: async () => ({
      file: process.execPath,
      args: [BUILT_AGENT, "--mode", "rpc", "--permission-mode", mode.current, ...args],
      cwd: join(folder, "project"),
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        PI_CODING_AGENT_DIR: join(folder, "agent"),
        ANTHROPIC_API_KEY: "test-key",
        ANTHROPIC_BASE_URL: model.url,
      },
    }),
  });
  chats.push(opened.chat);
  const agentMode = async () => (await opened.chat.request("get_state", {})).permissionMode;
  return { ...opened, mode, agentMode };
}

async function openWithPlan() {
  const opened = openChat();
  model.enqueue(reply(PLAN));
  await opened.chat.prompt({ text: "/plan Add a cache", delivery: "steer" });
  await expect.poll(() => opened.ui().proposedPlan).toBe("Add a cache");
  return opened;
}

const heard = () => JSON.stringify(model.requests.at(-1)?.body.messages.at(-1));

describe("/plan", () => {
  test("switches to plan mode and sends the rest of the message", async () => {
    const { ui, agentMode } = await openWithPlan();
    expect(heard()).toContain("Add a cache");
    expect(heard()).not.toContain("/plan");
    expect(await agentMode()).toBe("plan");
    expect(ui().mode.label).toBe("Plan First");
  });

  test("alone only switches the mode", async () => {
    const { chat, ui } = openChat();
    await chat.prompt({ text: "/plan", delivery: "steer" });
    expect(ui().mode.label).toBe("Plan First");
    expect(model.requests).toEqual([]);
  });

  test("is no other word", () => {
    expect(readPlanCommand("/planet x")).toBeUndefined();
    expect(readPlanCommand("make a /plan")).toBeUndefined();
    expect(readPlanCommand(" /plan\nfirst line\nsecond ")).toBe("first line\nsecond");
  });
});

describe("a proposed plan", () => {
  test("starts in the mode that the user selects, with its steps as tasks", async () => {
    const { chat, ui, agentMode } = await openWithPlan();
    model.enqueue(reply("Done, except for the tasks?"));
    await chat.planFirst.start("auto-edit");
    await expect.poll(() => model.requests.length).toBe(2);
    expect(heard()).toContain("Carry out this plan");
    expect(heard()).toContain("It saves requests.");
    expect(ui().proposedPlan).toBeUndefined();
    expect(ui().plan?.phases[0]?.tasks.map(({ text }) => text)).toEqual(["Write cache.ts", "Use it"]);
    expect(await agentMode()).toBe("auto-edit");
    await expect.poll(() => ui().status).toBe("idle");
  });

  test("can be changed as a text, and the changed one starts", async () => {
    const { chat, ui } = await openWithPlan();
    expect(await chat.planFirst.read()).toBe(PLAN);
    await chat.planFirst.revise("# Smaller\n\n- [ ] Only this");
    expect(ui().proposedPlan).toBe("Smaller");
    model.enqueue(reply("Done?"));
    await chat.planFirst.start("confirm");
    await expect.poll(() => model.requests.length).toBe(2);
    expect(heard()).toContain("Only this");
    expect(heard()).not.toContain("Write cache.ts");
    await expect.poll(() => ui().status).toBe("idle");
  });

  test("is discarded together with the mode", async () => {
    const { chat, ui, agentMode } = await openWithPlan();
    await chat.planFirst.discard();
    expect(ui().proposedPlan).toBeUndefined();
    expect(await agentMode()).toBe("confirm");
    await expect(chat.planFirst.read()).rejects.toThrow("There's no plan to start.");
  });

  test("makes room for the next message", async () => {
    const { chat, ui } = await openWithPlan();
    model.enqueue(reply("I see."));
    await chat.prompt({ text: "Use no files.", delivery: "steer" });
    await expect.poll(() => ui().proposedPlan).toBeUndefined();
    await expect.poll(() => ui().status).toBe("idle");
    expect(ui().proposedPlan).toBeUndefined();
  });

  test("is there again in another window, in plan mode", async () => {
    const { chat } = await openWithPlan();
    await chat.dispose();
    const { chat: next, ui, agentMode } = openChat("--continue");
    next.wake();
    await expect.poll(() => ui().proposedPlan).toBe("Add a cache");
    await expect.poll(agentMode).toBe("plan");
  });

  test("never loosens settings that allow only reading", async () => {
    const { chat } = await openWithPlan();
    await chat.dispose();
    setting = "readonly";
    const { chat: next, ui, agentMode } = openChat("--continue");
    next.wake();
    await expect.poll(() => ui().proposedPlan).toBe("Add a cache");
    expect(await agentMode()).toBe("readonly");
  });
});
