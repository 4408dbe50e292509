import * as vscode from "vscode";
import { HostToolFailed } from "../host-tool.ts";
import { askDebugger } from "./ask-debugger.ts";

/** A debugger that has not answered within this time is taken to be busy, not gone; in milliseconds. */
const ANSWER_WAIT_MS = 2_000;

/** Maximum time to wait for a debugger to end after it was told to, in milliseconds. */
const END_WAIT_MS = 5_000;

/** Sessions that have ended; the editor may still report one of them as active. */
const over = new WeakSet<vscode.DebugSession>();

/** Returns the editor's active session, if it is still running. */
export async function activeSession(): Promise<vscode.DebugSession | undefined> {
  const { activeDebugSession } = vscode.debug;
  if (activeDebugSession === undefined || over.has(activeDebugSession)) return undefined;
  return (await isAlive(activeDebugSession)) ? activeDebugSession : undefined;
}

/**
 * Stops a session with all its related sessions, and waits until they have ended.
 * @throws HostToolFailed when it does not end.
 */
export async function stopSession(session: vscode.DebugSession): Promise<void> {
  const root = rootOf(session);
  const going = new Set([session, root]);
  let timer: NodeJS.Timeout | undefined;
  let subscription: vscode.Disposable | undefined;
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, END_WAIT_MS);
  });
  const ended = new Promise<void>((resolve) => {
    subscription = vscode.debug.onDidTerminateDebugSession((one) => {
      going.delete(one);
      if (going.size === 0) resolve();
    });
  });
  try {
    await vscode.debug.stopDebugging(root);
    await Promise.race([ended, deadline]);
  } finally {
    clearTimeout(timer);
    subscription?.dispose();
  }
  if (going.size > 0 && (await isAlive(root)))
    throw new HostToolFailed("The debugger was told to stop but continues. The user can stop it.");
  for (const one of [session, root]) over.add(one);
}

/** Returns the outermost parent of a session. */
export function rootOf(session: vscode.DebugSession): vscode.DebugSession {
  return session.parentSession === undefined ? session : rootOf(session.parentSession);
}

/** True when the debugger of a session still answers, even slowly. */
function isAlive(session: vscode.DebugSession): Promise<boolean> {
  return askDebugger(session, "threads", undefined, ANSWER_WAIT_MS).then(
    () => true,
    (error: unknown) => error instanceof HostToolFailed,
  );
}
