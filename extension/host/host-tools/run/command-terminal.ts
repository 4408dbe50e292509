import { stripVTControlCharacters } from "node:util";
import type * as vscode from "vscode";
import { t } from "../../../../webview/l10n.ts";
import { HostToolFailed } from "../host-tool.ts";
import { type CommandStart, type RunningCommand, startCommand } from "./running-command.ts";
import { ShownOutput } from "./shown-output.ts";
import type { RunEnd, TerminalRun } from "./terminal-run.ts";
import { TypedLine } from "./typed-line.ts";

const BELL = "\u0007";
const bold = (text: string) => `\u001b[1m${text}\u001b[0m`;
const faint = (text: string) => `\u001b[0;2m${text}\u001b[0m`;

/** Makes a command safe to show: replaces control characters that could hide or move a part of it. */
const readable = (command: string) => stripVTControlCharacters(command).replace(/[^\P{Cc}\n\t]/gu, "\ufffd");

/** A terminal without a waiting shell: it shows one command after another, each in a shell of its own. */
export class CommandTerminal implements vscode.Pseudoterminal {
  readonly onDidWrite: vscode.Event<string>;
  readonly #listeners = new Set<(text: string) => void>();
  readonly #shown = new ShownOutput((text) => this.#write(text));
  readonly #typed = new TypedLine({
    echo: (text) => this.#echo(text),
    send: (text) => this.#command?.type(text),
    interrupt: () => this.#command?.interrupt(),
    end: () => this.#command?.endInput(),
  });
  readonly #opened: Promise<boolean>;
  #settleOpened: (isOpen: boolean) => void = () => {};
  #isClosed = false;
  /** True once the terminal has told a user who typed between commands that it has no shell. */
  #isExplained = false;
  #command: RunningCommand | undefined;
  /** Commands that have left something running in the background. */
  #left: readonly RunningCommand[] = [];
  #tellClosed: () => void = () => {};

  constructor() {
    this.#opened = new Promise((resolve) => {
      this.#settleOpened = resolve;
    });
    this.onDidWrite = (listener, thisArgument) => {
      const tell = (text: string) => void listener.call(thisArgument, text);
      this.#listeners.add(tell);
      return { dispose: () => this.#listeners.delete(tell) };
    };
  }

  open(): void {
    this.#settleOpened(true);
  }

  /** Ends what runs, since the terminal or the window is closed. */
  close(): void {
    this.#isClosed = true;
    this.#settleOpened(false);
    this.#shown.end();
    this.#tellClosed();
    for (const command of [...this.#left, ...(this.#command === undefined ? [] : [this.#command])]) void command.stop();
    this.#left = [];
    this.#command = undefined;
  }

  handleInput(data: string): void {
    if (this.#command !== undefined) this.#typed.type(data);
    else if (this.#isExplained) this.#write(BELL);
    else {
      this.#isExplained = true;
      this.#say(t("Only the agent's commands run here. Open another terminal for your own."));
    }
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Resolves to true when the editor opens the terminal within `ms`, so that it shows what is written. */
  async isOpenWithin(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), ms);
    });
    const isOpen = await Promise.race([this.#opened, late]);
    clearTimeout(timer);
    return isOpen && !this.#isClosed;
  }

  /** Runs a command and shows it. Only one may run at a time. */
  async run(start: CommandStart, onData: (text: string) => void): Promise<TerminalRun> {
    this.#left = this.#left.filter((command) => command.isAlive);
    this.#shown.line(bold(`> ${readable(start.command)}`));
    const command = await startCommand(start, (text) => {
      onData(text);
      if (!this.#isClosed) this.#shown.add(text);
    }).catch((cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause);
      this.#say(t("Couldn't start the command: {0}", reason));
      throw new HostToolFailed(
        `The shell ${start.shell} couldn't be started in ${start.cwd}: ${reason}. Use bash, or ask the user to check the default shell of their terminal.`,
        { cause },
      );
    });
    if (this.#isClosed) void command.stop();
    else this.#command = command;
    return { ended: this.#endOf(command), cwd: () => undefined, stop: () => void command.stop() };
  }

  async #endOf(command: RunningCommand): Promise<RunEnd> {
    if (this.#isClosed) return { isClosed: true };
    const closed = new Promise<RunEnd>((resolve) => {
      this.#tellClosed = () => resolve({ isClosed: true });
    });
    const ended = command.ended.then((exitCode): RunEnd => ({ isClosed: false, exitCode }));
    const end = await Promise.race([ended, closed]);
    if (end.isClosed) return end;
    if (command.isAlive) this.#left = [...this.#left, command];
    this.#command = undefined;
    this.#typed.clear();
    this.#say(t("The command exited with code {0}.", end.exitCode ?? ""));
    return end;
  }

  /** Shows a line of ours below the output so far. */
  #say(text: string): void {
    if (!this.#isClosed) this.#shown.line(faint(`[${text}]`));
  }

  #echo(text: string): void {
    this.#shown.add(text);
    this.#shown.flush();
  }

  #write(text: string): void {
    for (const tell of this.#listeners) tell(text);
  }
}
