import { type ChildProcessByStdio, spawn } from "node:child_process";
import { stat } from "node:fs/promises";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { BackgroundProcess } from "../protocol/background.ts";
import { deferred } from "../util/deferred.ts";
import { killTree } from "../util/process-tree.ts";
import type { Adopted } from "./background.ts";
import type { ContainedCommand } from "./contained.ts";
import { findShell } from "./find-shell.ts";
import { ownProcesses } from "./session-processes.ts";
import { isPosixShell, shellCall } from "./shell-language.ts";
import type { ShellSettings } from "./tool.ts";

/** The time to wait for output after the shell has exited while another process keeps its pipe open. */
const PIPE_GRACE_MS = 150;
/** The maximum of that time if a background process keeps writing. */
const MAX_DRAIN_MS = 1500;
/** The longest delay a Node timer can do. */
const MAX_TIMER_MS = 2_147_483_647;

/** A command and where its output goes. */
export interface ShellCommand {
  command: string;
  cwd: string;
  /** The whole environment of the command. */
  env: NodeJS.ProcessEnv;
  shell: ShellSettings;
  /** No limit when absent. */
  timeoutMs?: number | undefined;
  /** Gets stdout and stderr as they come. Reading pauses until a returned promise has settled. */
  onData(chunk: Buffer): void | Promise<void>;
  signal: AbortSignal;
  /** Where it runs; absent for the bare machine. */
  contained?: Pick<ContainedCommand, "enter"> | undefined;
  /** The tool call that it belongs to. */
  toolCallId?: string | undefined;
}

/** The end of a command. `killed` means by a signal that wasn't ours. */
export interface ShellExit {
  exitCode: number | null;
  reason: "exit" | "aborted" | "timeout" | "killed";
  /** The limit that a `timeout` had, if it is known. */
  timeoutSeconds?: number | undefined;
  /** The process that still runs after the shell has ended. */
  background?: BackgroundProcess | undefined;
}

type ShellChild = ChildProcessByStdio<null, Readable, Readable>;

/**
 * Runs a command in a new process group with closed stdin. After an abort or a timeout the whole tree is ended before this resolves. A
 * background process does not hold up the result, which names it; it ends with the session.
 * @throws Error when the working directory is missing or no shell can be started.
 */
export async function runShell(options: ShellCommand): Promise<ShellExit> {
  const { contained, cwd, env } = options;
  if (contained === undefined) await requireDirectory(cwd);
  const shellPath = await findShell(options.shell.shellPath, env);
  if (options.signal.aborted) return { exitCode: null, reason: "aborted" };
  const script = scriptFor(shellPath, options);
  const program =
    contained === undefined
      ? { ...shellCall(shellPath, script), env, cwd }
      : { ...contained.enter({ shellPath, script }, cwd, env), cwd: "/" };
  const child: ShellChild = spawn(program.file, program.args, {
    cwd: program.cwd,
    env: program.env,
    detached: process.platform !== "win32",
    stdio: ["ignore", "pipe", "pipe"],
    windowsHide: true,
    windowsVerbatimArguments: "windowsVerbatimArguments" in program && program.windowsVerbatimArguments === true,
  });
  const pid = child.pid;
  if (pid === undefined) return failToStart(child, shellPath);
  const processes = options.shell.processes ?? ownProcesses;
  return superviseShell(child, { group: pid, release: processes.keep(pid) }, options);
}

/**
 * Returns the code for the shell. stdout and stderr share one pipe, which keeps their order; what arranges that stands on the first line,
 * so that the numbers of lines in messages are right.
 */
function scriptFor(shellPath: string, { shell: { commandPrefix }, command }: ShellCommand): string {
  const script = commandPrefix ? `${commandPrefix}\n${command}` : command;
  return isPosixShell(shellPath) ? `exec 2>&1; ${script}` : script;
}

