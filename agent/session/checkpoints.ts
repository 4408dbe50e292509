import { splitAttached } from "../protocol/attached.ts";
import { AgentError } from "../protocol/errors.ts";
import type { Conversation } from "./conversation.ts";
import { textOf } from "./message-text.ts";

/** A message of the user on the current branch. */
export interface CheckpointMessage {
  entryId: string;
  parentId: string | null;
  /** Without attachments. */
  text: string;
  /** Unix ms. */
  timestamp: number;
}

/** Returns the user's messages on the current branch, the first one first. */
export function checkpointsOf(conversation: Pick<Conversation, "path">): CheckpointMessage[] {
  return conversation.path().flatMap((entry) => {
    if (entry.type !== "message" || entry.message.role !== "user" || entry.message.synthetic === true) return [];
    const { text } = splitAttached(textOf(entry.message));
    return [{ entryId: entry.id, parentId: entry.parentId, text, timestamp: entry.message.timestamp }];
  });
}

/** Returns a message of the user. @throws AgentError not_found when the branch does not have it. */
export function findCheckpoint(conversation: Pick<Conversation, "path">, entryId: string): CheckpointMessage {
  const found = checkpointsOf(conversation).find((message) => message.entryId === entryId);
  if (found !== undefined) return found;
  throw new AgentError("not_found", `No message of the user has the id ${entryId} here. See list_checkpoints.`);
}

/** Returns the time from a message of the user to the next one. @throws AgentError not_found when the branch does not have it. */
export function spanOf(
  conversation: Pick<Conversation, "path">,
  entryId: string,
): { from: number; to: number | undefined } {
  const { timestamp } = findCheckpoint(conversation, entryId);
  const next = checkpointsOf(conversation).find((message) => message.timestamp > timestamp);
  return { from: timestamp, to: next?.timestamp };
}
