import type { DebugSession } from "vscode";
import { noLaterThan } from "../../../../agent/util/no-later-than.ts";
import { HostToolFailed } from "../host-tool.ts";

/** Maximum time for a debugger to answer, in milliseconds. */
const TELL_WAIT_MS = 10_000;

/**
 * Sends a request to the debugger of a session. @param waitMs maximum time to wait, in milliseconds.
 * @throws HostToolFailed when it does not answer in time; the debugger's own error when it refuses.
 */
export function askDebugger(
  session: Pick<DebugSession, "customRequest" | "name">,
  request: string,
  args?: object,
  waitMs = TELL_WAIT_MS,
): Promise<unknown> {
  const late = () =>
    new HostToolFailed(
      `The debugger of ${session.name} didn't answer "${request}" within ${waitMs / 1_000} s. Try again, or stop it with vscode_debug.`,
    );
  return noLaterThan<unknown>(session.customRequest(request, args), waitMs, late);
}
