import type { FillDraft } from "../../extensions/session-host.ts";
import { AgentError } from "../../protocol/errors.ts";
import type { Conversation } from "../../session/conversation.ts";
import { unlessAborted } from "../../util/unless-aborted.ts";
import { conversationView } from "./conversation-view.ts";

interface FillOptions {
  /** The place of new sessions. */
  folder: string;
  /** Aborts when the result is no longer needed. */
  signal: AbortSignal;
}

/**
 * Gives an extension a conversation to fill before it becomes active; writes nothing to disk until then.
 * @throws what `fill` throws; AgentError aborted when the user aborts first.
 */
export async function fillSession(
  conversation: Conversation,
  fill: FillDraft,
  { folder, signal }: FillOptions,
): Promise<void> {
  conversation.holdBack();
  const filled = fill({
    get view() {
      return conversationView(conversation, folder);
    },
    add(entry) {
      if (entry.type === "label" && !conversation.has(entry.targetId)) {
        throw new AgentError("not_found", `Entry not found: ${entry.targetId}`);
      }
      return conversation.add(entry);
    },
    moveTo: (leafId) => conversation.moveTo(leafId),
  });
  await unlessAborted(filled, signal, 0);
  if (signal.aborted) throw new AgentError("aborted", "The new session was aborted before it was filled.");
  conversation.publish();
}
