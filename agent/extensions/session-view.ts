import type { SessionView } from "./api-session.ts";
import type { ConversationView } from "./session-host.ts";

/** Creates an extension's view of a conversation; calls `conversation` each time. */
export function createSessionView(conversation: () => ConversationView, cwd: string): SessionView {
  return {
    getCwd: () => cwd,
    getSessionDir: () => conversation().folder,
    getHeader: () => conversation().header,
    getSessionId: () => conversation().id,
    getSessionFile: () => conversation().file,
    isPersisted: () => conversation().file !== undefined,
    getSessionName: () => conversation().name,
    getLeafId: () => conversation().leafId,
    getLeafEntry() {
      const { entries, leafId } = conversation();
      return entries.findLast(({ id }) => id === leafId);
    },
    getEntries: () => [...conversation().entries],
    getTree: () => conversation().tree(),
    getChildren: (parentId) => conversation().entries.filter((entry) => entry.parentId === parentId),
    getBranch: (fromId) => conversation().path(fromId),
    getEntry: (id) => conversation().known(id),
    getLabel: (id) => conversation().labels().get(id)?.label,
    buildContextEntries: () =>
      conversation()
        .projection()
        .entries.map(({ sourceEntry }) => sourceEntry),
    buildSessionProjection: () => conversation().projection(),
    buildSessionContext() {
      const { messages, thinkingLevel, model } = conversation().projection();
      return { messages, thinkingLevel, model };
    },
  };
}
