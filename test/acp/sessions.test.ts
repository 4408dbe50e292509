import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AcpClient } from "../support/acp-client.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, text, thinking, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let client: AcpClient;
const others: AcpClient[] = [];

beforeEach(async () => {
  model = await ScriptedModel.start();
  client = await AcpClient.start({ modelUrl: model.url });
});

afterEach(async () => {
  for (const other of others.splice(0)) await other.dispose();
  await client.dispose();
  await model.stop();
});

/** Another process for the same user. */
async function restart(): Promise<AcpClient> {
  await client.end();
  const next = await AcpClient.start({ modelUrl: model.url, home: client.home });
  others.push(next);
  return next;
}

/** A session with a thought, a text, a failed and a successful call. */
async function talk(): Promise<string> {
  const write = toolCall("todo_write", {
    ops: [{ op: "replace", phases: [{ name: "P", tasks: [{ content: "Look", status: "completed" }] }] }],
  });
  model.enqueue(
    reply([
      thinking("hm"),
      text("Looking."),
      toolCall("ls", { path: "." }),
      toolCall("read", { path: "no.txt" }),
      write,
    ]),
    reply("Nothing here."),
  );
  const session = await client.newSession();
  await client.prompt(session, "look around");
  return session;
}

/** What a client has seen of a conversation, without IDs and without what only a running turn has. */
function seen(of: AcpClient): unknown[] {
  const chunks = new Map<string, string>();
  const calls = new Map<string, object>();
  for (const { update } of of.notifications) {
    if (update.sessionUpdate.endsWith("_chunk") && "content" in update && !Array.isArray(update.content)) {
      const key = `${update.sessionUpdate}`;
      if (update.content && "text" in update.content) chunks.set(key, (chunks.get(key) ?? "") + update.content.text);
    } else if (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update") {
      const { sessionUpdate: _, ...fields } = update;
      calls.set(update.toolCallId, { ...calls.get(update.toolCallId), ...fields });
    }
  }
  chunks.delete("user_message_chunk");
  return [[...chunks], [...calls.values()]];
}