async function superviseShell(
  child: ShellChild,
  tree: { group: number; release(): void },
  options: ShellCommand,
): Promise<ShellExit> {
  const stopped = deferred<"aborted" | "timeout">();
  const onAbort = () => stopped.resolve("aborted");
  options.signal.addEventListener("abort", onAbort, { once: true });
  if (options.signal.aborted) onAbort();
  const timer =
    options.timeoutMs === undefined
      ? undefined
      : setTimeout(() => stopped.resolve("timeout"), Math.min(options.timeoutMs, MAX_TIMER_MS));
  const output = forwardOutput(child, options.onData);
  const ended = awaitEnd(child, output);
  let background: Adopted | undefined;
  try {
    const outcome = await Promise.race([ended, stopped.promise]);
    if (typeof outcome === "object") {
      const { background: left } = options.shell.processes ?? ownProcesses;
      background = await left.adopt(tree, options.command);
      return { ...outcome, background: background?.process };
    }
    await killTree(tree.group);
    // The last output of the process tree still arrives, unless the reader is stalled.
    await Promise.race([ended, delay(PIPE_GRACE_MS)]);
    return { exitCode: null, reason: outcome, ...(outcome === "timeout" ? timeoutOf(options) : {}) };
  } finally {
    clearTimeout(timer);
    options.signal.removeEventListener("abort", onAbort);
    output.stop(background?.take);
    if (background === undefined) releaseWhenClosed(child, tree.release);
  }
}

/** Where nobody can tell what a shell left behind, an open pipe says that something still runs. */
function releaseWhenClosed(child: ShellChild, release: () => void): void {
  if (child.stdout.closed && child.stderr.closed) release();
  else child.once("close", release);
}

/** Returns the limit of a command in the form of its exit. */
export function timeoutOf({ timeoutMs }: Pick<ShellCommand, "timeoutMs">): Pick<ShellExit, "timeoutSeconds"> {
  return timeoutMs === undefined ? {} : { timeoutSeconds: timeoutMs / 1000 };
}

/** Resolves after the shell's exit, once its pipes are closed or have been quiet for a while. */
function awaitEnd(child: ShellChild, output: ForwardedOutput): Promise<ShellExit> {
  return new Promise((resolve) => {
    let exit: ShellExit = { exitCode: null, reason: "killed" };
    let timer: NodeJS.Timeout | undefined;
    let exitedAt = 0;
    const waitForQuiet = () => {
      const now = performance.now();
      const isOver = now - output.lastDataAt() >= PIPE_GRACE_MS || now - exitedAt >= MAX_DRAIN_MS;
      if (isOver && !output.isPaused()) resolve(exit);
      else timer = setTimeout(waitForQuiet, PIPE_GRACE_MS);
    };
    child.once("exit", (code) => {
      exit = code === null ? { exitCode: null, reason: "killed" } : { exitCode: code, reason: "exit" };
      exitedAt = performance.now();
      timer = setTimeout(waitForQuiet, PIPE_GRACE_MS);
    });
    child.once("close", () => {
      clearTimeout(timer);
      resolve(exit);
    });
  });
}

interface ForwardedOutput {
  lastDataAt(): number;
  isPaused(): boolean;
  /** Whatever comes later is read, and dropped unless `take` gets it, so that a background process is neither blocked nor killed by its pipe. */
  stop(take?: (chunk: Buffer) => void): void;
}

function forwardOutput(child: ShellChild, onData: ShellCommand["onData"]): ForwardedOutput {
  const streams = [child.stdout, child.stderr];
  let isStopped = false;
  let takeLater: ((chunk: Buffer) => void) | undefined;
  let lastDataAt = performance.now();
  let pauses = 0;
  for (const stream of streams) {
    const resume = () => {
      pauses--;
      lastDataAt = performance.now();
      stream.resume();
    };
    stream.on("data", (chunk: Buffer) => {
      if (isStopped) return takeLater?.(chunk);
      lastDataAt = performance.now();
      const wait = onData(chunk);
      if (wait === undefined) return;
      pauses++;
      stream.pause();
      void wait.then(resume, resume);
    });
    // A pipe that breaks ends with its process, whose exit is what counts.
    stream.on("error", () => undefined);
  }
  return {
    lastDataAt: () => lastDataAt,
    isPaused: () => pauses > 0 && !isStopped,
    stop(take) {
      isStopped = true;
      takeLater = take;
      for (const stream of streams) {
        stream.resume();
        if (stream instanceof Socket) stream.unref();
      }
    },
  };
}

async function requireDirectory(cwd: string): Promise<void> {
  const isDirectory = await stat(cwd).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isDirectory) throw new Error(`Working directory does not exist: ${cwd}\nCannot execute bash commands.`);
}

function failToStart(child: ShellChild, shellPath: string): Promise<never> {
  return new Promise((_, reject) => {
    child.once("error", (cause) => {
      reject(new Error(`Could not start the shell ${shellPath}: ${cause.message}`, { cause }));
    });
  });
}
