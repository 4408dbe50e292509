import { type ChildProcessWithoutNullStreams, execFile, spawn } from "node:child_process";
import { type Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { encodeVariables, SECRETS_FD } from "../protocol/handover.ts";
import { type AgentExit, AgentNotStarted } from "./client-errors.ts";

/** The time limit of each step of the stop ladder. */
export const STOP_GRACE_MS = 2_000;
/** The time to wait for output after the process has exited; a grandchild can hold the pipes forever. */
const DRAIN_GRACE_MS = 500;
const STDERR_TAIL_CHARS = 16 * 1024;
/** The descriptor behind those of the standard streams. */
const SECRETS_PIPE = 3;

/** The program to run, without a shell. */
export interface AgentCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * Variables for the agent alone. They go through a pipe, because other programs of the user can read an environment; on Windows, where that is
   * harder, they are part of it. Only `tiller` reads that pipe.
   */
  readonly secrets?: Readonly<Record<string, string>>;
}

/**
 * An agent's process and its pipes. Its stderr is always read, so that the agent cannot block on it. On POSIX it leads a process group
 * of its own, which is ended as a whole.
 */
export class AgentProcess {
  readonly pid: number;
  /** Resolves once, after the process is gone and its output has been read. Never rejects. */
  readonly exited: Promise<AgentExit>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #stopGraceMs: number;
  #stopping: Promise<AgentExit> | undefined;

  /** Takes over a child that has just been spawned. Use `spawnAgent`. */
  constructor(
    child: ChildProcessWithoutNullStreams,
    pid: number,
    options: { onStderr?: (text: string) => void; stopGraceMs?: number },
  ) {
    this.#child = child;
    this.pid = pid;
    this.#stopGraceMs = options.stopGraceMs ?? STOP_GRACE_MS;
    const tail = new TextTail(STDERR_TAIL_CHARS);
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      tail.push(text);
      options.onStderr?.(text);
    });
    this.exited = this.#watchExit(tail);
  }

  get stdin(): Writable {
    return this.#child.stdin;
  }

  get stdout(): Readable {
    return this.#child.stdout;
  }

  /**
   * Ends the process: stdin is closed, then SIGTERM, then SIGKILL to the whole group, with a grace of 2 s after each of the
   * first two. Resolves after the process is gone; calling it again joins the first call.
   */
  stop(): Promise<AgentExit> {
    this.#stopping ??= this.#climbDown();
    return this.#stopping;
  }

  async #climbDown(): Promise<AgentExit> {
    this.#child.stdin.end();
    if (await this.#isGoneWithin(this.#stopGraceMs)) return this.exited;
    this.#signalTree("SIGTERM");
    if (await this.#isGoneWithin(this.#stopGraceMs)) return this.exited;
    this.#signalTree("SIGKILL");
    return this.exited;
  }

  async #isGoneWithin(ms: number): Promise<boolean> {
    const timer = new AbortController();
    try {
      return await Promise.race([
        this.exited.then(() => true),
        delay(ms, false, { signal: timer.signal }).catch(() => false),
      ]);
    } finally {
      timer.abort();
    }
  }

  #watchExit(tail: TextTail): Promise<AgentExit> {
    const child = this.#child;
    return new Promise((resolve) => {
      let drainTimer: NodeJS.Timeout | undefined;
      let isSettled = false;
      const settle = (exitCode: number | null, signal: string | null) => {
        if (isSettled) return;
        isSettled = true;
        clearTimeout(drainTimer);
        resolve({ exitCode, signal, stderrTail: tail.toString() });
      };
      child.once("exit", (exitCode, signal) => {
        // Otherwise, processes that the agent left in its group would never end.
        if (process.platform !== "win32") this.#signalTree("SIGKILL");
        drainTimer = setTimeout(() => settle(exitCode, signal), DRAIN_GRACE_MS);
      });
      child.once("close", settle);
    });
  }

  #signalTree(signal: "SIGTERM" | "SIGKILL"): void {
    if (process.platform === "win32") {
      const force = signal === "SIGKILL" ? ["/F"] : [];
      // A failure means that the process is gone already; `exited` tells.
      // By its full path: a bare name would be looked for in the working directory first.
      const taskkill = `${process.env.SystemRoot ?? "C:\\Windows"}\\System32\\taskkill.exe`;
      execFile(taskkill, ["/PID", String(this.pid), "/T", ...force], () => {});
      return;
    }
    try {
      process.kill(-this.pid, signal);
    } catch {
      // The group is empty: everything in it has ended.
    }
  }
}

/**
 * Starts an agent and resolves when the system has made the process. Throws `AgentNotStarted` when it cannot, such as for
 * a missing file or folder. The agent ends by itself when this process dies, since its stdin then ends.
 */
export async function spawnAgent(
  command: AgentCommand,
  options: { onStderr?: (text: string) => void; stopGraceMs?: number } = {},
): Promise<AgentProcess> {
  const { secrets } = command;
  const usesPipe = secrets !== undefined && process.platform !== "win32";
  const child = spawn(command.file, [...command.args], {
    cwd: command.cwd,
    env: { ...command.env, ...(usesPipe ? { [SECRETS_FD]: String(SECRETS_PIPE) } : secrets) },
    stdio: usesPipe ? ["pipe", "pipe", "pipe", "pipe"] : "pipe",
    shell: false,
    windowsHide: true,
    detached: process.platform !== "win32",
  });
  // Writing to a process that is gone fails here and, for everybody who waits, by `exited`.
  child.stdin.on("error", () => {});
  const pipe = child.stdio[SECRETS_PIPE];
  if (pipe instanceof Writable) pipe.on("error", () => {}).end(encodeVariables(secrets ?? {}));
  const { pid } = child;
  const failed = new Promise<never>((_, reject) => {
    child.once("error", (cause) => {
      const message = `Couldn't start the agent "${command.file}" in ${command.cwd}: ${cause.message}.`;
      reject(new AgentNotStarted(message, { cause }));
    });
  });
  if (pid === undefined) return failed;
  failed.catch(() => {});
  return new AgentProcess(child, pid, options);
}

/** Keeps the end of a text that arrives in pieces, in memory bounded by twice `maxChars` (UTF-16 units). */
class TextTail {
  readonly #maxChars: number;
  #text = "";

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  push(piece: string): void {
    this.#text += piece.length > this.#maxChars ? piece.slice(-this.#maxChars) : piece;
    if (this.#text.length > this.#maxChars * 2) this.#text = this.#text.slice(-this.#maxChars);
  }

  /** The last `maxChars` units of everything pushed. */
  toString(): string {
    return this.#text.slice(-this.#maxChars);
  }
}
