import * as z from "zod";
import type { RunCommand } from "../../tools/bash.ts";
import { findShell } from "../../tools/find-shell.ts";
import { runShell, type ShellCommand, type ShellExit } from "../../tools/shell.ts";
import { type ShellCall, shellCall } from "../../tools/shell-language.ts";
import type { EditorLink } from "./editor-link.ts";

const Ended = z.lazy(() =>
  z.object({
    output: z.string(),
    /** Absent when a signal ended it. */
    exitCode: z.int().nullish(),
    timedOut: z.boolean().optional(),
  }),
);

/** Runs commands in the host's terminal if it has one. Commands for the sandbox run in the agent's own shell. */
export function runThrough(link: EditorLink): RunCommand {
  return async (command) => (await runAtHost(link, command)) ?? runShell(command);
}

async function runAtHost(link: EditorLink, command: ShellCommand): Promise<ShellExit | undefined> {
  const { toolCallId, contained, signal, timeoutMs } = command;
  if (contained !== undefined || toolCallId === undefined || !link.hasTerminal) return undefined;
  const call = await callOf(command);
  if (call.windowsVerbatimArguments === true) return undefined; // a host would quote them again
  let details: unknown;
  try {
    details = await link.runInTerminal({ ...call, ...surroundingsOf(command) }, toolCallId, signal);
  } catch (error) {
    if (signal.aborted) return { exitCode: null, reason: "aborted" };
    throw error;
  }
  const { output, exitCode, timedOut } = Ended.parse(details);
  await command.onData(Buffer.from(output));
  if (timedOut === true) {
    return { exitCode: null, reason: "timeout", ...(timeoutMs !== undefined && { timeoutSeconds: timeoutMs / 1000 }) };
  }
  return exitCode == null ? { exitCode: null, reason: "killed" } : { exitCode, reason: "exit" };
}

async function callOf({ command, env, shell }: ShellCommand): Promise<ShellCall> {
  const script = shell.commandPrefix ? `${shell.commandPrefix}\n${command}` : command;
  return shellCall(await findShell(shell.shellPath, env), script);
}

/** Of the environment, the host gets what the agent adds. */
function surroundingsOf({ cwd, env, timeoutMs }: ShellCommand) {
  const added = Object.entries(env).filter(([name, value]) => value !== undefined && process.env[name] !== value);
  return {
    cwd,
    env: Object.fromEntries(added),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
}
