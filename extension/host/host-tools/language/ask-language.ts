import * as vscode from "vscode";
import { HostToolFailed } from "../host-tool.ts";

/** Maximum time to wait for language services, which may index a project first, in milliseconds. */
const MAX_WAIT_MS = 20_000;

/**
 * Queries the editor's language services by one of its commands.
 * @throws HostToolFailed when they take too long or the call is cancelled.
 */
export function askLanguage<T>(token: vscode.CancellationToken, command: string, ...args: unknown[]): Promise<T> {
  return inTime(vscode.commands.executeCommand<T>(command, ...args), token);
}

/** Waits for language services. @throws HostToolFailed when they take too long or the call is cancelled. */
export async function inTime<T>(work: PromiseLike<T>, token: vscode.CancellationToken): Promise<T> {
  let stop: (() => void) | undefined;
  const given = new Promise<never>((_, reject) => {
    const late = () =>
      reject(
        new HostToolFailed("The language service hasn't answered for 20 seconds. It may be busy; try again later."),
      );
    const timer = setTimeout(late, MAX_WAIT_MS);
    const subscription = token.onCancellationRequested(() => reject(new HostToolFailed("Cancelled.")));
    stop = () => {
      clearTimeout(timer);
      subscription.dispose();
    };
  });
  try {
    return await Promise.race([work, given]);
  } finally {
    stop?.();
  }
}
