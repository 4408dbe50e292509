import { splitAttached } from "../../agent/protocol/attached.ts";
import type { ImageAttachment } from "../../webview/protocol/draft.ts";
import type { QueueEdit } from "../../webview/protocol/ui.ts";

/** A queued message: its text as the queue lists it, with attachments, and its images. */
export interface WaitingMessage {
  readonly label: string;
  readonly images: readonly ImageAttachment[];
}

/** Both queues, each in reading order. */
export interface WaitingMessages {
  readonly steering: readonly WaitingMessage[];
  readonly followUp: readonly WaitingMessage[];
}

/** The text that the agent lists for a message of only images. */
export const IMAGE_LABEL = "[Image]";

/**
 * Applies one change. The queue may have become shorter since the user saw it: the message is searched by its text, first at its old place.
 * @returns the new queues, or undefined when the message is no longer queued.
 */
export function changeQueue(waiting: WaitingMessages, edit: QueueEdit): WaitingMessages | undefined {
  const { queue } = edit;
  const own = waiting[queue];
  const at = placeOf(own, edit);
  const message = own[at];
  if (message === undefined) return undefined;
  const others = own.filter((_, index) => index !== at);
  switch (edit.op) {
    case "remove":
      return { ...waiting, [queue]: others };
    case "replace":
      return {
        ...waiting,
        [queue]: own.map((other, index) =>
          index === at ? { ...message, label: withWords(message, edit.text) } : other,
        ),
      };
    case "move": {
      const to = Math.max(0, Math.min(others.length, at + edit.by));
      return { ...waiting, [queue]: [...others.slice(0, to), message, ...others.slice(to)] };
    }
    case "switch": {
      const other = queue === "steering" ? "followUp" : "steering";
      return { ...waiting, [queue]: others, [other]: [...waiting[other], message] };
    }
  }
}

/** Replaces the text of a message and keeps its attachments. */
function withWords({ label }: WaitingMessage, text: string): string {
  return text + splitAttached(label).attached;
}

/** Finds a message by its text without attachments, as the user sees and names it. */
function placeOf(own: readonly WaitingMessage[], { index, label }: QueueEdit): number {
  const isMeant = (message: WaitingMessage | undefined) =>
    message !== undefined && splitAttached(message.label).text === label;
  if (isMeant(own[index])) return index;
  // Messages are removed from the front, so it can only have moved forward.
  return own.slice(0, index).findLastIndex(isMeant);
}
