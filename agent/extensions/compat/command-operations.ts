import * as z from "zod";
import { runShell, type ShellCommand, type ShellExit, timeoutOf } from "../../tools/shell.ts";
import { functionsOf } from "./functions-of.ts";

/** Options of `exec`. `timeout` is in seconds. */
interface ExecOptions {
  onData?(data: Buffer): void;
  signal?: AbortSignal | undefined;
  timeout?: number | undefined;
  env?: NodeJS.ProcessEnv | undefined;
}

/** An extension's replacement for the shell. `exec` rejects with `aborted` on an abort, and with `timeout:<seconds>` on a timeout. */
interface BashOperations {
  exec(command: string, cwd: string, options: ExecOptions): Promise<{ exitCode: number | null }>;
}

const Exit = z.object({ exitCode: z.number().nullable() });

/** Runs commands by the `exec` of an extension. @throws Error at once when it has none. */
export function commandOver(operations: unknown): (command: ShellCommand) => Promise<ShellExit> {
  const { exec } = functionsOf(operations, ["exec"]);
  return async ({ command, cwd, env, timeoutMs, onData, signal }) => {
    if (signal.aborted) return { exitCode: null, reason: "aborted" };
    const timeout = timeoutMs === undefined ? undefined : timeoutMs / 1000;
    const take = (data: unknown) => void onData(toBuffer(data));
    try {
      const { exitCode } = Exit.parse(await exec(command, cwd, { onData: take, signal, timeout, env }));
      return { exitCode, reason: exitCode === null ? "killed" : "exit" };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (error.message === "aborted") return { exitCode: null, reason: "aborted" };
      if (error.message.startsWith("timeout:")) return timedOut(error.message, timeoutMs);
      throw error;
    }
  };
}

/** The shell of this machine in the form that extensions may wrap. */
export function createLocalBashOperations({ shellPath }: { shellPath?: string } = {}): BashOperations {
  return {
    async exec(command, cwd, { onData, signal, timeout, env }) {
      const exit = await runShell({
        command,
        cwd,
        env: env ?? process.env,
        shell: { shellPath },
        timeoutMs: timeout === undefined ? undefined : timeout * 1000,
        onData: (data) => void onData?.(data), // what an author's function gives is no promise to wait for
        signal: signal ?? new AbortController().signal,
      });
      if (exit.reason === "aborted") throw new Error("aborted");
      if (exit.reason === "timeout") throw new Error(`timeout:${timeout}`);
      return { exitCode: exit.exitCode };
    },
  };
}

/** The limit is the one that the extension names; one that it names badly is ours. */
function timedOut(message: string, timeoutMs: number | undefined): ShellExit {
  const named = Number(message.slice("timeout:".length) || Number.NaN);
  const limit = Number.isFinite(named) ? { timeoutSeconds: named } : timeoutOf({ timeoutMs });
  return { exitCode: null, reason: "timeout", ...limit };
}

/** Bytes as an extension gives them. @throws Error when it gives something else. */
export function toBuffer(data: unknown): Buffer {
  if (typeof data === "string") return Buffer.from(data);
  if (data instanceof Uint8Array) return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  throw new Error("The operations of this tool gave neither text nor bytes.");
}
