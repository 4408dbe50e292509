import * as vscode from "vscode";
import { type HostToolContext, HostToolFailed } from "../host-tool.ts";
import type { RunEnd, TerminalRun } from "./terminal-run.ts";

/** Maximum time for a shell to start, in milliseconds. */
export const START_WAIT_MS = 10_000;
/** Maximum time for a started shell to report its integration, in milliseconds. */
const INTEGRATION_WAIT_MS = 3_000;
/** The name of the agent's terminals. */
export const TERMINAL_NAME = "Tiller";
/** The character that Ctrl+C types. */
const INTERRUPT = "\u0003";

/** A shell that does not report its output to the editor. */
interface SilentShell {
  /** Closes its terminal, if one was opened to find out. */
  close(): void;
}

/** The agent's terminals whose shells report their output and the ends of commands to the editor. */
export class ShellTerminals {
  /** Terminals in which a command of ours runs or is about to: anything typed there would go to that command. */
  readonly #busy = new WeakSet<vscode.Terminal>();
  /** Terminals in which no command runs. A terminal older than this window is unknown until a command ends in it. */
  readonly #idle = new WeakSet<vscode.Terminal>();
  /** Shells that did not report to the editor: no further terminal waits for them. */
  readonly #silent = new Set<string>();
  readonly #subscriptions: readonly vscode.Disposable[];

  constructor() {
    const lookAgain = () => this.#silent.clear();
    this.#subscriptions = [
      vscode.window.onDidChangeTerminalShellIntegration(lookAgain),
      vscode.window.onDidStartTerminalShellExecution(({ terminal }) => this.#idle.delete(terminal)),
      vscode.window.onDidEndTerminalShellExecution(({ terminal }) => this.#idle.add(terminal)),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("terminal.integrated")) lookAgain();
      }),
    ];
  }

  /** Runs a command, unless the user's shell does not report its output: then nothing is run. */
  async run(
    command: string,
    { folder, token }: Pick<HostToolContext, "folder" | "token">,
    onData: (text: string) => void,
  ): Promise<TerminalRun | SilentShell> {
    const { shell: kind } = vscode.env;
    if (this.#silent.has(kind)) return { close: () => {} };
    const { terminal, isNew } = this.#find(folder);
    this.#busy.add(terminal);
    let run: TerminalRun | undefined;
    try {
      terminal.show(true);
      const shell = await shellOf(terminal, token);
      if (token.isCancellationRequested) throw new HostToolFailed("Canceled; nothing ran.");
      if (shell === undefined) {
        if (terminal.exitStatus?.reason === vscode.TerminalExitReason.User) {
          throw new HostToolFailed("The user closed the terminal before the command ran.");
        }
        this.#silent.add(kind);
        return { close: () => isNew && terminal.dispose() };
      }
      run = follow(terminal, shell.executeCommand(command), onData);
      const free = () => this.#busy.delete(terminal);
      run.ended.then(free, free);
      return run;
    } finally {
      if (run === undefined) this.#busy.delete(terminal);
    }
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  /** Returns the agent's terminal for this folder in which nothing runs, neither of the agent nor of the user; opens one if there is none. */
  #find(folder: string): { terminal: vscode.Terminal; isNew: boolean } {
    const free = vscode.window.terminals.find(
      (terminal) =>
        terminal.name === TERMINAL_NAME &&
        "cwd" in terminal.creationOptions &&
        terminal.creationOptions.cwd === folder &&
        terminal.exitStatus === undefined &&
        this.#idle.has(terminal) &&
        !this.#busy.has(terminal),
    );
    if (free !== undefined) return { terminal: free, isNew: false };
    const iconPath = new vscode.ThemeIcon("robot");
    const terminal = vscode.window.createTerminal({ name: TERMINAL_NAME, cwd: folder, iconPath });
    this.#idle.add(terminal);
    return { terminal, isNew: true };
  }
}

/** Waits for the shell integration. @returns undefined when the shell does not report it in time, or exits. */
function shellOf(
  terminal: vscode.Terminal,
  token: vscode.CancellationToken,
): Promise<vscode.TerminalShellIntegration | undefined> {
  if (terminal.shellIntegration !== undefined) return Promise.resolve(terminal.shellIntegration);
  return new Promise((resolve) => {
    let isOver = false;
    const end = (shell: vscode.TerminalShellIntegration | undefined) => {
      isOver = true;
      clearTimeout(timer);
      for (const subscription of subscriptions) subscription.dispose();
      resolve(shell);
    };
    let timer = setTimeout(() => end(undefined), START_WAIT_MS);
    // A busy machine takes its time to start a shell; its own time counts from then on.
    void Promise.resolve(terminal.processId).then(() => {
      clearTimeout(timer);
      if (!isOver) timer = setTimeout(() => end(undefined), INTEGRATION_WAIT_MS);
    });
    const subscriptions = [
      vscode.window.onDidChangeTerminalShellIntegration((event) => {
        if (event.terminal === terminal) end(event.shellIntegration);
      }),
      vscode.window.onDidCloseTerminal((closed) => {
        if (closed === terminal) end(undefined);
      }),
      token.onCancellationRequested(() => end(undefined)),
    ];
  });
}

function follow(
  terminal: vscode.Terminal,
  execution: vscode.TerminalShellExecution,
  onData: (text: string) => void,
): TerminalRun {
  const ended = endOf(terminal, execution);
  const reading = (async () => {
    for await (const data of execution.read()) onData(data);
  })();
  // Callers that await the end get the error, too.
  reading.catch(() => {});
  return {
    // The last output comes with the end of the stream, which a closed terminal never reaches.
    ended: ended.then(async (end) => {
      if (!end.isClosed) await reading;
      return end;
    }),
    cwd: () => execution.cwd?.fsPath,
    stop: () => terminal.sendText(INTERRUPT, false),
  };
}

function endOf(terminal: vscode.Terminal, execution: vscode.TerminalShellExecution): Promise<RunEnd> {
  return new Promise((resolve) => {
    const end = (how: RunEnd) => {
      for (const subscription of subscriptions) subscription.dispose();
      resolve(how);
    };
    const subscriptions = [
      vscode.window.onDidEndTerminalShellExecution((event) => {
        if (event.execution === execution) end({ isClosed: false, exitCode: event.exitCode });
      }),
      vscode.window.onDidCloseTerminal((closed) => {
        if (closed === terminal) end({ isClosed: true });
      }),
    ];
  });
}