describe("a session", () => {
  it("that is loaded in another process shows the same conversation, and goes on", async () => {
    const session = await talk();
    const again = await restart();
    const { modes, configOptions } = await again.agent.request("session/load", {
      sessionId: session,
      cwd: client.cwd,
      mcpServers: [],
    });
    expect(modes?.currentModeId).toBe("confirm");
    expect(configOptions?.map(({ id }) => id)).toEqual(["mode", "model", "thinking"]);
    expect(again.updates("user_message_chunk").map(({ content }) => content)).toEqual([
      { type: "text", text: "look around" },
    ]);
    expect(seen(again)).toEqual(seen(client));
    expect(again.updates("plan").at(-1)?.entries).toEqual([
      { content: "Look", status: "completed", priority: "medium" },
    ]);
    model.enqueue(reply("Yes."));
    expect(await again.prompt(session, "sure?")).toBe("end_turn");
    expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain("Nothing here.");
  });

  it("that is resumed goes on without a replay", async () => {
    const session = await talk();
    const again = await restart();
    await again.agent.request("session/resume", { sessionId: session, cwd: client.cwd });
    model.enqueue(reply("Yes."));
    expect(await again.prompt(session, "sure?")).toBe("end_turn");
    expect(again.said()).toBe("Yes.");
    expect(again.updates("user_message_chunk")).toEqual([]);
  });

  it("can be opened in RPC mode later, with everything in it", async () => {
    const session = await talk();
    await client.end();
    const agent = new AgentUnderTest({
      modelUrl: model.url,
      cwd: client.cwd,
      agentDir: join(client.home, "agent"),
      args: ["--session", session],
    });
    const { messages } = await agent.call("get_messages");
    expect(JSON.stringify(messages)).toContain("Nothing here.");
    await agent.dispose();
  });

  it("is listed with its folder and title, and only for its folder if the client names one", async () => {
    const session = await talk();
    const other = join(client.cwd, "other");
    mkdirSync(other);
    const all = await client.agent.request("session/list", {});
    expect(all.sessions).toEqual([
      { sessionId: session, cwd: client.cwd, title: "look around", updatedAt: expect.stringMatching(/^20\d\d-.*Z$/) },
    ]);
    expect((await client.agent.request("session/list", { cwd: client.cwd })).sessions).toHaveLength(1);
    expect((await client.agent.request("session/list", { cwd: other })).sessions).toEqual([]);
    await expect(client.agent.request("session/list", { cursor: "nonsense" })).rejects.toMatchObject({ code: -32602 });
  });

  it("that is not on the first page of the list is on the next one, and can be opened", async () => {
    model.enqueue(reply("hello"));
    const first = await client.newSession();
    await client.prompt(first, "hi");
    await client.agent.request("session/close", { sessionId: first });
    const file = readdirSync(client.home, { recursive: true, encoding: "utf8" }).find((path) =>
      path.endsWith(".jsonl"),
    );
    const path = join(client.home, file ?? "no session file");
    const text = readFileSync(path, "utf8");
    const ids = Array.from({ length: 121 }, (_, index) => `${first.slice(0, -3)}${index + 100}`);
    const copies = ids.filter((id) => id !== first).slice(0, 120);
    for (const id of copies) writeFileSync(path.replaceAll(first, id), text.replaceAll(first, id));
    const page = await client.agent.request("session/list", { cwd: client.cwd });
    expect(page.sessions).toHaveLength(100);
    const next = await client.agent.request("session/list", { cwd: client.cwd, cursor: page.nextCursor });
    expect(next.sessions).toHaveLength(21);
    expect(next.nextCursor).toBeUndefined();
    const listed = [...page.sessions, ...next.sessions].map(({ sessionId }) => sessionId);
    expect(listed.toSorted()).toEqual([first, ...copies].toSorted());
    const sessionId = next.sessions[0]?.sessionId ?? "";
    await client.agent.request("session/load", { sessionId, cwd: client.cwd, mcpServers: [] });
    expect(client.said(sessionId)).toBe("hello");
  });

  it("can be forked while it is open: the fork has the conversation, and its own future", async () => {
    const session = await talk();
    const fork: { sessionId: string } = await client.agent.request("session/fork", {
      sessionId: session,
      cwd: client.cwd,
      mcpServers: [],
    });
    expect(fork.sessionId).not.toBe(session);
    model.enqueue(reply("Forked."));
    await client.prompt(fork.sessionId, "go another way");
    const messages = JSON.stringify(model.requests.at(-1)?.body.messages);
    expect(messages).toContain("Nothing here.");
    model.enqueue(reply("Original."));
    await client.prompt(session, "go on");
    expect(JSON.stringify(model.requests.at(-1)?.body.messages)).not.toContain("another way");
  });

  it("that is closed stays on the disk, and can be loaded again", async () => {
    const session = await talk();
    await client.agent.request("session/close", { sessionId: session });
    await expect(client.prompt(session, "more")).rejects.toMatchObject({ code: -32002 });
    await client.agent.request("session/load", { sessionId: session, cwd: client.cwd, mcpServers: [] });
    model.enqueue(reply("Back."));
    expect(await client.prompt(session, "again")).toBe("end_turn");
  });

  it("is opened once, whatever is asked of it at once", async () => {
    const sessionId = await talk();
    await client.agent.request("session/close", { sessionId });
    const session = { sessionId, cwd: client.cwd, mcpServers: [] };
    await Promise.all([
      client.agent.request("session/load", session),
      client.agent.request("session/resume", session),
      client.agent.request("session/load", session),
    ]);
    await client.agent.request("session/close", { sessionId });
    await expect(client.prompt(sessionId, "closed?")).rejects.toMatchObject({ code: -32002 });
    await client.agent.request("session/resume", session);
    await Promise.all([
      client.agent.request("session/close", { sessionId }),
      client.agent.request("session/resume", session),
    ]);
    model.enqueue(reply("Still open."));
    expect(await client.prompt(sessionId, "open?")).toBe("end_turn");
  });

  it("that is deleted is gone from the list, even if it was open", async () => {
    const session = await talk();
    await client.agent.request("session/delete", { sessionId: session });
    expect((await client.agent.request("session/list", {})).sessions).toEqual([]);
    await expect(
      client.agent.request("session/load", { sessionId: session, cwd: client.cwd, mcpServers: [] }),
    ).rejects.toMatchObject({ code: -32002 });
  });

  it("that another process has open isn't opened twice", async () => {
    const session = await talk();
    const second = await AcpClient.start({ modelUrl: model.url, home: client.home });
    others.push(second);
    await expect(
      second.agent.request("session/load", { sessionId: session, cwd: client.cwd, mcpServers: [] }),
    ).rejects.toMatchObject({ code: -32600, message: expect.stringContaining("in use") });
  });

  it("may work in more folders", async () => {
    const other = await AcpClient.start({ modelUrl: model.url, args: ["--permission-mode", "auto-edit"] });
    others.push(other);
    const more = join(other.home, "more");
    mkdirSync(more);
    const { sessionId } = await other.agent.request("session/new", {
      cwd: other.cwd,
      additionalDirectories: [more],
      mcpServers: [],
    });
    model.enqueue(reply([toolCall("write", { path: join(more, "a.txt"), content: "x" })]), reply("done"));
    await other.prompt(sessionId, "write");
    expect(other.permissions).toEqual([]);
    expect(existsSync(join(more, "a.txt"))).toBe(true);
  });
});

