import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { childEnvironment, userPath } from "./environment.mjs";
import { ROOT } from "./paths.mjs";
import { ExpectedError } from "./report.mjs";

const KEPT_OUTPUT_CHARS = 20_000;
const PARENT_CHECK_MS = 500;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/** A line of a stack trace, as Node prints it or as npm passes it on. */
const STACK_LINE = /^(npm error)?[ \t]+at .+$\n?/gm;

/** Runs a program to its end and resolves to its output. If the program fails, rejects with the last lines of the output, without stack traces. */
export function run(command, args, { cwd = ROOT, env = childEnvironment() } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      shell: needsShell(command),
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        output = (output + text).slice(-KEPT_OUTPUT_CHARS);
      });
    }
    child.once("error", (error) => reject(new ExpectedError(`${command} could not be started: ${error.message}`)));
    child.once("close", (code, signal) => {
      if (code === 0) resolve(output);
      else
        reject(
          new ExpectedError(
            [`${[command, ...args].join(" ")} ended with ${signal ?? `code ${code}`}.`, output.replace(STACK_LINE, "")]
              .join("\n")
              .trimEnd(),
          ),
        );
    });
  });
}

/** As `run`, but shows the output and resolves to the exit code. Signals that come meanwhile go to the child. */
export async function exitCodeOf(command, args, options = {}) {
  const child = spawn(command, args, {
    cwd: ROOT,
    env: childEnvironment(),
    stdio: ["ignore", "inherit", "inherit"],
    ...options,
  });
  const stopForwarding = forwardSignals(child);
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => resolve(code ?? 1));
    });
  } finally {
    stopForwarding();
  }
}

/** The full path of a program on the PATH, or undefined. */
export function findOnPath(...names) {
  for (const name of names) {
    for (const folder of userPath().split(delimiter)) {
      for (const suffix of process.platform === "win32" ? [".exe", ".cmd", ".bat"] : [""]) {
        const file = join(folder, name + suffix);
        try {
          accessSync(file, constants.X_OK);
          return file;
        } catch {
          // Not in this folder.
        }
      }
    }
  }
  return undefined;
}

/**
 * Leaves the end of this process to its child: passes signals on, but not the Ctrl-C that a terminal sends to both. Returns the
 * function that ends it.
 */
export function forwardSignals(child) {
  const passOn = (signal) => {
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  };
  const handlers = SIGNALS.map((signal) => [signal, () => passOn(signal)]);
  for (const [signal, handler] of handlers) process.on(signal, handler);
  return () => {
    for (const [signal, handler] of handlers) process.off(signal, handler);
  };
}

/**
 * npm runs scripts in a shell that dies of a signal without passing it on. This process then gets a new parent, and ends as if the
 * signal had come to it.
 */
export function endWithParent() {
  if (process.env.npm_lifecycle_event === undefined || process.platform === "win32") return;
  const parent = process.ppid;
  const check = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(check);
    process.kill(process.pid, "SIGTERM");
  }, PARENT_CHECK_MS).unref();
}

/** Windows starts npm and other `.cmd` files only through its shell. */
function needsShell(command) {
  return process.platform === "win32" && (command === "npm" || /\.(cmd|bat)$/i.test(command));
}
