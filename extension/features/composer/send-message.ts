import type { ContextAttachment } from "../../../webview/protocol/context.ts";
import type { ImageAttachment } from "../../../webview/protocol/draft.ts";
import type { Chat } from "../../chat/chat.ts";
import type { WhileRunning } from "../../chat/outbox.ts";
import { resendEdited } from "../../chat/resend.ts";
import { readShellCommand } from "../../chat/user-shell.ts";
import type { Mentions } from "./mentions.ts";

/** A message as it leaves the composer. */
export interface WrittenMessage {
  readonly text: string;
  readonly whileRunning: WhileRunning;
  readonly images?: readonly ImageAttachment[] | undefined;
  readonly contexts?: readonly ContextAttachment[] | undefined;
}

/** Messages whose chips are being read: what is sent later must not overtake them. */
const lanes = new WeakMap<Chat, Promise<void>>();

/** Reads what goes with a message and sends it. One without chips is sent at once, unless another one is being read. */
export function sendMessage(chat: Chat, message: WrittenMessage, mentions: Pick<Mentions, "compose">): Promise<void> {
  const { text, whileRunning, images = [] } = message;
  // The shell is given what was typed and nothing else.
  const isForShell = images.length === 0 && readShellCommand(text) !== undefined;
  const contexts = isForShell ? [] : (message.contexts ?? []);
  const before = lanes.get(chat);
  if (contexts.length === 0 && before === undefined) return chat.send(text, whileRunning, images);
  const sent = (before ?? Promise.resolve()).then(async () => {
    const whole = contexts.length === 0 ? text : await mentions.compose(text, contexts, chat);
    // Its answer is not waited for by the messages behind it: the outbox has an order of its own.
    return { done: chat.send(whole, whileRunning, images) };
  });
  const lane = sent.then(
    () => undefined,
    () => undefined,
  );
  lanes.set(chat, lane);
  void lane.then(() => {
    if (lanes.get(chat) === lane) lanes.delete(chat);
  });
  return sent.then(({ done }) => done);
}

/** Sends a message in place of an earlier one; what cannot be sent goes back into the composer. */
export async function resendMessage(
  chat: Chat,
  { text, images = [], contexts = [] }: WrittenMessage,
  itemId: string,
  mentions: Pick<Mentions, "compose">,
): Promise<void> {
  const whole = contexts.length === 0 ? text : await mentions.compose(text, contexts, chat);
  try {
    await resendEdited(chat, { itemId, text: whole, images });
  } catch (error) {
    chat.outbox.giveBack(whole, images);
    throw error;
  }
}
