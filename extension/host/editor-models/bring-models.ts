import { errorMessage } from "../../../agent/protocol/errors.ts";
import type { Chat } from "../../chat/chat.ts";
import type { ChatLog } from "../../chat/chat-ports.ts";

/** Sends the agents of these chats the editor's models. Agents that are not running get them when they start. */
export function bringModels(chats: readonly Chat[], log: ChatLog): void {
  for (const chat of chats) {
    bring(chat).catch((error: unknown) => log.warn(`Couldn't tell the agent about the models: ${errorMessage(error)}`));
  }
}

async function bring(chat: Chat): Promise<void> {
  if (chat.agent.client === undefined) return;
  await chat.agent.bringModels();
  // An agent without a model may have chosen one of them, and one that waited for its model knows its name now.
  if (chat.agent.client !== undefined) await chat.refresh();
}
