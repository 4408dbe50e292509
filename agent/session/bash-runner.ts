import type { BashResult } from "../protocol/commands.ts";
import type { CommandId } from "../protocol/envelope.ts";
import type { BashExecutionMessage } from "../protocol/messages.ts";
import type { ContainedCommand } from "../tools/contained.ts";
import { runShell, type ShellCommand, type ShellExit } from "../tools/shell.ts";
import type { ShellSettings } from "../tools/tool.ts";
import { OutputCollector, type OutputSnapshot } from "../util/output-collector.ts";

interface BashRunnerOptions {
  cwd: string;
  /** The whole environment of the commands. */
  env(): Readonly<Record<string, string | undefined>>;
  shell: ShellSettings;
  onUpdate(id: CommandId | undefined, delta: string): void;
  /** Resolves when the host has read enough; undefined when there is no need to wait. */
  ready(): Promise<void> | undefined;
  /**
   * Runs the command elsewhere; undefined leaves it to the local shell. @throws Error with the reason why the command
   * doesn't run at all.
   */
  divert?(request: BashRequest, signal: AbortSignal): Promise<Diversion | undefined>;
  /** Makes a sandbox ready for a command of the local shell; undefined if it runs without one. @throws Error when there is none. */
  contain?(request: BashRequest, signal: AbortSignal): Promise<ContainedCommand | undefined>;
}

/** An extension's answer to a command: its result, or a way to run it. */
export type Diversion =
  | { kind: "result"; output: string; exit: ShellExit; isTruncated: boolean; fullOutputPath: string | undefined }
  | { kind: "run"; run(command: ShellCommand): Promise<ShellExit> };

export interface BashRequest {
  id: CommandId | undefined;
  command: string;
  excludeFromContext: boolean;
  timeoutMs: number | undefined;
}

/** Runs the host's own shell commands, several at once if necessary, and creates a message for each. */
export class BashRunner {
  readonly #options: BashRunnerOptions;
  readonly #running = new Set<AbortController>();

  constructor(options: BashRunnerOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#running.size > 0;
  }

  /** Kills the process trees of all running commands; each still returns its result. */
  abort(): void {
    for (const controller of this.#running) controller.abort();
  }

  /** @throws Error when the shell cannot be started. */
  async run(request: BashRequest): Promise<{ result: BashResult; message: BashExecutionMessage }> {
    const controller = new AbortController();
    this.#running.add(controller);
    try {
      const result = await this.#execute(request, controller.signal);
      return { result, message: toMessage(request, result) };
    } finally {
      this.#running.delete(controller);
    }
  }

  async #execute(request: BashRequest, signal: AbortSignal): Promise<BashResult> {
    const diversion = await this.#options.divert?.(request, signal);
    if (diversion?.kind === "result") return suppliedResult(diversion);
    if (diversion !== undefined) return this.#runIn(diversion.run, request, signal);
    const contained = await this.#options.contain?.(request, signal);
    if (contained === undefined) return this.#runIn(runShell, request, signal);
    try {
      return await this.#runIn(runShell, request, signal, contained);
    } finally {
      await contained.end();
    }
  }

  async #runIn(
    run: (command: ShellCommand) => Promise<ShellExit>,
    request: BashRequest,
    signal: AbortSignal,
    contained?: ContainedCommand,
  ): Promise<BashResult> {
    const { cwd, env, shell, onUpdate, ready } = this.#options;
    const onText = (delta: string) => onUpdate(request.id, delta);
    const collector = new OutputCollector({ onText, directory: contained?.folder });
    const exit = await run({
      command: request.command,
      cwd,
      env: env(),
      shell,
      ...(request.timeoutMs === undefined ? {} : { timeoutMs: request.timeoutMs }),
      onData(chunk) {
        collector.push(chunk);
        return ready();
      },
      signal,
      contained,
    });
    if (contained !== undefined && exit.exitCode !== 0 && exit.reason === "exit") {
      const refused = await contained.refusalIn(collector.snapshot().text);
      if (refused !== undefined) collector.push(Buffer.from(`[The sandbox seems to have refused ${refused}.]\n`));
    }
    return toResult(exit, await collector.finish());
  }
}

/** Cuts a result that an extension supplies like any other. */
async function suppliedResult(supplied: Extract<Diversion, { kind: "result" }>): Promise<BashResult> {
  const collector = new OutputCollector();
  collector.push(Buffer.from(supplied.output));
  const result = toResult(supplied.exit, await collector.finish());
  const fullOutputPath = result.fullOutputPath ?? supplied.fullOutputPath;
  return {
    ...result,
    truncated: result.truncated || supplied.isTruncated,
    ...(fullOutputPath === undefined ? {} : { fullOutputPath }),
  };
}

function toResult(exit: ShellExit, output: OutputSnapshot): BashResult {
  return {
    output: output.text,
    ...(exit.reason === "exit" && exit.exitCode !== null ? { exitCode: exit.exitCode } : {}),
    cancelled: exit.reason === "aborted",
    truncated: output.truncation.truncated,
    ...(output.fullOutputPath === undefined ? {} : { fullOutputPath: output.fullOutputPath }),
    totalLines: output.truncation.totalLines,
    totalBytes: output.truncation.totalBytes,
    outputLines: output.truncation.outputLines,
    outputBytes: output.truncation.outputBytes,
  };
}

function toMessage(request: BashRequest, result: BashResult): BashExecutionMessage {
  return {
    role: "bashExecution",
    command: request.command,
    output: result.output,
    ...(result.exitCode === undefined ? {} : { exitCode: result.exitCode }),
    cancelled: result.cancelled,
    truncated: result.truncated,
    ...(result.fullOutputPath === undefined ? {} : { fullOutputPath: result.fullOutputPath }),
    ...(request.excludeFromContext ? { excludeFromContext: true } : {}),
    timestamp: Date.now(),
  };
}
