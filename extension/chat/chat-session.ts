import { splitAttached } from "../../agent/protocol/attached.ts";
import type { SessionState } from "../../agent/protocol/commands.ts";
import type { AgentEvent } from "../../agent/protocol/events.ts";
import type { AgentMessage } from "../../agent/protocol/messages.ts";
import type { SessionPorts } from "./chat-ports.ts";

/** Which session a chat begins with. */
export interface ChatStart {
  /** The id that the session has or gets, unless the agent tells another. */
  readonly key: string;
  /** The session file to go on with; absent for a new session. */
  readonly file?: string | undefined;
  /** Nothing is saved. */
  readonly isTemporary?: boolean | undefined;
  /** Where the agent works, absolute; absent for the folder that was chosen last. */
  readonly folder?: string | undefined;
}

/** Longest title of a conversation, in UTF-16 units. */
const MAX_TITLE_CHARS = 80;

/** What is known of the session of a chat: id, file, title, and whether a run was cut off. */
export class ChatSession {
  /** Where the agent works, absolute. */
  readonly folder: string;
  readonly #ports: SessionPorts;
  #key: string;
  #file: string | undefined;
  #title: string | undefined;
  #isKnown = false;
  #isTemporary: boolean;

  constructor(start: ChatStart, ports: SessionPorts) {
    this.#isTemporary = start.isTemporary ?? false;
    this.folder = start.folder ?? "";
    this.#key = start.key;
    this.#file = start.file;
    this.#ports = ports;
  }

  /** The id of the session. */
  get key(): string {
    return this.#key;
  }

  /** Whether nothing of it is saved. */
  get isTemporary(): boolean {
    return this.#isTemporary;
  }

  get file(): string | undefined {
    return this.#file;
  }

  /** The name of the session, or the first thing that was said; absent while there is neither. */
  get title(): string | undefined {
    return this.#title;
  }

  /** It is in a file from here on. */
  keep(file: string): void {
    this.#isTemporary = false;
    this.#file = file;
    this.#ports.known({ key: this.#key, file, before: this.#key });
  }

  /** Takes what an event tells. */
  note(event: AgentEvent): void {
    if (event.type === "agent_start") this.#ports.setRunning(true);
    if (event.type === "agent_settled") this.#ports.setRunning(false);
    if (event.type === "session_info_changed") this.#title = event.name ?? this.#title;
    if (event.type === "message_start") this.#title ??= firstWords([event.message]);
  }

  /** Takes what the agent has, read whole. @returns whether a run was cut off before this chat was opened. */
  take(state: SessionState, messages: readonly AgentMessage[]): boolean {
    const before = this.#key;
    const isOther = before !== state.sessionId;
    const wasCutOff = !this.#isKnown && !state.isStreaming && this.#ports.wasRunning();
    this.#isKnown = true;
    this.#key = state.sessionId;
    this.#file = state.sessionFile;
    this.#title = state.sessionName ?? firstWords(messages) ?? (isOther ? undefined : this.#title);
    this.#ports.known({ key: this.#key, file: this.#file, before });
    this.#ports.setRunning(state.isStreaming);
    return wasCutOff;
  }
}

/** The beginning of what the user said first, as one line. */
function firstWords(messages: readonly AgentMessage[]): string | undefined {
  for (const message of messages) {
    if (message.role !== "user" || message.synthetic) continue;
    const { content } = message;
    const said =
      typeof content === "string" ? content : content.map((block) => ("text" in block ? block.text : "")).join(" ");
    const { text } = splitAttached(said);
    const line = text
      .slice(0, MAX_TITLE_CHARS * 4)
      .replace(/\s+/g, " ")
      .trim();
    if (line !== "") return line.length > MAX_TITLE_CHARS ? `${line.slice(0, MAX_TITLE_CHARS)}…` : line;
  }
  return undefined;
}
