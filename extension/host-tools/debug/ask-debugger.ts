import type { DebugSession } from "vscode";
import { HostToolFailed } from "../host-tool.ts";

/** What a debugger knows it tells within this time; in milliseconds. */
const TELL_WAIT_MS = 10_000;

/**
 * Asks the debugger of a session. @param waitMs how long it may take, in milliseconds.
 * @throws HostToolFailed when it does not answer in time; its own error when it refuses.
 */
export async function askDebugger(
  session: Pick<DebugSession, "customRequest" | "name">,
  request: string,
  args?: object,
  waitMs = TELL_WAIT_MS,
): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const words = `The debugger of ${session.name} did not answer "${request}" within ${waitMs / 1_000} s. Try again, or end it with vscode_debug.`;
    timer = setTimeout(() => reject(new HostToolFailed(words)), waitMs);
  });
  try {
    return await Promise.race([session.customRequest(request, args), late]);
  } finally {
    clearTimeout(timer);
  }
}
