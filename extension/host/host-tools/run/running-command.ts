import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { killTree } from "../../../../agent/util/process-tree.ts";
import { shellCall } from "./shell-call.ts";

/** A background process may hold the output open: the command is over once its output was quiet for this long, in milliseconds. */
const QUIET_MS = 100;
/** Maximum wait when a background process keeps printing, in milliseconds. */
const MAX_DRAIN_MS = 1_500;
const IS_WINDOWS = process.platform === "win32";

/** A command, its shell, folder and environment. */
export interface CommandStart {
  readonly command: string;
  /** The path of the shell's executable. */
  readonly shell: string;
  readonly cwd: string;
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** Commands with a process that may still run. */
const running = new Set<RunningCommand>();

/** A command in its own shell, with open pipes. On POSIX it leads a process group, which is stopped as a whole. */
export class RunningCommand {
  /** Resolves to the exit code as shells count it, once the output has been read. Never rejects. */
  readonly ended: Promise<number>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #pid: number;
  #chunks = 0;

  /** Takes over a child process that has started. Use `startCommand` instead. */
  constructor(child: ChildProcessWithoutNullStreams, pid: number, onData: (text: string) => void) {
    this.#child = child;
    this.#pid = pid;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.#chunks += 1;
        onData(text);
      });
      stream.on("error", () => {}); // It ends with its process, whose exit counts.
    }
    child.stdin.on("error", () => {}); // The reading end is closed.
    child.on("error", () => {}); // The process has exited before the signal.
    this.ended = this.#whenOver();
    running.add(this);
  }

  /** True while a process of it still runs, such as one in the background. */
  get isAlive(): boolean {
    return !this.#hasExited || (!IS_WINDOWS && this.#signal(0));
  }

  get #hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  type(text: string): void {
    if (this.#child.stdin.writable) this.#child.stdin.write(text);
  }

  endInput(): void {
    this.#child.stdin.end();
  }

  /** Acts like Ctrl+C. Windows has no such signal for a program without a console, so the program is stopped. */
  interrupt(): void {
    if (this.#hasExited) return;
    if (IS_WINDOWS) void this.stop();
    else this.#signal("SIGINT");
  }

  /** Stops it and all that it started: asks first, then kills. */
  async stop(): Promise<void> {
    if (this.isAlive) await killTree(this.#pid);
    running.delete(this);
  }

  /** Kills all of it at once, for when there is no time to ask. */
  kill(): void {
    if (!this.isAlive) return;
    if (IS_WINDOWS) this.#child.kill();
    else this.#signal("SIGKILL");
  }

  #signal(signal: NodeJS.Signals | 0): boolean {
    try {
      return process.kill(-this.#pid, signal);
    } catch {
      return false; // The process group is empty.
    }
  }

  #whenOver(): Promise<number> {
    return new Promise((resolve) => {
      let code = 0;
      let timer: NodeJS.Timeout | undefined;
      const settle = () => {
        clearTimeout(timer);
        resolve(code);
      };
      const untilQuiet = (deadline: number) => {
        const before = this.#chunks;
        // A late timer fires before pending output is read; `setImmediate` runs after it.
        const look = () => {
          if (this.#chunks === before || performance.now() > deadline) settle();
          else untilQuiet(deadline);
        };
        timer = setTimeout(() => setImmediate(look), QUIET_MS);
      };
      this.#child.once("exit", (exitCode, signal) => {
        code = exitCode ?? 128 + (signal === null ? 0 : constants.signals[signal]);
        this.#child.stdin.destroy();
        untilQuiet(performance.now() + MAX_DRAIN_MS);
      });
      this.#child.once("close", () => {
        if (!this.isAlive) running.delete(this);
        settle();
      });
    });
  }
}

/** Starts a command. @throws an Error when the shell or the folder does not exist. */
export async function startCommand(start: CommandStart, onData: (text: string) => void): Promise<RunningCommand> {
  if (!process.listeners("exit").includes(killAll)) process.once("exit", killAll);
  const { file, args, isVerbatim } = shellCall(start.shell, start.command);
  const child = spawn(file, [...args], {
    cwd: start.cwd,
    env: { ...start.env },
    stdio: "pipe",
    detached: !IS_WINDOWS,
    windowsHide: true,
    windowsVerbatimArguments: isVerbatim,
  });
  await once(child, "spawn");
  if (child.pid === undefined) throw new Error("It has no process.");
  return new RunningCommand(child, child.pid, onData);
}

/** Kills all commands, since the editor's process exits. */
function killAll(): void {
  for (const command of running) command.kill();
}
