import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { HostToolDefinition } from "../../../../agent/protocol/host-tools.ts";
import type { Chat } from "../../../../extension/chat/chat.ts";
import { openChat } from "../../../support/open-chat.ts";
import { BUILT_AGENT } from "../../../support/spawn-agent.ts";

let folder: string;
let chat: Chat;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tiller-host-tools-"));
});
afterEach(async () => {
  await chat.dispose();
  await rm(folder, { recursive: true });
});

/** A tool with nothing but a name. */
function tool(name: string): HostToolDefinition {
  return { name, description: "Does nothing.", parameters: { type: "object" } };
}

/** A chat with the built agent, whose host tools are one of Tiller's own and those that `added` holds by then. */
function openWith(added: readonly HostToolDefinition[]): Chat {
  const own = [tool("own_tool")];
  const hostTools = {
    get definitions() {
      return [...own, ...added];
    },
    ownDefinitions: own,
    call: async () => {},
    cancel: () => {},
    cancelAll: () => {},
  };
  const env = { PATH: process.env.PATH, HOME: folder, PI_CODING_AGENT_DIR: join(folder, "agent") };
  const args = [BUILT_AGENT, "--mode", "rpc", "--no-session"];
  return openChat(folder, { hostTools, launch: async () => ({ file: process.execPath, args, cwd: folder, env }) }).chat;
}

/** The names of the tools that the model gets. */
async function toolNames(): Promise<string[]> {
  const { dumpTools = [] } = await chat.request("get_state", { omit: ["systemPrompt"] });
  return dumpTools.map(({ name }) => name);
}

describe("tools of other extensions", () => {
  test("reach a running agent, and disappear when they are removed", async () => {
    const added: HostToolDefinition[] = [];
    chat = openWith(added);
    expect(await toolNames()).toEqual(expect.arrayContaining(["own_tool"]));
    added.push(tool("guest_tool"));
    await chat.agent.lendTools();
    expect(await toolNames()).toEqual(expect.arrayContaining(["own_tool", "guest_tool"]));
    added.pop();
    await chat.agent.lendTools();
    expect(await toolNames()).not.toContain("guest_tool");
  });

  test("are not announced again while they stay the same", async () => {
    const added: HostToolDefinition[] = [];
    chat = openWith(added);
    const { trace } = chat.transcript;
    trace.configure({ isEnabled: true, maxChars: 1_000_000 });
    await toolNames();
    await chat.agent.lendTools();
    added.push(tool("guest_tool"));
    await chat.agent.lendTools();
    await chat.agent.lendTools();
    const lists = trace
      .after(-1)
      .filter(({ direction, text }) => direction === "out" && text.includes('"set_host_tools"'));
    expect(lists.map(({ text }) => text.includes("guest_tool"))).toEqual([false, true]);
  });

  test("do not remove Tiller's own tools when the agent refuses one of them", async () => {
    chat = openWith([tool("bash"), tool("guest_tool")]);
    const names = await toolNames();
    expect(names).toContain("own_tool");
    expect(names).not.toContain("guest_tool");
  });

  test("are announced to a stopped agent when it starts", async () => {
    chat = openWith([tool("guest_tool")]);
    await chat.agent.lendTools();
    expect(chat.agent.client).toBeUndefined();
    expect(await toolNames()).toContain("guest_tool");
  });
});
