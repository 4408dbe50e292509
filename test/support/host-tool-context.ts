import type { HostToolContext } from "../../extension/host/host-tools/host-tool.ts";

/** Returns the context of a host tool call outside an editor: a chat without answers or records. */
export function hostToolContext(
  own: Pick<HostToolContext, "token" | "update"> & Partial<HostToolContext>,
): HostToolContext {
  return {
    toolCallId: "call-1",
    toolName: "tool",
    session: "session-1",
    folder: "/project",
    isKeyboardInChat: () => false,
    ask: async () => ({ type: "cancelled" }),
    recordChanges: (_paths, work) => work(),
    failed: () => undefined,
    ...own,
  };
}
