import { join } from "node:path";
import type { ControlFrame } from "../../agent/protocol/frames.ts";
import type { HostToolCall } from "../../agent/protocol/host-tools.ts";
import { Chat } from "../../extension/chat.ts";
import type { ChatPorts } from "../../extension/chat-ports.ts";
import { SessionMode } from "../../extension/session-mode.ts";
import { TranscriptStore } from "../../extension/transcript-store.ts";
import type { PanelUi, ToPanel, TranscriptItem } from "../../webview/protocol.ts";
import { fixtureAgent } from "./fixture-agent.ts";

/** A chat with the agent of `fixtures/agents/chat-agent.mjs`, and what it does to its surroundings. Its session file is `session.json` in `folder`. */
export function openChat(folder: string, changes: Partial<ChatPorts> = {}) {
  const sessionFile = join(folder, "session.json");
  const seen = { drafts: [] as string[], sessions: [] as (string | undefined)[], calls: [] as HostToolCall[] };
  const messages: ToPanel[] = [];
  const mode = changes.mode ?? new SessionMode(() => "confirm");
  const transcript = new TranscriptStore({
    cwd: folder,
    send: (message) => messages.push(message),
    draft: () => ({ text: "", at: 0 }),
    uiChanged: () => {},
  });
  const chat = new Chat(transcript, {
    launch: async () => {
      const command = fixtureAgent("chat-agent", ["--permission-mode", mode.current]);
      return { ...command, env: { ...command.env, FIXTURE_SESSION: sessionFile } };
    },
    blockedBy: () => undefined,
    mode,
    hostTools: {
      definitions: [],
      call: async (call, send: (frame: ControlFrame) => void) => {
        seen.calls.push(call);
        send({ type: "host_tool_result", id: call.id, result: { content: [] } });
      },
      cancel: () => {},
      cancelAll: () => {},
    },
    present: (_, signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined))),
    questionsChanged: () => {},
    tell: () => {},
    giveBack: (text) => seen.drafts.push(text),
    rememberSession: (file) => seen.sessions.push(file),
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    ...changes,
  });
  return { chat, seen, items: () => itemsOf(transcript, messages), ui: (): PanelUi => transcript.ui };
}

function itemsOf(transcript: TranscriptStore, messages: ToPanel[]): TranscriptItem[] {
  transcript.setVisible(false);
  transcript.setVisible(true);
  const last = messages.at(-1);
  return last?.type === "snapshot" ? last.items : [];
}
