import { execFile } from "node:child_process";

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/** How a program is run. */
export interface ExecOptions {
  cwd?: string | undefined;
  /** Milliseconds. */
  timeout?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** What a program left. `killed` says that it was ended by its time limit, its signal or too much output. */
export interface ExecResult {
  stdout: string;
  stderr: string;
  code: number;
  killed: boolean;
}

/** Runs a program without a shell. Never rejects: a program that cannot be started has code 1 and says why on `stderr`. */
export function exec(command: string, args: readonly string[], options: ExecOptions & { cwd: string }) {
  return new Promise<ExecResult>((resolve) => {
    const { cwd, timeout, signal } = options;
    execFile(
      command,
      [...args],
      { cwd, maxBuffer: MAX_OUTPUT_BYTES, windowsHide: true, ...(timeout && { timeout }), ...(signal && { signal }) },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
        const killed = error !== null && (error.killed === true || signal?.aborted === true);
        resolve({ stdout, stderr: stderr || (error?.message ?? ""), code, killed });
      },
    );
  });
}
