import { join } from "node:path";
import type { ControlFrame } from "../../agent/protocol/frames.ts";
import type { HostToolCall } from "../../agent/protocol/host-tools.ts";
import { Chat } from "../../extension/chat/chat.ts";
import type { ChatPorts } from "../../extension/chat/chat-ports.ts";
import type { ChatStart } from "../../extension/chat/chat-session.ts";
import { SessionMode } from "../../extension/chat/session-mode.ts";
import { type TranscriptFeed, TranscriptStore } from "../../extension/chat/transcript-store.ts";
import type { TranscriptItem } from "../../webview/protocol/items.ts";
import type { ToPanel } from "../../webview/protocol/to-panel.ts";
import type { PanelUi } from "../../webview/protocol/ui.ts";
import { fixtureAgent } from "./fixture-agent.ts";

interface OpenChatOptions extends Partial<ChatPorts> {
  start?: ChatStart;
  /** Waited for before each start of the agent. */
  beforeLaunch?: () => Promise<void>;
  /** Told of every change of what stands around the conversation, and of the questions. */
  changed?: () => void;
}

/** A chat with the agent of `fixtures/agents/chat-agent.mjs`, and what it does to its surroundings. Its session file is `session.json` in `folder`. */
export function openChat(folder: string, { start, beforeLaunch, changed, ...changes }: OpenChatOptions = {}) {
  const sessionFile = start?.file ?? join(folder, "session.json");
  const seen = {
    drafts: [] as string[],
    sessions: [] as (string | undefined)[],
    calls: [] as HostToolCall[],
    isRunning: false,
  };
  const messages: ToPanel[] = [];
  const mode = changes.mode ?? new SessionMode(() => "confirm");
  const transcript = new TranscriptStore({
    cwd: folder,
    uiChanged: () => changed?.(),
  });
  const feed = transcript.feed({
    send: (message) => messages.push(message),
    draft: () => ({ chat: "s1", text: "", at: 0 }),
  });
  const chat = new Chat(start ?? { key: "s1" }, transcript, {
    launch: async () => {
      await beforeLaunch?.();
      const command = fixtureAgent("chat-agent", ["--permission-mode", mode.current]);
      return { ...command, env: { ...command.env, FIXTURE_SESSION: sessionFile, FIXTURE_ID: start?.key ?? "" } };
    },
    blockedBy: () => undefined,
    mode,
    hostTools: {
      definitions: [],
      ownDefinitions: [],
      call: async (call, send: (frame: ControlFrame) => void) => {
        seen.calls.push(call);
        send({ type: "host_tool_result", id: call.id, result: { content: [] } });
      },
      cancel: () => {},
      cancelAll: () => {},
    },
    hostModels: { provider: "editor", definitions: [], request: async () => {}, cancel: () => {}, cancelAll: () => {} },
    keepSecret: async () => {},
    present: (_, signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined))),
    editedOf: () => undefined,
    questionsChanged: () => changed?.(),
    tell: () => {},
    cost: { limitUsd: () => 0, passed: () => {} },
    compose: async (text) => text,
    giveBack: (text) => seen.drafts.push(text),
    session: {
      known: ({ file }) => seen.sessions.push(file),
      setRunning: (isRunning) => {
        seen.isRunning = isRunning;
      },
      wasRunning: () => seen.isRunning,
    },
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    ...changes,
  });
  return { chat, seen, items: () => itemsOf(feed, messages), ui: (): PanelUi => transcript.ui };
}

function itemsOf(feed: TranscriptFeed, messages: ToPanel[]): TranscriptItem[] {
  feed.setVisible(false);
  feed.setVisible(true);
  const last = messages.at(-1);
  return last?.type === "snapshot" ? last.items : [];
}
