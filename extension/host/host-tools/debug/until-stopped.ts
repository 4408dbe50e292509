import * as vscode from "vscode";
import { HostToolFailed } from "../host-tool.ts";
import { rootOf } from "./live-session.ts";
import { framePlace, readStack } from "./stack.ts";

/** Maximum time to wait for a debugger to stop or end, in milliseconds. */
const STOP_WAIT_MS = 10_000;

/** A debugger that was told to end may still start child sessions for this long; they are ended, too. In milliseconds. */
const LATE_SESSION_MS = 30_000;

/** A wait for the program to pause. */
interface StopWait {
  /** Resolves to the place where it paused, or to what happened instead. Rejects when the call is cancelled. */
  readonly stopped: Promise<string>;
  /** Ends the wait. */
  end(): void;
}

/** Starts to wait for the program to pause. Must be called before it is resumed. */
export function waitForStop(token: vscode.CancellationToken): StopWait {
  const subscriptions: vscode.Disposable[] = [];
  let timer: NodeJS.Timeout | undefined;
  const stopped = new Promise<string>((resolve, reject) => {
    timer = setTimeout(
      () => resolve(`It's running and hasn't stopped for ${STOP_WAIT_MS / 1_000} seconds.`),
      STOP_WAIT_MS,
    );
    subscriptions.push(
      vscode.debug.onDidChangeActiveStackItem((item) => {
        if (!(item instanceof vscode.DebugStackFrame)) return;
        void readStack(item.session).then(([top]) =>
          resolve(top === undefined ? "It stopped." : `It's in ${top.name} at ${framePlace(top)}.`),
        );
      }),
      vscode.debug.onDidTerminateDebugSession(() => resolve("The program has ended.")),
      token.onCancellationRequested(() => reject(new HostToolFailed("Canceled; the program continues."))),
    );
  });
  stopped.catch(() => undefined); // the caller that awaits it handles the error
  return {
    stopped,
    end() {
      clearTimeout(timer);
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}

/** Starts a debug configuration and waits for it to pause. A cancelled call ends what it has started. */
export async function startDebugging(
  home: vscode.WorkspaceFolder | undefined,
  configuration: string,
  token: vscode.CancellationToken,
): Promise<string> {
  const started = new Set<vscode.DebugSession>();
  let isStarting = true;
  const stopAll = () => {
    for (const session of started) void vscode.debug.stopDebugging(session);
  };
  const wait = waitForStop(token);
  const subscriptions = [
    vscode.debug.onDidStartDebugSession((session) => {
      // A session that the user starts later is left alone.
      if ((session.parentSession === undefined && isStarting) || started.has(rootOf(session))) started.add(session);
      if (token.isCancellationRequested) stopAll();
    }),
    token.onCancellationRequested(stopAll),
  ];
  const begun = vscode.debug.startDebugging(home, configuration).then(
    (isStarted) => {
      if (!isStarted) throw new HostToolFailed(`"${configuration}" couldn't be started.`);
    },
    (error: unknown) => {
      throw new HostToolFailed(error instanceof Error ? error.message : String(error), { cause: error });
    },
  );
  const forget = () => {
    for (const subscription of subscriptions) subscription.dispose();
  };
  try {
    return await Promise.race([begun.then(() => wait.stopped), wait.stopped]);
  } finally {
    wait.end();
    // A cancelled call may have sessions that are only about to start, some as children of the first.
    const forgetSoon = () => {
      isStarting = false;
      if (token.isCancellationRequested) setTimeout(forget, LATE_SESSION_MS);
      else forget();
    };
    begun.then(forgetSoon, forgetSoon);
  }
}
