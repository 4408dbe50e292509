import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { errorMessage } from "../protocol/errors.ts";
import { keepGroup } from "../util/process-groups.ts";
import { killTree } from "../util/process-tree.ts";

/** A program that says more on one of its streams is ended. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
/** The time to wait for output after the program has exited while a child process keeps its pipes open. */
const PIPE_GRACE_MS = 150;
/** The longest delay a Node timer can do. */
const MAX_TIMER_MS = 2_147_483_647;

/** Options for running a program. */
export interface ExecOptions {
  cwd?: string | undefined;
  /** Milliseconds. */
  timeout?: number | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * The result of a program. `killed` is true if its time limit, its signal, or too much output ended it; `code` is 0 then unless the program
 * gave one itself, as with pi.
 */
export interface ExecResult {
  stdout: string;
  stderr: string;
  code: number;
  killed: boolean;
}

type Program = ChildProcessByStdio<null, Readable, Readable>;

/**
 * Runs a program without a shell and with empty input, and ends it with all that it started: at its limits, or with the agent. Never
 * rejects: a program that cannot be started has code 1 and says why on `stderr`.
 */
export async function exec(
  command: string,
  args: readonly string[],
  options: ExecOptions & { cwd: string },
): Promise<ExecResult> {
  try {
    if (options.signal?.aborted === true) return { stdout: "", stderr: "", code: 0, killed: true };
    const program: Program = spawn(command, [...args], {
      cwd: options.cwd,
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
      detached: process.platform !== "win32", // a group of its own, which can be ended as a whole
    });
    return await supervise(program, options);
  } catch (error) {
    return { stdout: "", stderr: errorMessage(error), code: 1, killed: false };
  }
}

function supervise(program: Program, { timeout, signal }: ExecOptions): Promise<ExecResult> {
  const { pid } = program;
  const forget = pid === undefined ? undefined : keepGroup(pid);
  let isKilled = false;
  const kill = () => {
    if (isKilled || pid === undefined) return;
    isKilled = true;
    void killTree(pid);
  };
  const stdout = collect(program.stdout, kill);
  const stderr = collect(program.stderr, kill);
  const limitMs = timeout !== undefined && timeout > 0 ? Math.min(timeout, MAX_TIMER_MS) : undefined;
  const timer = limitMs === undefined ? undefined : setTimeout(kill, limitMs);
  signal?.addEventListener("abort", kill, { once: true });
  return new Promise((resolve) => {
    const settle = (code: number | null, problem = "") => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", kill);
      forget?.();
      resolve({ stdout: stdout(), stderr: stderr() || problem, code: code ?? (isKilled ? 0 : 1), killed: isKilled });
    };
    program.once("error", (error) => settle(1, error.message));
    program.once("exit", (code) => setTimeout(settle, PIPE_GRACE_MS, code));
    program.once("close", (code) => settle(code));
  });
}

/** @returns what came so far. */
function collect(stream: Readable, onTooMuch: () => void): () => string {
  const chunks: Buffer[] = [];
  let length = 0;
  stream.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length <= MAX_OUTPUT_BYTES) chunks.push(chunk);
    else onTooMuch();
  });
  return () => Buffer.concat(chunks).toString();
}
