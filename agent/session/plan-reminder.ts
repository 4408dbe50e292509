import type { LowRunEnd } from "../loop/agent-loop.ts";
import type { Delivery, Emit } from "../loop/loop-host.ts";
import type { AssistantMessage } from "../protocol/messages.ts";
import type { PlanTask } from "../protocol/plan.ts";
import type { Plan } from "./plan.ts";

/** The maximum number of reminders for one prompt: each costs a request. */
const MAX_REMINDERS = 1;
/** The maximum number of tasks in a reminder: the rest is in the model's plan. */
const MAX_LISTED_TASKS = 20;

interface PlanReminderOptions {
  plan: Plan;
  emit: Emit;
  /** True if the model could change the plan. */
  canWrite(): boolean;
}

/** Makes the model continue, within one run, when it stops with open tasks in its plan. */
export class PlanReminder {
  readonly #options: PlanReminderOptions;
  #count = 0;

  constructor(options: PlanReminderOptions) {
    this.#options = options;
  }

  /** True if the model stopped by itself with open tasks, doesn't ask the user anything, and may be reminded. */
  isDueAfter(end: LowRunEnd): boolean {
    if (end.kind !== "done" || this.#count >= MAX_REMINDERS || !this.#options.canWrite()) return false;
    const last = end.messages.at(-1);
    if (last?.role !== "assistant" || last.stopReason !== "stop" || this.#options.plan.openTasks().length === 0) {
      return false;
    }
    return !endsWithQuestion(last);
  }

  /** Sends the event of the reminder. @returns the message that opens the next low run; people do not see it. */
  async remind(): Promise<Delivery[]> {
    this.#count++;
    const tasks = this.#options.plan.openTasks();
    await this.#options.emit({ type: "todo_reminder", todos: tasks, attempt: this.#count, maxAttempts: MAX_REMINDERS });
    return [
      {
        message: {
          role: "custom",
          customType: "todo-reminder",
          content: reminderText(tasks),
          display: false,
          timestamp: Date.now(),
        },
      },
    ];
  }
}

/** True if the last line of a message is a question, whatever closes it: Markdown, a bracket, a quotation mark. */
function endsWithQuestion({ content }: AssistantMessage): boolean {
  const last = content.findLast((block) => block.type === "text");
  return last?.type === "text" && /[?？؟][*_`~"'”’»)\]\s]*$/u.test(last.text);
}

function reminderText(tasks: readonly PlanTask[]): string {
  const listed = tasks.slice(0, MAX_LISTED_TASKS).map(({ id, content, status }) => `- ${id} ${content} [${status}]`);
  const more = tasks.length > listed.length ? [`- and ${tasks.length - listed.length} more`] : [];
  return [
    "<system-reminder>",
    "You stopped, but these tasks of your plan are open:",
    ...listed,
    ...more,
    "Carry on with them. If a task is done or no longer needed, mark it as completed or abandoned with todo_write. If something keeps you from going on, say what.",
    "</system-reminder>",
  ].join("\n");
}
