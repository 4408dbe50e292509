import { splitAttached } from "../../agent/protocol/attached.ts";
import type { ImageAttachment } from "../../webview/protocol/draft.ts";
import type { QueueEdit } from "../../webview/protocol/ui.ts";

/** A message that waits: its text as the queue lists it, with what is attached to it, and its pictures. */
export interface WaitingMessage {
  readonly label: string;
  readonly images: readonly ImageAttachment[];
}

/** Both queues, each in the order in which it is read. */
export interface WaitingMessages {
  readonly steering: readonly WaitingMessage[];
  readonly followUp: readonly WaitingMessage[];
}

/** How the agent lists a message that is a picture alone. */
export const IMAGE_LABEL = "[Image]";

/**
 * Applies one change. What waits may have become less since the user saw it: the message is looked for by its text, first where it was.
 * @returns the queues after it, or undefined when the message does not wait any more.
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

/** Other words with the same things attached. */
function withWords({ label }: WaitingMessage, text: string): string {
  return text + splitAttached(label).attached;
}

/** The user sees, and names, a message by its words alone. */
function placeOf(own: readonly WaitingMessage[], { index, label }: QueueEdit): number {
  const isMeant = (message: WaitingMessage | undefined) =>
    message !== undefined && splitAttached(message.label).text === label;
  if (isMeant(own[index])) return index;
  // Messages leave at the front, so it can only have moved there.
  return own.slice(0, index).findLastIndex(isMeant);
}
