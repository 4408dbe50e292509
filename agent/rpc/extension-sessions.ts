import type { ExtensionHost } from "../extensions/host.ts";
import type { Reply } from "./handlers/handler.ts";
import type { Services } from "./handlers/services.ts";
import { sessionHandlers } from "./handlers/session-handlers.ts";
import { treeHandlers } from "./handlers/tree-handlers.ts";
import { inLane } from "./in-lane.ts";

/** How extensions look at the session, write into it and put another one in its place. */
export function sessionPart(
  services: Services,
): Pick<
  ExtensionHost,
  "conversation" | "appendEntry" | "setLabel" | "setName" | "newSession" | "fork" | "clone" | "switchSession"
> {
  const { session, lanes, output } = services;
  const replacing = { ...sessionHandlers(services), ...treeHandlers(services) };
  const replace = async (work: () => Promise<Reply<{ cancelled: boolean }>>) => {
    const { data } = await inLane(lanes, "replace", work);
    return { cancelled: data.cancelled };
  };
  return {
    conversation: () => session.conversation,
    async appendEntry(customType, data) {
      const entry = session.conversation.appendCustom(customType, data);
      if (entry !== undefined) await output.emit({ type: "entry_appended", entry });
      return entry;
    },
    setLabel: (entryId, label) => session.conversation.setLabel(entryId, label),
    setName: (name) => session.setName(name),
    newSession: (parentSession) => replace(() => replacing.new_session({ parentSession })),
    fork: (entryId) => replace(() => replacing.fork({ entryId })),
    clone: () => replace(() => replacing.clone()),
    switchSession: (sessionPath) => replace(() => replacing.switch_session({ sessionPath })),
  };
}
