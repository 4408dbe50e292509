import { RequestFailed } from "../../agent/client/client-errors.ts";
import type { Chat } from "./chat.ts";

/** What an agent that was cut off is told. */
const CONTINUE = "You were interrupted. Look at what is done already, then go on where you were.";

/** Lets an agent go on that was cut off: it cannot know how far its last work came. */
export function continueRun(chat: Chat): Promise<void> {
  return chat.prompt({ text: CONTINUE, delivery: "followUp" });
}

/** Asks the model again for the answer that failed. An agent of others that cannot is told to go on. */
export async function tryAgain(chat: Chat): Promise<void> {
  try {
    await chat.request("retry", {});
  } catch (error) {
    if (isUnknownCommand(error)) await continueRun(chat);
    // After a second press the answer is on its way already.
    else if (!isBusy(error)) throw error;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof RequestFailed && error.code === "busy";
}

function isUnknownCommand(error: unknown): boolean {
  return (
    error instanceof RequestFailed && (error.code === "unknown_command" || /^Unknown command\b/.test(error.message))
  );
}
