import type { DebugSession } from "vscode";
import { noLaterThan } from "../../../../agent/util/no-later-than.ts";
import { HostToolFailed } from "../host-tool.ts";

/** What a debugger knows it tells within this time; in milliseconds. */
const TELL_WAIT_MS = 10_000;

/**
 * Asks the debugger of a session. @param waitMs how long it may take, in milliseconds.
 * @throws HostToolFailed when it does not answer in time; its own error when it refuses.
 */
export function askDebugger(
  session: Pick<DebugSession, "customRequest" | "name">,
  request: string,
  args?: object,
  waitMs = TELL_WAIT_MS,
): Promise<unknown> {
  const late = () =>
    new HostToolFailed(
      `The debugger of ${session.name} did not answer "${request}" within ${waitMs / 1_000} s. Try again, or end it with vscode_debug.`,
    );
  return noLaterThan<unknown>(session.customRequest(request, args), waitMs, late);
}
