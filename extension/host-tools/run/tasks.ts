import * as vscode from "vscode";
import * as z from "zod";
import { editorProblems } from "../editor-problems.ts";
import { defineHostTool, HostToolFailed } from "../host-tool.ts";
import { count, listText, nextArgument } from "../listing.ts";
import { settled } from "../problem-watch.ts";
import { problemLine } from "../problem-words.ts";
import { runToEnd } from "./task-run.ts";

/** Problem matchers report a moment after the process has ended, in milliseconds. */
const PROBLEMS_DELAY_MS = 500;
const MAX_PROBLEMS = 50;

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
    if (vscode.tasks.taskExecutions.some((execution) => nameOf(execution.task) === nameOf(task))) {
      throw new HostToolFailed(`${nameOf(task)} is running already. Wait for its end, or ask the user to end it.`);
    }
    if (context.token.isCancellationRequested) throw new HostToolFailed("Cancelled; nothing was run.");
    context.update(`Running ${nameOf(task)}`);
    if (task.isBackground) {
      await vscode.tasks.executeTask(task);
      return `Started ${nameOf(task)}; it goes on in the background.`;
    }
    const exitCode = await runToEnd(task, context.token);
    await settled(context.token, PROBLEMS_DELAY_MS);
    const ended = exitCode === undefined ? "ended without an exit code" : `ended with exit code ${exitCode}`;
    return [`${nameOf(task)} ${ended}.`, ...problemLines()].join("\n");
  },
});

function nameOf({ source, name }: vscode.Task): string {
  return source === "" || source === "Workspace" ? name : `${source}: ${name}`;
}

/** The errors and warnings that the editor knows of now. */
function problemLines(): string[] {
  const problems = editorProblems();
  if (problems.length === 0) return ["The editor knows of no problems."];
  const rest = problems.length - MAX_PROBLEMS;
  const lines = problems.slice(0, MAX_PROBLEMS).map(problemLine);
  return ["Problems:", ...lines, ...(rest > 0 ? [`(${rest} more)`] : [])];
}
