import type { RecordedSession } from "../changes/record-place.ts";
import { callsIn } from "../util/made-calls.ts";
import type { Conversation } from "./conversation.ts";

/** Describes a conversation for the record of its changes. */
export function recordedSession(conversation: Conversation): RecordedSession {
  const { id, file, header } = conversation;
  const messages = () => conversation.path().flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  return { id, file, parentFile: header.parentSession, calls: () => callsIn(messages()) };
}
