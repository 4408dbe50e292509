import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { errorMessage } from "../../protocol/errors.ts";
import { shellCall } from "../../tools/shell-language.ts";
import { keepGroup } from "../../util/process-groups.ts";
import { killTree } from "../../util/process-tree.ts";

/** Output beyond this is dropped. */
const MAX_OUTPUT_BYTES = 1024 * 1024;
/** The time to wait for output after the exit while a child process keeps the pipes open. */
const PIPE_GRACE_MS = 150;
/** The longest delay a Node timer can do. */
const MAX_TIMER_MS = 2_147_483_647;

interface CommandOptions {
  shell: string;
  command: string;
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Text on its stdin. */
  input: string;
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

/** How a command ended. */
export type CommandEnd =
  | { kind: "exited"; code: number; stdout: string; stderr: string }
  | { kind: "timedOut" }
  | { kind: "aborted" }
  | { kind: "failed"; problem: string };

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Runs a command in a process group of its own, which ends as a whole at the time limit, at an abort, and with the agent. Never rejects. */
export async function runCommand(options: CommandOptions): Promise<CommandEnd> {
  const { shell, command, cwd, env, signal } = options;
  if (signal?.aborted === true) return { kind: "aborted" };
  try {
    const detached = process.platform !== "win32";
    const { file, args, windowsVerbatimArguments } = shellCall(shell, command);
    const child: Child = spawn(file, args, {
      cwd,
      env,
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
      windowsVerbatimArguments: windowsVerbatimArguments === true,
      detached,
    });
    return await supervise(child, options);
  } catch (error) {
    return { kind: "failed", problem: errorMessage(error) };
  }
}

function supervise(child: Child, { input, timeoutMs, signal }: CommandOptions): Promise<CommandEnd> {
  const { pid } = child;
  const forget = pid === undefined ? undefined : keepGroup(pid);
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  child.stdin.on("error", () => undefined); // it need not read its input
  child.stdin.end(input);
  let killed: CommandEnd | undefined;
  const kill = (end: CommandEnd) => {
    if (killed !== undefined || pid === undefined) return;
    killed = end;
    void killTree(pid);
  };
  const onAbort = () => kill({ kind: "aborted" });
  const timer = setTimeout(kill, Math.min(timeoutMs, MAX_TIMER_MS), { kind: "timedOut" });
  signal?.addEventListener("abort", onAbort, { once: true });
  return new Promise((resolve) => {
    const settle = (end: CommandEnd) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      forget?.();
      child.stdout.destroy();
      child.stderr.destroy();
      resolve(killed ?? end);
    };
    const exited = (code: number | null) =>
      settle({ kind: "exited", code: code ?? 1, stdout: stdout(), stderr: stderr() });
    child.once("error", (error) => settle({ kind: "failed", problem: error.message }));
    child.once("exit", (code) => setTimeout(exited, PIPE_GRACE_MS, code));
    child.once("close", exited);
  });
}

/** @returns what came so far, up to the limit. */
function collect(stream: Readable): () => string {
  const chunks: Buffer[] = [];
  let free = MAX_OUTPUT_BYTES;
  stream.on("error", () => undefined); // ends with its process
  stream.on("data", (chunk: Buffer) => {
    if (free > 0) chunks.push(chunk.subarray(0, free));
    free -= chunk.length;
  });
  return () => Buffer.concat(chunks).toString();
}
