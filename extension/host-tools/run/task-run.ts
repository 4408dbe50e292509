import * as vscode from "vscode";
import { HostToolFailed } from "../host-tool.ts";

/** The process of a task starts within this time, if it can be started, in milliseconds. */
const START_WAIT_MS = 5_000;

/** Runs a task and waits for its end; cancelling ends it. @returns its exit code; undefined for a task that is no process. */
export async function runToEnd(task: vscode.Task, token: vscode.CancellationToken): Promise<number | undefined> {
  let execution: vscode.TaskExecution | undefined;
  let exitCode: number | undefined;
  let hasProcess = false;
  const subscriptions: vscode.Disposable[] = [];
  const ended = new Promise<number | undefined>((resolve, reject) => {
    subscriptions.push(
      vscode.tasks.onDidStartTaskProcess((event) => {
        if (event.execution === execution) hasProcess = true;
      }),
      vscode.tasks.onDidEndTaskProcess((event) => {
        if (event.execution === execution) exitCode = event.exitCode;
      }),
      vscode.tasks.onDidEndTask((event) => {
        if (event.execution === execution) resolve(exitCode);
      }),
      token.onCancellationRequested(() => {
        execution?.terminate();
        reject(new HostToolFailed("Cancelled; the task was ended."));
      }),
      every(START_WAIT_MS, () => {
        // The editor tells nobody of a program that is not there: such a task starts no process and does not end.
        if (!hasProcess && startsProcess(task) && isAlone(execution)) reject(new HostToolFailed(notStarted(task)));
      }),
    );
    vscode.tasks.executeTask(task).then(
      (started) => {
        execution = started;
        if (token.isCancellationRequested) started.terminate();
      },
      (error: unknown) =>
        reject(new HostToolFailed(`The task could not be started: ${String(error)}`, { cause: error })),
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

/** Whether no other task runs, which this one might be waiting for. */
function isAlone(execution: vscode.TaskExecution | undefined): boolean {
  return vscode.tasks.taskExecutions.every((other) => other === execution);
}

function notStarted({ name }: vscode.Task): string {
  return `"${name}" has started no process within ${START_WAIT_MS / 1_000} seconds. Its program may not be there, or the editor asks the user for something first: the terminal says more. Check tasks.json, or use bash.`;
}
