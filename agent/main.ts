import { UsageError } from "./config/args.ts";
import { type AgentOptions, readOptions } from "./config/options.ts";
import { agentDirectory, type Env } from "./config/paths.ts";
import { isTrustStored } from "./config/trust.ts";
import { AgentError, errorMessage } from "./protocol/errors.ts";
import type { RpcProcess } from "./rpc/load/prepare.ts";
import { startRpc } from "./rpc/start.ts";
import { EXIT_CODES, type ShutdownSignal } from "./rpc/wire/shutdown.ts";
import { isReaderGone, realStdout, writeFailure } from "./rpc/wire/stdout-guard.ts";
import { killAllShells } from "./tools/shell.ts";

const START_FAILED = 1;

/** Extensions find another function under this name: ending the process is for this module alone. */
const exitProcess = process.exit.bind(process);

async function main(env: Env): Promise<void> {
  const options = withStoredTrust(readOptions(process.argv.slice(2), env), env);
  for (const warning of options.warnings) console.error(warning);
  switch (options.action) {
    case "help":
    case "version":
    case "listModels":
    case "export":
      return inform(options, env);
    case "rpc":
      return startRpc(thisProcess(options, env));
    case "json": {
      const { jsonModeProcess } = await import("./rpc/json-mode.ts");
      return startRpc(jsonModeProcess(thisProcess(options, env), options.prompts));
    }
  }
}

function thisProcess(options: AgentOptions, env: Env): RpcProcess {
  return {
    options,
    env,
    childEnv: process.env,
    cwd: currentDirectory(),
    input: process.stdin,
    stdout: realStdout,
    onSignal,
    onStrayError: (handles) => {
      handlesStray = handles;
    },
    exit,
  };
}

/** If the command line doesn't decide about trust in the project, the user's file does. */
function withStoredTrust(options: AgentOptions, env: Env): AgentOptions {
  if (options.saysTrust || options.action === "help" || options.action === "version") return options;
  const cwd = currentDirectory();
  const warn = (message: string) => console.error(message);
  return { ...options, isProjectTrusted: isTrustStored(agentDirectory(env, cwd), cwd, warn) };
}

async function inform(options: AgentOptions, env: Env): Promise<void> {
  const { informationText } = await import("./rpc/information.ts");
  const text = await informationText(options, env, currentDirectory);
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
    exitProcess(START_FAILED);
  }
  console.error(error instanceof Error ? (error.stack ?? error.message) : errorMessage(error));
  exit(EXIT_CODES.fatal);
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

/** Starts the agent. @param env the whole environment, with the variables that were taken out of the process's. */
export function run(env: Env): void {
  process.on("uncaughtException", failUnlessHandled);
  process.on("unhandledRejection", failUnlessHandled);
  main(env).catch(fail);
}
