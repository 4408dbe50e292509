import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";
import type { ContextBlock } from "../../../webview/protocol/context.ts";
import { type Problem, taskBlock, terminalBlock } from "../../core/mentions/context-blocks.ts";
import { NothingThere } from "./nothing-there.ts";

/** The length of the kept end of a command's output, at most twice that, in UTF-16 units. */
const MAX_HELD_CHARS = 256 * 1024;

interface TerminalRun {
  readonly execution: vscode.TerminalShellExecution;
  command: string;
  output: string;
  exitCode: number | undefined;
}

interface TaskRun {
  readonly name: string;
  exitCode: number | undefined;
  isRunning: boolean;
}

/** Remembers the last command of each terminal whose shell reports it, and the last task. */
export class LastRuns implements vscode.Disposable {
  readonly #terminals = new WeakMap<vscode.Terminal, TerminalRun>();
  readonly #subscriptions: vscode.Disposable[];
  #task: TaskRun | undefined;

  constructor() {
    this.#subscriptions = [
      vscode.window.onDidStartTerminalShellExecution((event) => this.#started(event)),
      vscode.window.onDidEndTerminalShellExecution(({ terminal, execution, exitCode }) => {
        const run = this.#terminals.get(terminal);
        if (run?.execution !== execution) return;
        run.exitCode = exitCode;
        run.command = execution.commandLine.value;
      }),
      vscode.tasks.onDidStartTask(({ execution }) => {
        this.#task = { name: execution.task.name, exitCode: undefined, isRunning: true };
      }),
      vscode.tasks.onDidEndTaskProcess(({ execution, exitCode }) => {
        if (this.#task?.name === execution.task.name) this.#task.exitCode = exitCode;
      }),
      vscode.tasks.onDidEndTask(({ execution }) => {
        if (this.#task?.name === execution.task.name) this.#task.isRunning = false;
      }),
    ];
  }

  /** Returns the last command of the active terminal with its output. @throws NothingThere with the reason. */
  terminal(): ContextBlock {
    const { activeTerminal } = vscode.window;
    if (activeTerminal === undefined) throw new NothingThere(t("No terminal is open."));
    const run = this.#terminals.get(activeTerminal);
    const { name } = activeTerminal;
    if (run !== undefined) return terminalBlock({ name, ...run });
    if (activeTerminal.shellIntegration === undefined) {
      throw new NothingThere(
        t('Shell integration isn\'t active in the terminal "{0}". Paste the command and its output instead.', name),
      );
    }
    throw new NothingThere(t('No command has run in the terminal "{0}" since Tiller started.', name));
  }

  /** Returns the result of the last task. @throws NothingThere when none has been run. */
  task(problems: readonly Problem[]): ContextBlock {
    if (this.#task === undefined) throw new NothingThere(t("No task has run since Tiller started."));
    return taskBlock({ ...this.#task, problems });
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #started({ terminal, execution }: vscode.TerminalShellExecutionStartEvent): void {
    const run: TerminalRun = { execution, command: execution.commandLine.value, output: "", exitCode: undefined };
    this.#terminals.set(terminal, run);
    void this.#read(run);
  }

  /** Reads the output; the stream ends with the command, or with its terminal. */
  async #read(run: TerminalRun): Promise<void> {
    for await (const data of run.execution.read()) {
      run.output += data;
      // Not at every piece: a command may write much in small pieces.
      if (run.output.length > 2 * MAX_HELD_CHARS) run.output = run.output.slice(-MAX_HELD_CHARS);
    }
  }
}
