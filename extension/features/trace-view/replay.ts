import { commands } from "../../../agent/protocol/commands.ts";
import { UiRequest } from "../../../agent/protocol/dialogs.ts";
import { ResponseFrame } from "../../../agent/protocol/envelope.ts";
import { AgentEvent } from "../../../agent/protocol/events.ts";
import type { AgentMessage } from "../../../agent/protocol/messages.ts";
import type { TranscriptStore } from "../../chat/transcript-store.ts";
import { readNote, type TraceNote } from "../../core/trace/notes.ts";
import type { TraceEntry } from "../../core/trace/wire-trace.ts";

/**
 * Rebuilds a conversation from a trace: the frames of the agent and the notes of the host go through the same reducer in the same order and at
 * the same times, so that they give the same items. Unreadable entries are skipped, as they were originally.
 */
export class Replay {
  readonly #store: TranscriptStore;
  /** Events of a start, held until the session has been read. */
  #held: (AgentEvent | UiRequest)[] | undefined;
  #messages: AgentMessage[] = [];

  constructor(store: TranscriptStore) {
    this.#store = store;
  }

  /** Applies the next entry. */
  apply({ direction, text, at }: TraceEntry): void {
    if (direction === "out" || text === "") return;
    const frame = parsed(text);
    if (direction === "in") {
      this.#frame(frame, at);
      return;
    }
    const note = readNote(frame);
    if (note !== undefined) this.#note(note, at);
  }

  #frame(frame: unknown, at: number): void {
    const event = eventOf(frame);
    if (event === undefined) this.#messages = messagesOf(frame) ?? this.#messages;
    else if (this.#held === undefined) this.#store.dispatch(event, at);
    else this.#held.push(event);
  }

  #note(note: TraceNote, at: number): void {
    switch (note.type) {
      case "host_process":
        if (note.state === "starting") this.#held = [];
        break;
      case "host_read":
        for (const event of this.#held ?? []) this.#store.dispatch(event, at);
        this.#held = undefined;
        break;
      case "host_reset":
        this.#store.reset(note.messages ?? this.#messages, { at });
        break;
      default:
        this.#store.dispatch(note, at);
    }
  }
}

const EVENT_TYPES: ReadonlySet<string> = new Set(AgentEvent.options.map((option) => option.shape.type.value));

function eventOf(frame: unknown): AgentEvent | UiRequest | undefined {
  if (typeof frame !== "object" || frame === null || !("type" in frame)) return undefined;
  if (frame.type === "extension_ui_request") return UiRequest.safeParse(frame).data;
  return EVENT_TYPES.has(String(frame.type)) ? AgentEvent.safeParse(frame).data : undefined;
}

function messagesOf(frame: unknown): AgentMessage[] | undefined {
  const response = ResponseFrame.safeParse(frame).data;
  if (response?.command !== "get_messages" || !response.success) return undefined;
  return commands.get_messages.result.safeParse(response.data).data?.messages;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not a frame
  }
}
