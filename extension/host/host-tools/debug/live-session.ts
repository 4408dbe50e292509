import * as vscode from "vscode";
import { HostToolFailed } from "../host-tool.ts";
import { askDebugger } from "./ask-debugger.ts";

/** A debugger that has not answered within this time is busy, not gone; in milliseconds. */
const ANSWER_WAIT_MS = 2_000;

/** A debugger that was told to end has ended within this time, or is left to itself, in milliseconds. */
const END_WAIT_MS = 5_000;

/** Sessions that have ended, although the editor may go on naming one of them as the active one. */
const over = new WeakSet<vscode.DebugSession>();

/** The session that is looked at in the editor, if it still goes on. */
export async function activeSession(): Promise<vscode.DebugSession | undefined> {
  const { activeDebugSession } = vscode.debug;
  if (activeDebugSession === undefined || over.has(activeDebugSession)) return undefined;
  return (await isAlive(activeDebugSession)) ? activeDebugSession : undefined;
}

/**
 * Ends a session with all that belongs to it, and waits until it has ended.
 * @throws HostToolFailed when it goes on.
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
    throw new HostToolFailed("The debugger was told to end and goes on. The user can end it.");
  for (const one of [session, root]) over.add(one);
}

/** The session that started a session, or started what started it. */
export function rootOf(session: vscode.DebugSession): vscode.DebugSession {
  return session.parentSession === undefined ? session : rootOf(session.parentSession);
}

/** Whether the debugger of a session still answers; one that takes long does. */
function isAlive(session: vscode.DebugSession): Promise<boolean> {
  return askDebugger(session, "threads", undefined, ANSWER_WAIT_MS).then(
    () => true,
    (error: unknown) => error instanceof HostToolFailed,
  );
}
