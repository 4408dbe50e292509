import { errorMessage } from "../../../agent/protocol/errors.ts";
import type { Chat } from "../../chat/chat.ts";
import type { ChatLog } from "../../chat/chat-ports.ts";

/** Tells the agents of these chats of the editor's models. Those that do not run hear of them when they start. */
export function bringModels(chats: readonly Chat[], log: ChatLog): void {
  for (const chat of chats) {
    bring(chat).catch((error: unknown) => log.warn(`The agent was not told of the models: ${errorMessage(error)}`));
  }
}

async function bring(chat: Chat): Promise<void> {
  if (chat.agent.client === undefined) return;
  await chat.agent.bringModels();
  // An agent that had no model may have chosen one of them, and one that waited for its model knows its name.
  if (chat.agent.client !== undefined) await chat.refresh();
}
