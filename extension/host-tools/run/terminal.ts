import * as vscode from "vscode";
import * as z from "zod";
import { defineHostTool, type HostToolContext, HostToolFailed } from "../host-tool.ts";
import { OutputTail } from "./output-tail.ts";

/** A shell has started within this time, in milliseconds. */
const START_WAIT_MS = 10_000;
/** Once started, it says that it can be followed within this time, or not at all, in milliseconds. */
const INTEGRATION_WAIT_MS = 3_000;
const DEFAULT_SECONDS = 120;
const MAX_SECONDS = 1_800;
const MAX_OUTPUT_BYTES = 14_000;
/** The user and the model are shown what there is so far in this interval, in milliseconds. */
const UPDATE_INTERVAL_MS = 200;
const NAME = "Tiller";
/** What Ctrl+C types. */
const INTERRUPT = "\u0003";

/** Runs a command in a terminal that the user sees. */
export const runInTerminal = defineHostTool({
  name: "vscode_run_in_terminal",
  label: "Run in terminal",
  description:
    "Runs a command in a terminal that the user sees, for what needs their shell or input. Otherwise use bash.",
  isReadOnly: false,
  input: z.object({
    command: z.string().min(1),
    timeoutSeconds: z.int().min(1).max(MAX_SECONDS).default(DEFAULT_SECONDS).describe("then it goes on unwatched"),
  }),
  async run({ command, timeoutSeconds }, context) {
    const terminal = findTerminal(context.folder);
    terminal.show(true);
    const shell = await shellOf(terminal, context.token);
    if (context.token.isCancellationRequested) throw new HostToolFailed("Cancelled; nothing was run.");
    if (shell === undefined) {
      terminal.sendText(command, true);
      return "The command was sent to the terminal, but this shell does not tell the editor what it prints or how it ends (no shell integration within 3 seconds). Ask the user what came of it, or use bash.";
    }
    const execution = shell.executeCommand(command);
    keepBusy(terminal, execution);
    const result = await follow({ terminal, execution, timeoutMs: timeoutSeconds * 1_000 }, context);
    return `${elsewhere(execution, context.folder)}${result}`;
  },
});

/** Terminals in which a command of ours runs: what is typed there would go to that command. */
const busy = new WeakSet<vscode.Terminal>();

/** Until the command ends, whether or not anybody still waits for it. */
function keepBusy(terminal: vscode.Terminal, execution: vscode.TerminalShellExecution): void {
  busy.add(terminal);
  const free = () => {
    busy.delete(terminal);
    for (const subscription of subscriptions) subscription.dispose();
  };
  const subscriptions = [
    vscode.window.onDidEndTerminalShellExecution((event) => event.execution === execution && free()),
    vscode.window.onDidCloseTerminal((closed) => closed === terminal && free()),
  ];
}

/** One that the agent has for this folder, in which nothing of its runs. */
function findTerminal(folder: string): vscode.Terminal {
  const free = vscode.window.terminals.find(
    (terminal) =>
      terminal.name === NAME &&
      "cwd" in terminal.creationOptions &&
      terminal.creationOptions.cwd === folder &&
      terminal.exitStatus === undefined &&
      !busy.has(terminal),
  );
  return free ?? vscode.window.createTerminal({ name: NAME, cwd: folder, iconPath: new vscode.ThemeIcon("robot") });
}

/** Says where a command ran, if an earlier one had left its shell elsewhere. */
function elsewhere({ cwd }: vscode.TerminalShellExecution, folder: string): string {
  return cwd === undefined || cwd.fsPath === folder ? "" : `It ran in ${cwd.fsPath}, where the shell was. `;
}

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
    // A busy machine takes its time to start a shell; what the shell needs counts from then on.
    void Promise.resolve(terminal.processId).then(() => {
      clearTimeout(timer);
      if (!isOver) timer = setTimeout(() => end(undefined), INTEGRATION_WAIT_MS);
    });
    const subscriptions = [
      vscode.window.onDidChangeTerminalShellIntegration((event) => {
        if (event.terminal === terminal) end(event.shellIntegration);
      }),
      token.onCancellationRequested(() => end(undefined)),
    ];
  });
}

interface Run {
  readonly terminal: vscode.Terminal;
  readonly execution: vscode.TerminalShellExecution;
  readonly timeoutMs: number;
}

async function follow(run: Run, { token, update }: HostToolContext): Promise<string> {
  const output = new OutputTail(MAX_OUTPUT_BYTES);
  let timer: NodeJS.Timeout | undefined;
  const end = endOf(run, token);
  const reading = (async () => {
    for await (const data of run.execution.read()) {
      output.add(data);
      timer ??= setTimeout(() => {
        timer = undefined;
        update(output.text());
      }, UPDATE_INTERVAL_MS);
    }
  })();
  try {
    const outcome = await end;
    // The last of what was printed comes with the end of the stream, which a command that goes on does not reach.
    if (outcome.isOver) await reading;
    return `${outcome.text}\n${output.text()}`;
  } finally {
    clearTimeout(timer);
  }
}

interface Outcome {
  readonly isOver: boolean;
  readonly text: string;
}

function endOf({ terminal, execution, timeoutMs }: Run, token: vscode.CancellationToken): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const done = () => {
      clearTimeout(timer);
      for (const subscription of subscriptions) subscription.dispose();
    };
    const late = () => {
      done();
      resolve({
        isOver: false,
        text: `Still running after ${timeoutMs / 1_000} seconds; it goes on in the terminal. So far:`,
      });
    };
    const timer = setTimeout(late, timeoutMs);
    const subscriptions = [
      vscode.window.onDidEndTerminalShellExecution((event) => {
        if (event.execution !== execution) return;
        done();
        const code = event.exitCode === undefined ? "without telling an exit code" : `with exit code ${event.exitCode}`;
        resolve({ isOver: true, text: `Ended ${code}.` });
      }),
      vscode.window.onDidCloseTerminal((closed) => {
        if (closed !== terminal) return;
        done();
        reject(new HostToolFailed("The terminal was closed before the command ended."));
      }),
      token.onCancellationRequested(() => {
        done();
        terminal.sendText(INTERRUPT, false);
        reject(new HostToolFailed("Cancelled; the command was interrupted."));
      }),
    ];
  });
}
