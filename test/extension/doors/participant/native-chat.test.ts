import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { AgentCommand } from "../../../../agent/client/agent-process.ts";
import type { Chat } from "../../../../extension/chat/chat.ts";
import type { ChatPorts } from "../../../../extension/chat/chat-ports.ts";
import type { ChatStart } from "../../../../extension/chat/chat-session.ts";
import { answerNatively } from "../../../../extension/doors/participant/answer-natively.ts";
import { sessionOfNativeChat } from "../../../../extension/doors/participant/native-session.ts";
import { openChat } from "../../../support/open-chat.ts";
import { ScriptedModel } from "../../../support/scripted-model.ts";
import { gate, httpError, type ReplySource, reply, text, toolCall } from "../../../support/scripted-replies.ts";
import { BUILT_AGENT } from "../../../support/spawn-agent.ts";

let folder: string;
let chats: Chat[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tiller-native-"));
  chats = [];
});
afterEach(async () => {
  await Promise.all(chats.map((chat) => chat.dispose()));
  await rm(folder, { recursive: true });
});

/** A script for the model that the agents of the test ask. */
async function script(...replies: ReplySource[]): Promise<ScriptedModel> {
  const model = await ScriptedModel.start(replies);
  onTestFinished(() => model.stop());
  return model;
}

/** Opens chats with the built agent, as the window does. */
function nativeChats(model: ScriptedModel, ports: Partial<ChatPorts> = {}) {
  const open = (start: ChatStart): Chat => {
    const known = chats.find(({ session }) => session.key === start.key);
    if (known !== undefined) return known;
    const { chat } = openChat(folder, { start, ...ports, launch: async () => command(model, chat) });
    chats.push(chat);
    return chat;
  };
  return { open, openNew: () => open({ key: `chat-${chats.length + 1}` }), isShown: () => false };
}

function command(model: ScriptedModel, { session }: Chat): AgentCommand {
  const args = [BUILT_AGENT, "--mode", "rpc", "--rpc-stream", "delta", "--permission-mode", "confirm"];
  const which = session.file === undefined ? ["--session-id", session.key] : ["--session", session.file];
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    PI_CODING_AGENT_DIR: join(folder, "agent"),
    ANTHROPIC_API_KEY: "test-key",
    ANTHROPIC_BASE_URL: model.url,
  };
  return { file: process.execPath, args: [...args, ...which], cwd: folder, env };
}

/** Asks in a chat as the native chat would; `lines` is what it shows. */
function ask(chat: Chat, prompt: string, signal = new AbortController().signal) {
  const lines: string[] = [];
  const stream = {
    markdown: (part: string) => void lines.push(`text: ${part}`),
    progress: (part: string) => void lines.push(`progress: ${part}`),
    reference: (path: string) => void lines.push(`reference: ${path.replace(folder, "")}`),
  };
  return { lines, answer: answerNatively(chat, { prompt, cwd: folder, signal }, stream) };
}

describe("the participant of the native chat", () => {
  test("streams text, shows tools and their files, and ends with the run", async () => {
    await writeFile(join(folder, "a.txt"), "old\n");
    const model = await script(
      reply([text("Let me look."), toolCall("read", { path: "a.txt" })]),
      reply("It says old."),
    );
    const chat = nativeChats(model).openNew();
    const { lines, answer } = ask(chat, "What is in a.txt?");
    expect(await answer).toEqual({
      metadata: { tiller: { session: "chat-1", file: chat.session.file, prompts: 1, hasChanges: false } },
    });
    expect(lines).toEqual([
      "text: Let me look.",
      "progress: Reading a.txt…",
      "reference: /a.txt",
      "text: \n\nIt says old.",
    ]);
    expect(chat.transcript.ui.status).toBe("idle");
  });

  test("shows a question of the agent to the user, and says that it waits", async () => {
    const model = await script(reply([toolCall("write", { path: "b.txt", content: "new\n" })]), reply("Written."));
    const asked: string[] = [];
    const present: ChatPorts["present"] = async ({ request }) => {
      asked.push(request.title);
      return { type: "value", value: "Allow once" };
    };
    const { lines, answer } = ask(nativeChats(model, { present }).openNew(), "Write it");
    expect((await answer).metadata.tiller.hasChanges).toBe(true);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatch(/^Allow write\?/);
    expect(lines.some((line) => line.startsWith("progress: Waiting for your answer: Allow write?"))).toBe(true);
    expect(await readFile(join(folder, "b.txt"), "utf8")).toBe("new\n");
  });

  test("stops the agent for a cancelled request, without an error", async () => {
    const held = gate();
    const model = await script(reply([text("Well"), held, text(" then")]));
    const chat = nativeChats(model).openNew();
    const controller = new AbortController();
    const { lines, answer } = ask(chat, "Go on for ever", controller.signal);
    await expect.poll(() => lines, { timeout: 20_000 }).toEqual(["text: Well"]);
    controller.abort();
    expect(await answer).not.toHaveProperty("error");
    expect(chat.transcript.ui.status).toBe("idle");
    held.release();
  });

  test("reports a failure of the model or the agent as an error", async () => {
    const model = await script(httpError(400, "invalid_request_error", "The prompt is of no use."));
    const chats = nativeChats(model);
    const failed = await ask(chats.openNew(), "Fail").answer;
    expect(failed.error).toContain("The prompt is of no use.");
    const { chat } = openChat(folder, { start: { key: "gone" }, blockedBy: () => "untrusted" });
    const blocked = await ask(chat, "Hello").answer;
    expect(blocked.error).toBe("The agent starts only in a trusted workspace. Trust this workspace first.");
    await chat.dispose();
  });

  test("has a session for each native chat, which continues after a reload of the window", async () => {
    const model = await script(reply("One."), reply("Two."), reply("Three."));
    const first = nativeChats(model);
    const chat = await sessionOfNativeChat([], first);
    const { metadata } = await ask(chat, "Say one").answer;
    const other = await sessionOfNativeChat([], first);
    expect(other.session.key).not.toBe(chat.session.key);
    await ask(other, "Say two").answer;
    await Promise.all(chats.map((open) => open.dispose()));
    chats = [];
    const again = await sessionOfNativeChat([undefined, { other: 1 }, metadata], nativeChats(model));
    await ask(again, "Say three").answer;
    expect(JSON.stringify(model.requests[2]?.body.messages)).toContain("One.");
    expect(JSON.stringify(model.requests[2]?.body.messages)).not.toContain("Two.");
  });

  test("goes back in the session when the user goes back in the native chat", async () => {
    const model = await script(reply("One."), reply("Two."), reply("Another two."));
    const opened = nativeChats(model);
    const chat = await sessionOfNativeChat([], opened);
    const first = await ask(chat, "Say one").answer;
    await ask(chat, "Say two").answer;
    const back = await sessionOfNativeChat([first.metadata], opened);
    const second = await ask(back, "Say another").answer;
    expect(second.metadata.tiller.prompts).toBe(2);
    const last = JSON.stringify(model.requests[2]?.body.messages);
    expect(last).toContain("One.");
    expect(last).not.toContain("Say two");
  });

  test("begins a new session when the file is gone", async () => {
    const opened = nativeChats(await script());
    const metadata = { tiller: { session: "s", file: join(folder, "gone.jsonl"), prompts: 3, hasChanges: false } };
    expect((await sessionOfNativeChat([metadata], opened)).session.key).toBe("chat-1");
  });
});
