import type { SessionState } from "../../agent/protocol/commands.ts";
import type { AgentEvent } from "../../agent/protocol/events.ts";
import type { AgentMessage } from "../../agent/protocol/messages.ts";
import { titleWords } from "../core/mentions/title-words.ts";
import type { SessionPorts } from "./chat-ports.ts";

/** The session that a chat starts with. */
export interface ChatStart {
  /** The id that the session has or gets, unless the agent reports another. */
  readonly key: string;
  /** The session file to continue; absent for a new session. */
  readonly file?: string | undefined;
  /** True when nothing is saved. */
  readonly isTemporary?: boolean | undefined;
  /** The agent's folder, absolute; absent for the folder that was chosen last. */
  readonly folder?: string | undefined;
  /** True for a chat that no place shows: its agent has no tools, and nobody is told of its runs. */
  readonly isQuiet?: boolean | undefined;
}

/** The session of a chat: its id, file and title, and whether a run was cut off. */
export class ChatSession {
  /** The agent's folder, absolute. */
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

  /** True when nothing of it is saved. */
  get isTemporary(): boolean {
    return this.#isTemporary;
  }

  get file(): string | undefined {
    return this.#file;
  }

  /** The name of the session, or its first message; absent without either. */
  get title(): string | undefined {
    return this.#title;
  }

  /** Notes that the session is saved in a file from now on. */
  keep(file: string): void {
    this.#isTemporary = false;
    this.#file = file;
    this.#ports.known({ key: this.#key, file, before: this.#key });
  }

  /** Updates the session from an event. */
  note(event: AgentEvent): void {
    if (event.type === "agent_start") this.#ports.setRunning(true);
    if (event.type === "agent_settled") this.#ports.setRunning(false);
    if (event.type === "session_info_changed") this.#title = event.name ?? this.#title;
    if (event.type === "message_start") this.#title ??= firstWords([event.message]);
  }

  /** Updates the session from the agent's complete state. @returns true when a run was cut off before this chat was opened. */
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

/** Returns the first words of the user's first message. */
function firstWords(messages: readonly AgentMessage[]): string | undefined {
  for (const message of messages) {
    if (message.role !== "user" || message.synthetic) continue;
    const { content } = message;
    const said =
      typeof content === "string" ? content : content.map((block) => ("text" in block ? block.text : "")).join(" ");
    const title = titleWords(said);
    if (title !== undefined) return title;
  }
  return undefined;
}
