import type * as vscode from "vscode";
import { HostToolFailed } from "../host-tool.ts";
import { OutputTail } from "./output-tail.ts";

const MAX_OUTPUT_BYTES = 14_000;
/** Interval between updates of the output for the user and the model, in milliseconds. */
const UPDATE_INTERVAL_MS = 200;

/** The way in which a command in a terminal ended. */
export interface RunEnd {
  /** True when the terminal was closed while the command ran. */
  readonly isClosed: boolean;
  /** Undefined when the shell does not report it. */
  readonly exitCode?: number | undefined;
}

/** A command that runs in a terminal. */
export interface TerminalRun {
  /** Resolves once all output has been passed on. */
  readonly ended: Promise<RunEnd>;
  /** The folder that it runs in, if that may differ from the requested one. */
  cwd(): string | undefined;
  stop(): void;
}

/** Collects the output of a command and shows it at intervals until `end`. */
export class RunOutput {
  readonly #tail = new OutputTail(MAX_OUTPUT_BYTES);
  readonly #update: (text: string) => void;
  #timer: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(update: (text: string) => void) {
    this.#update = update;
  }

  add(data: string): void {
    if (this.#hasEnded) return;
    this.#tail.add(data);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#update(this.text());
    }, UPDATE_INTERVAL_MS);
  }

  text(): string {
    return this.#tail.text();
  }

  end(): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
  }
}

/** Waits for a command to end within its time limit; cancelling stops it. @returns the outcome for the model. */
export async function outcomeOf(
  run: TerminalRun,
  timeoutSeconds: number,
  token: vscode.CancellationToken,
): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  let listener: vscode.Disposable | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), timeoutSeconds * 1_000);
  });
  const cancelled = new Promise<never>((_, reject) => {
    listener = token.onCancellationRequested(() => {
      run.stop();
      reject(new HostToolFailed("Canceled; the command was stopped."));
    });
  });
  try {
    const end = await Promise.race([run.ended, late, cancelled]);
    if (end === "late") return `Still running after ${timeoutSeconds} seconds; it continues in the terminal. So far:`;
    if (end.isClosed) throw new HostToolFailed("The terminal was closed before the command ended.");
    return end.exitCode === undefined ? "Ended without an exit code." : `Ended with exit code ${end.exitCode}.`;
  } finally {
    clearTimeout(timer);
    listener?.dispose();
  }
}
