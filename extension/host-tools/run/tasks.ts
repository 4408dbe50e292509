import * as vscode from "vscode";
import { z } from "zod";
import { defineHostTool, type HostToolContext, HostToolFailed } from "../host-tool.ts";
import { count, listText, nextArgument } from "../listing.ts";
import { describeProblems } from "./problem-lines.ts";

/** Problem matchers report a moment after the process has ended, in milliseconds. */
const PROBLEMS_DELAY_MS = 500;

/** The tasks that there are. */
export const listTasks = defineHostTool({
  name: "vscode_list_tasks",
  label: "List tasks",
  description: "Lists the tasks of the workspace, such as build and test.",
  isReadOnly: true,
  need: "tasks",
  input: z.object({ next: nextArgument }),
  async run({ next }) {
    const tasks = await vscode.tasks.fetchTasks();
    const running = new Set(vscode.tasks.taskExecutions.map(({ task }) => nameOf(task)));
    const lines = tasks.map((task) => {
      const notes = [
        task.group?.id ?? "",
        task.isBackground ? "background" : "",
        running.has(nameOf(task)) ? "running" : "",
      ];
      const shown = notes.filter((note) => note !== "");
      return `${nameOf(task)}${shown.length === 0 ? "" : ` (${shown.join(", ")})`}`;
    });
    return listText({ title: `${count(tasks.length, "task")}:`, lines: lines.sort(), next });
  },
});

/** Runs a task to its end. */
export const runTask = defineHostTool({
  name: "vscode_run_task",
  label: "Run task",
  description:
    "Runs a task to its end. Returns exit code and problems, not output: for that use bash. A background task is only started.",
  isReadOnly: false,
  need: "tasks",
  input: z.object({ task: z.string().min(1).describe("from vscode_list_tasks") }),
  async run({ task: wanted }, context) {
    const tasks = await vscode.tasks.fetchTasks();
    const task = tasks.find((one) => nameOf(one) === wanted) ?? tasks.find(({ name }) => name === wanted);
    if (task === undefined) throw new HostToolFailed(`There is no task "${wanted}". vscode_list_tasks names them.`);
    context.update(`Running ${nameOf(task)}`);
    if (task.isBackground) {
      await vscode.tasks.executeTask(task);
      return `Started ${nameOf(task)}; it goes on in the background.`;
    }
    const exitCode = await runToEnd(task, context);
    await new Promise((resolve) => setTimeout(resolve, PROBLEMS_DELAY_MS));
    const ended = exitCode === undefined ? "ended without an exit code" : `ended with exit code ${exitCode}`;
    return [`${nameOf(task)} ${ended}.`, ...describeProblems()].join("\n");
  },
});

function nameOf({ source, name }: vscode.Task): string {
  return source === "" || source === "Workspace" ? name : `${source}: ${name}`;
}

/** @returns undefined for a task that is no process. */
function runToEnd(task: vscode.Task, { token }: HostToolContext): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    let execution: vscode.TaskExecution | undefined;
    let exitCode: number | undefined;
    const subscriptions = [
      vscode.tasks.onDidEndTaskProcess((event) => {
        if (event.execution === execution) exitCode = event.exitCode;
      }),
      vscode.tasks.onDidEndTask((event) => {
        if (event.execution !== execution) return;
        end();
        resolve(exitCode);
      }),
      token.onCancellationRequested(() => {
        execution?.terminate();
        end();
        reject(new HostToolFailed("Cancelled; the task was ended."));
      }),
    ];
    const end = () => {
      for (const subscription of subscriptions) subscription.dispose();
    };
    const fail = (error: unknown) => {
      end();
      reject(new HostToolFailed(`The task could not be started: ${String(error)}`, { cause: error }));
    };
    vscode.tasks.executeTask(task).then((started) => {
      execution = started;
      if (token.isCancellationRequested) started.terminate();
    }, fail);
  });
}
