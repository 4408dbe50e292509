import * as vscode from "vscode";
import { HostToolFailed } from "../host-tool.ts";

/** Maximum time for a task to start its process. Long, since machines may be busy and a task that does not start is ended. */
const START_WAIT_MS = 10_000;

/**
 * Runs a task and waits for its end. Cancelling ends the task, and so does giving up on its start.
 * @returns the exit code, or undefined for a task without a process.
 */
export async function runToEnd(task: vscode.Task, token: vscode.CancellationToken): Promise<number | undefined> {
  let execution: vscode.TaskExecution | undefined;
  let exitCode: number | undefined;
  /** Executions with a process: ours may have one before the editor says which execution is ours. */
  const withProcess = new Set<vscode.TaskExecution>();
  const hasStarted = () => !startsProcess(task) || (execution !== undefined && withProcess.has(execution));
  const subscriptions: vscode.Disposable[] = [];
  const ended = new Promise<number | undefined>((resolve, reject) => {
    const notStarted = () => reject(new HostToolFailed(notStartedText(task)));
    subscriptions.push(
      vscode.tasks.onDidStartTaskProcess((event) => {
        // The event also comes for a program that does not exist, without a process.
        if (event.processId > 0) withProcess.add(event.execution);
      }),
      vscode.tasks.onDidEndTaskProcess((event) => {
        if (event.execution === execution) exitCode = event.exitCode;
      }),
      vscode.tasks.onDidEndTask((event) => {
        if (event.execution !== execution) return;
        if (hasStarted()) resolve(exitCode);
        else notStarted();
      }),
      token.onCancellationRequested(() => {
        execution?.terminate();
        reject(new HostToolFailed("Canceled; the task was stopped."));
      }),
      every(START_WAIT_MS, () => {
        // The editor doesn't report the end of a task that shares a terminal and whose program doesn't exist.
        if (hasStarted() || !isAlone(execution)) return;
        execution?.terminate();
        notStarted();
      }),
    );
    vscode.tasks.executeTask(task).then(
      (started) => {
        execution = started;
        if (token.isCancellationRequested) started.terminate();
      },
      (error: unknown) =>
        reject(new HostToolFailed(`The task couldn't be started: ${String(error)}`, { cause: error })),
    );
  });
  try {
    return await ended;
  } finally {
    for (const subscription of subscriptions) subscription.dispose();
  }
}

function every(ms: number, look: () => void): vscode.Disposable {
  const timer = setInterval(look, ms);
  return { dispose: () => clearInterval(timer) };
}

function startsProcess({ execution }: vscode.Task): boolean {
  return execution instanceof vscode.ProcessExecution || execution instanceof vscode.ShellExecution;
}

/** True when no other task runs, which this one might be waiting for. */
function isAlone(execution: vscode.TaskExecution | undefined): boolean {
  return vscode.tasks.taskExecutions.every((other) => other === execution);
}

function notStartedText({ name }: vscode.Task): string {
  return `"${name}" started no process. Its program may be missing, or the editor is asking the user something first: the terminal says more. Check tasks.json, or use bash.`;
}
