import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod";
import { ExtensionFunction } from "../extensions/registrations.ts";
import type { ExtensionRunner } from "../extensions/runner.ts";
import type { BashRequest, Diversion } from "../session/bash-runner.ts";
import type { ShellCommand, ShellExit } from "../tools/shell.ts";
import { withTimeLimit } from "../util/with-time-limit.ts";

/** The time that an extension has to end an aborted command. */
const ABORT_GRACE_MS = 1000;
const MS_PER_SECOND = 1000;

const exitCode = z.int().nullish();

const Answer = z.union([
  z.object({
    result: z.object({
      output: z.string(),
      exitCode,
      cancelled: z.boolean().default(false),
      truncated: z.boolean().default(false),
      fullOutputPath: z.string().optional(),
    }),
    operations: z.undefined().optional(),
  }),
  z.object({ operations: z.looseObject({ exec: ExtensionFunction }), result: z.undefined().optional() }),
]);

const ExecResult = z.object({ exitCode });

const UNREADABLE =
  "A handler of user_bash gave something that is neither { result } nor { operations }: the command is not run.";

/**
 * Asks extensions about a shell command of the user; the first answer decides. @throws Error if a handler fails or
 * returns an invalid result; the command then doesn't run.
 */
export async function divertBash(
  runner: ExtensionRunner,
  { command, excludeFromContext }: BashRequest,
  cwd: string,
  signal: AbortSignal,
): Promise<Diversion | undefined> {
  const release = runner.released;
  const event = { type: "user_bash" as const, command, excludeFromContext, cwd };
  let diversion: Diversion | undefined;
  const take = (given: unknown, extensionPath: string) => {
    if (given === undefined || given === null) return false;
    diversion = readAnswer(runner, given, extensionPath);
    return true;
  };
  await runner.ask(event, take, { signal, release, isStrict: true });
  const isLeftBehind = signal.aborted || release.aborted;
  return isLeftBehind ? result({ output: "", cancelled: true, truncated: false }) : diversion;
}

function readAnswer(runner: ExtensionRunner, given: unknown, extensionPath: string): Diversion {
  const answer = Answer.safeParse(given).data;
  if (answer?.result !== undefined) return result(answer.result);
  const operations = answer?.operations;
  if (operations === undefined) {
    runner.report({ extensionPath, event: "user_bash", error: UNREADABLE });
    throw new Error(UNREADABLE);
  }
  const run = (command: ShellCommand) =>
    execute(command, (options) =>
      runner.call(extensionPath, "user_bash", () => operations.exec(command.command, command.cwd, options)),
    );
  return { kind: "run", run };
}

function result(given: {
  output: string;
  exitCode?: number | null | undefined;
  cancelled: boolean;
  truncated: boolean;
  fullOutputPath?: string | undefined;
}): Diversion {
  const { output, cancelled, truncated, fullOutputPath } = given;
  return {
    kind: "result",
    output,
    exit: { exitCode: given.exitCode ?? null, reason: cancelled ? "aborted" : "exit" },
    isTruncated: truncated,
    fullOutputPath,
  };
}

/** Runs a command where an extension says, within the same limits as here. */
async function execute(
  { signal, timeoutMs, env, onData }: ShellCommand,
  exec: (options: object) => Promise<unknown>,
): Promise<ShellExit> {
  const limit = timeoutMs === undefined ? undefined : withTimeLimit(signal, timeoutMs);
  const end = limit?.signal ?? signal;
  let isOver = false;
  const running = exec({
    onData(chunk: unknown) {
      if (!isOver && (typeof chunk === "string" || chunk instanceof Uint8Array)) void onData(Buffer.from(chunk));
    },
    signal: end,
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs / MS_PER_SECOND }),
    env,
  });
  try {
    const given = await Promise.race([running, leftBehind(end)]);
    if (end.aborted) return { exitCode: null, reason: signal.aborted ? "aborted" : "timeout" };
    return { exitCode: ExecResult.safeParse(given).data?.exitCode ?? null, reason: "exit" };
  } catch (error) {
    if (!end.aborted) throw error;
    return { exitCode: null, reason: signal.aborted ? "aborted" : "timeout" };
  } finally {
    isOver = true;
    limit?.end();
  }
}

/** Resolves when the time for a handler to react to an abort is up. */
async function leftBehind(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  await delay(ABORT_GRACE_MS, undefined, { ref: false });
}