describe("choices", () => {
  it("change the permission mode by both ways, and each is told of the other", async () => {
    const session = await client.newSession();
    await client.agent.request("session/set_mode", { sessionId: session, modeId: "auto" });
    expect(client.updates("current_mode_update").at(-1)?.currentModeId).toBe("auto");
    model.enqueue(reply([toolCall("bash", { command: "touch a" })]), reply("done"));
    await client.prompt(session, "touch");
    expect(client.permissions).toEqual([]);
    const { configOptions } = await client.agent.request("session/set_config_option", {
      sessionId: session,
      configId: "mode",
      value: "readonly",
    });
    expect(configOptions[0]).toMatchObject({ id: "mode", category: "mode", currentValue: "readonly" });
    expect(client.updates("current_mode_update").at(-1)?.currentModeId).toBe("readonly");
  });

  it("change the model and its thinking", async () => {
    const session = await client.newSession();
    const set = (configId: string, value: string) =>
      client.agent.request("session/set_config_option", { sessionId: session, configId, value });
    const { configOptions } = await set("model", "anthropic/claude-haiku-4-5");
    expect(configOptions[1]).toMatchObject({ category: "model", currentValue: "anthropic/claude-haiku-4-5" });
    const thinking = await set("thinking", "high");
    expect(thinking.configOptions[2]).toMatchObject({ category: "thought_level", currentValue: "high" });
    model.enqueue(reply("hi"));
    await client.prompt(session, "hello");
    expect(model.requests.at(-1)?.body.model).toContain("haiku");
  });

  it("that don't exist are refused with what there is", async () => {
    const session = await client.newSession();
    const wrong = [
      client.agent.request("session/set_mode", { sessionId: session, modeId: "yolo" }),
      client.agent.request("session/set_config_option", { sessionId: session, configId: "model", value: "gpt-0" }),
      client.agent.request("session/set_config_option", { sessionId: session, configId: "thinking", value: "deep" }),
      client.agent.request("session/set_config_option", { sessionId: session, configId: "color", value: "red" }),
    ];
    for (const result of await Promise.allSettled(wrong)) {
      expect(result).toMatchObject({ status: "rejected", reason: { code: -32602 } });
    }
  });
});
