import { dirname } from "node:path";
import type { ConversationView } from "../../extensions/session-host.ts";
import { projectedEntries } from "../../session/context.ts";
import type { Conversation } from "../../session/conversation.ts";
import { buildTree } from "../../session/tree.ts";

/** A conversation as extensions see it. @param folder where new sessions go. */
export function conversationView(conversation: Conversation, folder: string): ConversationView {
  const { header, id, file, name, leafId, entries } = conversation;
  return {
    header,
    id,
    file,
    folder: file === undefined ? folder : dirname(file),
    name,
    leafId,
    entries,
    known: (entryId) => conversation.known(entryId),
    path: (entryId) => conversation.path(entryId),
    labels: () => conversation.labels(),
    tree: () => buildTree(conversation.entries, conversation.labels()),
    projection() {
      const { model, thinkingLevel } = conversation.choices();
      const projected = projectedEntries(conversation.path());
      return {
        entries: projected,
        messages: projected.flatMap(({ messages }) => messages),
        thinkingLevel: thinkingLevel ?? "off",
        model: model ?? null,
      };
    },
  };
}
