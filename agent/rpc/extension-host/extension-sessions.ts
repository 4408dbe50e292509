import type { SessionHost } from "../../extensions/session-host.ts";
import type { HostUi } from "../../extensions/ui.ts";
import type { Reply } from "../handlers/handler.ts";
import { startSession } from "../handlers/session-handlers.ts";
import { copyFrom, treeHandlers } from "../handlers/tree-handlers.ts";
import type { Services } from "../services/services.ts";
import { conversationView } from "../session-change/conversation-view.ts";
import { tellChanged } from "../session-change/tell-changed.ts";
import { nestedInLane } from "../wire/in-lane.ts";

/** The part of the host by which extensions read, change, and replace the session. */
export function sessionPart(services: Services, ui: HostUi): Omit<SessionHost, "sendMessage" | "sendUserMessage"> {
  const { session, lanes, output, sessions, scope } = services;
  const replacing = treeHandlers(services);
  const inTurn = async (reason: "new" | "resume" | "fork", work: () => Promise<boolean>) => {
    const isDone = await nestedInLane(lanes, "replace", work);
    if (isDone) await tellChanged(services, reason);
    return { cancelled: !isDone };
  };
  const asCommand = (reason: "resume" | "fork", work: () => Promise<Reply<{ cancelled: boolean }>>) =>
    inTurn(reason, async () => !(await work()).data.cancelled);
  return {
    conversation: () => conversationView(session.conversation, sessions.folder),
    sessionSignal: () => scope.signal,
    async appendEntry(customType, data) {
      const entry = session.conversation.appendCustom(customType, asKept(data));
      if (entry !== undefined) output.emitAtOnce({ type: "entry_appended", entry });
      return entry;
    },
    setLabel: (entryId, label) => session.conversation.setLabel(entryId, label),
    setName: (name) => session.setName(name),
    newSession: (options) => inTurn("new", () => startSession(services, options)),
    fork: (entryId, position) =>
      position === "at"
        ? inTurn("fork", () => copyFrom(services, { entryId, position }, entryId))
        : asCommand("fork", () => replacing.fork({ entryId })),
    clone: () => asCommand("fork", () => replacing.clone()),
    switchSession: (sessionPath) => asCommand("resume", () => replacing.switch_session({ sessionPath })),
    async navigateTree(targetId, options) {
      const navigated = await nestedInLane(lanes, "compact", () => session.navigate(targetId, options));
      if (!navigated.cancelled) await tellChanged(services, "tree");
      if (navigated.editorText) ui.tell({ method: "set_editor_text", text: navigated.editorText });
      return navigated;
    },
  };
}

/** Data as it will be read again, and not as it may be changed later. */
function asKept(data: unknown): unknown {
  const text = JSON.stringify(data);
  return text === undefined ? undefined : JSON.parse(text);
}
