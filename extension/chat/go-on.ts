import { RequestFailed } from "../../agent/client/client-errors.ts";
import type { Chat } from "./chat.ts";

/** The prompt for an agent that was interrupted. */
const CONTINUE = "You were interrupted. Look at what is done already, then go on where you were.";

/** Lets an interrupted agent continue; it cannot know how far its last work got. */
export function continueRun(chat: Chat): Promise<void> {
  return chat.prompt({ text: CONTINUE, delivery: "followUp" });
}

/** Requests the failed response again. If the agent lacks this command, a message tells it to continue. */
export async function tryAgain(chat: Chat): Promise<void> {
  try {
    await chat.request("retry", {});
  } catch (error) {
    if (isUnknownCommand(error)) await continueRun(chat);
    // After a second click the retry is running already.
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
