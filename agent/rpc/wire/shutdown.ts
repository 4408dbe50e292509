/** The signals that end the process, and their exit codes. */
export const EXIT_CODES = { endOfInput: 0, SIGTERM: 143, SIGHUP: 129, SIGINT: 130, fatal: 70 } as const;

export type ShutdownSignal = "SIGTERM" | "SIGHUP" | "SIGINT";

const HARD_LIMIT_MS = 5000;
const STDOUT_LIMIT_MS = 500;

export interface ShutdownSteps {
  /** Settles everything that waits for the host. */
  disconnect(): void;
  /** Ends the run and the shell commands. */
  abortWork(): Promise<void>;
  /** Resolves when all commands are answered. */
  idle(): Promise<void>;
  /** Closes files and ends child processes. */
  close(): Promise<void>;
  flushOutput(limitMs: number): Promise<void>;
  /** Ends the process. */
  exit(code: number): void;
}

/** Ends the process in order, once. A second signal ends it at once; so does the limit of five seconds. */
export class Shutdown {
  readonly #steps: ShutdownSteps;
  #isSignalled = false;
  /** Undefined until it begins. */
  #exitCode: number | undefined;

  constructor(steps: ShutdownSteps) {
    this.#steps = steps;
  }

  /** Called when the host closes its end or stops reading. */
  endOfInput(): void {
    this.#start(EXIT_CODES.endOfInput);
  }

  /** Called when the agent can't continue after a failure; an orderly shutdown that has begun counts as failed. */
  fail(): void {
    this.#start(EXIT_CODES.fatal);
    if (this.#exitCode === EXIT_CODES.endOfInput) this.#exitCode = EXIT_CODES.fatal;
  }

  signal(name: ShutdownSignal): void {
    if (this.#isSignalled) {
      this.#steps.exit(EXIT_CODES[name]);
      return;
    }
    this.#isSignalled = true;
    this.#start(EXIT_CODES[name]);
  }

  #start(code: number): void {
    if (this.#exitCode !== undefined) return;
    this.#exitCode = code;
    const exit = () => this.#steps.exit(this.#exitCode ?? code);
    setTimeout(exit, HARD_LIMIT_MS);
    void this.#run().finally(exit);
  }

  async #run(): Promise<void> {
    const steps = this.#steps;
    steps.disconnect();
    await steps.abortWork();
    await steps.idle();
    await steps.abortWork(); // a prompt that was still being answered has begun its run meanwhile
    await steps.close();
    await steps.flushOutput(STDOUT_LIMIT_MS);
  }
}
