import type { ClientCapabilities, SessionUpdate } from "@agentclientprotocol/sdk";

/** The client, as far as updates go. */
interface UpdateReader {
  readonly capabilities: ClientCapabilities;
  update(sessionId: string, update: SessionUpdate): void;
}

/** The name under which what the protocol has no place for is told in `_meta`. */
export const META = "tiller";

export type Severity = "info" | "warning" | "error";

/** The updates of one session. They wait until the client knows the session. */
export class SessionFeed {
  readonly #link: UpdateReader;
  #sessionId: string | undefined;
  #held: SessionUpdate[] = [];
  #messages = 0;

  constructor(link: UpdateReader) {
    this.#link = link;
  }

  get capabilities(): ClientCapabilities {
    return this.#link.capabilities;
  }

  /** Sends what waits, and from here on everything at once. */
  open(sessionId: string): void {
    this.#sessionId = sessionId;
    for (const update of this.#held.splice(0)) this.#link.update(sessionId, update);
  }

  send(update: SessionUpdate): void {
    if (this.#sessionId === undefined) this.#held.push(update);
    else this.#link.update(this.#sessionId, update);
  }

  /** Returns an ID for the chunks of one message. */
  nextMessage(): string {
    this.#messages += 1;
    return `m${this.#messages}`;
  }

  /** Adds text to a message. */
  text(
    kind: "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk",
    messageId: string,
    text: string,
  ): void {
    this.send({ sessionUpdate: kind, messageId, content: { type: "text", text } });
  }

  /** Tells the user something that the model did not say: as a notice, or as a message to clients that have none. */
  notice(severity: Severity, title: string, description?: string): void {
    if (this.capabilities.session?.notices) {
      this.send({ sessionUpdate: "notice", severity, title, ...(description !== undefined && { description }) });
      return;
    }
    const text = description === undefined ? title : `${title}\n${description}`;
    this.text("agent_message_chunk", this.nextMessage(), `\n\n${quoted(text)}\n\n`);
  }

  /** Tells what has no place in the protocol. */
  meta(fields: Record<string, unknown>): void {
    this.send({ sessionUpdate: "session_info_update", _meta: { [META]: fields } });
  }
}

/** A Markdown quotation, so that it isn't taken for the model's own words. */
function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}
