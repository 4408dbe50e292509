import { UsageError } from "./config/args.ts";
import { readChangesOptions } from "./config/changes-options.ts";
import { type AgentOptions, readOptions, SAY_HOW } from "./config/options.ts";
import { agentDirectory, type Env } from "./config/paths.ts";
import { storedTrust } from "./config/trust.ts";
import { AgentError, errorMessage } from "./protocol/errors.ts";
import type { RpcProcess } from "./rpc/load/prepare.ts";
import { startRpc } from "./rpc/start.ts";
import { pipeWire } from "./rpc/wire/host-wire.ts";
import { EXIT_CODES, type ShutdownSignal } from "./rpc/wire/shutdown.ts";
import { isReaderGone, realStdout, writeFailure } from "./rpc/wire/stdout-guard.ts";
import { killAllShells, ownProcesses } from "./tools/session-processes.ts";

const START_FAILED = 1;
const WRONG_USAGE = 2;

/** The exit code for a command line that cannot be used. */
let usageExitCode: number = START_FAILED;

/** Extensions find another function under this name: ending the process is for this module alone. */
const exitProcess = process.exit.bind(process);

async function main(env: Env, onStarted: () => void): Promise<void> {
  const argv = process.argv.slice(2);
  usageExitCode = isOfHost(argv) ? START_FAILED : WRONG_USAGE;
  const ofChanges = readChangesOptions(argv);
  if (ofChanges !== undefined) {
    const { changesCommand } = await import("./rpc/changes-command.ts");
    const { text, exitCode } = await changesCommand(ofChanges, env, currentDirectory());
    process.exitCode = exitCode;
    return print(text);
  }
  const given = readOptions(argv, env);
  const options = NEEDS_NO_TRUST.has(given.action) ? given : withStoredTrust(given, env, currentDirectory());
  usageExitCode = options.isHeadless || options.action === "welcome" ? WRONG_USAGE : START_FAILED;
  for (const warning of options.warnings) console.error(warning);
  switch (options.action) {
    case "welcome":
      if (process.stdin.isTTY !== true) throw new UsageError(SAY_HOW);
      return inform(options, env);
    case "help":
    case "version":
    case "listModels":
    case "listApprovals":
    case "export":
      return inform(options, env);
    case "rpc":
      await startRpc(thisProcess(options, env));
      return onStarted();
    case "acp": {
      const { startAcp } = await import("./acp/start-acp.ts");
      startAcp({ ...thisProcess(options, env), withTrust: (given, cwd) => withStoredTrust(given, env, cwd) });
      return onStarted();
    }
    case "print":
    case "json":
    case "printSystemPrompt": {
      const { headlessProcess } = await import("./rpc/headless/headless-process.ts");
      await startRpc(await headlessProcess(thisProcess(options, env), { input: process.stdin, stdout: realStdout }));
      return onStarted();
    }
  }
}

function thisProcess(options: AgentOptions, env: Env): RpcProcess {
  return {
    options,
    env,
    childEnv: process.env,
    cwd: currentDirectory(),
    wire: pipeWire(process.stdin, realStdout),
    processes: ownProcesses,
    onSignal,
    onStrayError: (handles) => {
      handlesStray = handles;
    },
    exit,
  };
}

/** What starts without a look at the project: ACP mode has a project for each session. */
const NEEDS_NO_TRUST: ReadonlySet<AgentOptions["action"]> = new Set(["welcome", "help", "version", "acp"]);

/** If the command line doesn't decide about trust in the project, the user's file does. */
function withStoredTrust(options: AgentOptions, env: Env, cwd: string): AgentOptions {
  if (options.saysTrust) return options;
  const warn = (message: string) => console.error(message);
  const decision = storedTrust(agentDirectory(env, cwd), cwd, warn);
  return { ...options, isProjectTrusted: decision === true, isProjectDeclined: decision === false };
}

async function inform(options: AgentOptions, env: Env): Promise<void> {
  const { informationText } = await import("./rpc/information.ts");
  print(await informationText(options, env, currentDirectory));
}

function print(text: string): void {
  realStdout.onError((error) => {
    if (isReaderGone(error)) exitProcess(EXIT_CODES.endOfInput);
    fail(new UsageError(writeFailure(error)));
  });
  realStdout.write(text.endsWith("\n") ? text : `${text}\n`);
}

function currentDirectory(): string {
  try {
    return process.cwd();
  } catch (error) {
    throw new UsageError(
      "Error: The current working directory no longer exists. Change to an existing directory and try again.",
      { cause: error },
    );
  }
}

function onSignal(listener: (signal: ShutdownSignal) => void): void {
  for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"] as const) process.on(signal, () => listener(signal));
}

/** Does not wait for children: an orderly end has given them their time before. */
function exit(code: number): void {
  void killAllShells(0).finally(() => exitProcess(code));
}

function fail(error: unknown): void {
  if (error instanceof UsageError || error instanceof AgentError) {
    console.error(startFailure(error));
    exitProcess(error instanceof UsageError ? usageExitCode : START_FAILED);
  }
  console.error(error instanceof Error ? (error.stack ?? error.message) : errorMessage(error));
  exit(EXIT_CODES.fatal);
}

/** True for command lines of hosts and scripts, which know pi's exit code. */
function isOfHost(argv: readonly string[]): boolean {
  return /(^| )(--mode[ =](rpc|acp)|--export)( |=|$)/.test(argv.join(" "));
}

/** The text for people: `Error: …`, but for a session that is not there or is empty, which pi tells without it. */
function startFailure(error: UsageError | AgentError): string {
  const hasPrefix = error instanceof AgentError && error.code !== "not_found" && error.code !== "invalid_request";
  return hasPrefix ? `Error: ${error.message}` : error.message;
}

/** Returns true when it handles an error that nothing waited for. */
let handlesStray = (_error: unknown): boolean => false;

function failUnlessHandled(error: unknown): void {
  if (!handlesStray(error)) fail(error);
}

/**
 * Starts the agent.
 * @param env the whole environment, with the variables that were taken out of the process's.
 * @param onStarted called once it answers; not for what only informs, such as `--help`.
 */
export function run(env: Env, onStarted: () => void): void {
  process.on("uncaughtException", failUnlessHandled);
  process.on("unhandledRejection", failUnlessHandled);
  main(env, onStarted).catch(fail);
}
