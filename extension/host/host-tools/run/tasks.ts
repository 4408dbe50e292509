import * as vscode from "vscode";
import * as z from "zod";
import { editorProblems } from "../editor-problems.ts";
import { defineHostTool, HostToolFailed } from "../host-tool.ts";
import { settled } from "../language/settled.ts";
import { count, listText, nextArgument } from "../listing.ts";
import { problemLine } from "../problem-words.ts";
import { findTasks } from "./task-names.ts";
import { runToEnd } from "./task-run.ts";

/** Problem matchers report a moment after the process has exited, in milliseconds. */
const PROBLEMS_DELAY_MS = 500;
const MAX_PROBLEMS = 50;

/** Lists the tasks of the workspace. */
export const listTasks = defineHostTool({
  name: "vscode_list_tasks",
  label: "List tasks",
  description: "Lists the workspace's tasks, such as build and test.",
  isReadOnly: true,
  need: "tasks",
  input: z.object({ next: nextArgument }),
  async run({ next }, { folder }) {
    const tasks = (await vscode.tasks.fetchTasks()).map((task) => named(task, folder));
    const running = new Set(vscode.tasks.taskExecutions.map(({ task }) => named(task, folder).shown));
    const lines = tasks.map(({ task, shown: name }) => {
      const notes = [task.group?.id ?? "", task.isBackground ? "background" : "", running.has(name) ? "running" : ""];
      const shown = notes.filter((note) => note !== "");
      return `${name}${shown.length === 0 ? "" : ` (${shown.join(", ")})`}`;
    });
    return listText({ title: `${count(tasks.length, "task")}:`, lines: lines.sort(), next });
  },
});

/** Runs a task to its end. */
export const runTask = defineHostTool({
  name: "vscode_run_task",
  label: "Run task",
  description:
    "Runs a task to its end. Returns the exit code and problems, not the output; for that, use bash. Only starts background tasks.",
  isReadOnly: false,
  subject: ["task"],
  need: "tasks",
  input: z.object({ task: z.string().min(1).describe("from vscode_list_tasks") }),
  async run({ task: wanted }, context) {
    const tasks = (await vscode.tasks.fetchTasks()).map((one) => named(one, context.folder));
    const [found, ...others] = findTasks(tasks, wanted);
    if (found === undefined) throw new HostToolFailed(`There's no task "${wanted}". List them with vscode_list_tasks.`);
    if (others.length > 0) {
      const names = [found, ...others].map(({ shown }) => shown).join(", ");
      throw new HostToolFailed(`There are ${others.length + 1} tasks "${wanted}". Say which one: ${names}.`);
    }
    const { task, shown: name } = found;
    if (vscode.tasks.taskExecutions.some((execution) => named(execution.task, context.folder).shown === name)) {
      throw new HostToolFailed(`${name} is already running. Wait for it to finish, or ask the user to stop it.`);
    }
    if (context.token.isCancellationRequested) throw new HostToolFailed("Canceled; nothing ran.");
    context.update(`Running ${name}`);
    if (task.isBackground) {
      await vscode.tasks.executeTask(task);
      return `Started ${name}; it continues in the background.`;
    }
    const exitCode = await runToEnd(task, context.token);
    await settled(context.token, PROBLEMS_DELAY_MS);
    const ended = exitCode === undefined ? "ended without an exit code" : `ended with exit code ${exitCode}`;
    return [`${name} ${ended}.`, ...problemLines(exitCode === 0)].join("\n");
  },
});

interface ShownTask {
  readonly task: vscode.Task;
  readonly shown: string;
  readonly names: readonly string[];
  readonly isHere: boolean;
}

/** Names a task; in a window of several folders, with its folder. */
function named(task: vscode.Task, folder: string): ShownTask {
  const { source, name, scope } = task;
  const full = source === "" || source === "Workspace" ? name : `${source}: ${name}`;
  const home = typeof scope === "object" ? scope : undefined;
  const hasSeveral = (vscode.workspace.workspaceFolders ?? []).length > 1;
  const shown = home === undefined || !hasSeveral ? full : `${full} (${home.name})`;
  return { task, shown, names: [full, name], isHere: home?.uri.fsPath === folder };
}

/** Lists the errors and warnings that the editor knows of now. */
function problemLines(isWell: boolean): string[] {
  const problems = editorProblems();
  if (problems.length === 0) {
    return [`The editor knows of no problems.${isWell ? "" : " Run its command with bash to read what it printed."}`];
  }
  const rest = problems.length - MAX_PROBLEMS;
  const lines = problems.slice(0, MAX_PROBLEMS).map(problemLine);
  return ["Problems:", ...lines, ...(rest > 0 ? [`(${rest} more)`] : [])];
}
