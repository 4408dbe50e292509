import { errorMessage } from "../../agent/protocol/errors.ts";
import type { Chat } from "../chat/chat.ts";
import type { Attention } from "./attention.ts";
import type { ChatSurroundings } from "./chat-surroundings.ts";
import { RunEnds } from "./run-ends.ts";

/** Connects the listeners to the events of a chat's agent. */
export function followChat(chat: Chat, around: ChatSurroundings): void {
  chat.events.listen({ event: (event) => around.told(chat, event) });
  followRuns(chat, around.attention);
  recordRuns(chat, around);
  chat.events.listen(around.milestones.listener);
}

function followRuns(chat: Chat, attention: Attention): void {
  const ends = new RunEnds();
  const tell = (end: "done" | "failed" | undefined) => {
    if (end !== undefined) attention.runEnded(chat, end);
  };
  chat.events.listen({
    event: (event) => tell(ends.observe(event)),
    crashed: (willRestart) => tell(ends.crashed(willRestart)),
  });
}

function recordRuns(chat: Chat, { changes, log }: Pick<ChatSurroundings, "changes" | "log">): void {
  const endCalls = () => {
    changes
      .endSession(chat.session.key)
      .catch((error: unknown) => log.warn(`Changes were not recorded: ${errorMessage(error)}`));
  };
  chat.events.listen({
    event: ({ type }) => {
      if (type === "agent_start") changes.warmUp(chat.session.folder);
      if (type === "agent_settled") endCalls();
    },
    disconnected: endCalls,
  });
}
