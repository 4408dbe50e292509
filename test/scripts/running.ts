import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { expect } from "vitest";

const DEADLINE_MS = 1_200_000;

/** A program in a process group of its own, with all that it has written. */
export class Running {
  output = "";
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;

  constructor(command: string, args: string[], options: SpawnOptions) {
    this.#child = spawn(command, args, { ...options, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.output += text;
      });
    }
    this.#ended = once(this.#child, "close").then(() => this.#child.exitCode);
  }

  /** Resolves to the exit code once it has ended; null after a signal. */
  end(): Promise<number | null> {
    return this.#ended;
  }

  /** Resolves to what the pattern found first, once it is written. Rejects when the program ends before. */
  async says(pattern: RegExp): Promise<string> {
    await expect.poll(() => pattern.test(this.output) || this.#hasEnded(), { timeout: DEADLINE_MS }).toBe(true);
    const found = pattern.exec(this.output);
    if (found === null) throw new Error(`It ended and did not say ${pattern}:\n${this.output}`);
    return found[1] ?? found[0];
  }

  /** Sends a signal to the program and all that it has started. */
  async signal(name: NodeJS.Signals): Promise<void> {
    const { pid } = this.#child;
    if (pid !== undefined && !this.#hasEnded()) process.kill(-pid, name);
    await this.#ended;
  }

  #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }
}
