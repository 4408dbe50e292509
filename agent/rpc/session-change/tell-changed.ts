import type { AgentEvent } from "../../protocol/events.ts";
import type { Services } from "../services/services.ts";

type Reason = Extract<AgentEvent, { type: "session_changed" }>["reason"];

/** Tells hosts that the session, or its current entry, has changed. */
export async function tellChanged(
  { session, output }: Pick<Services, "session" | "output">,
  reason: Reason,
): Promise<void> {
  const { id, file } = session.conversation;
  await output.emit({ type: "session_changed", reason, sessionId: id, ...(file && { sessionFile: file }) });
}
