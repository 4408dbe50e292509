import childProcess, { ChildProcess } from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { Readable } from "node:stream";

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;

/** Is told of a call that would have ended the process. */
type OnForbidden = (call: string, error: Error) => void;

let isGuarding = false;

/**
 * Keeps code that runs in this process from what would end the agent or break into its protocol: `process.exit()` and its like throw, child
 * processes that inherit standard output write to standard error, and standard input is empty for them and for whoever reads it. It
 * holds for everybody who looks these functions up from here on; the agent itself took its own before. It hinders accidents, not intent.
 */
export function guardProcess(onForbidden: OnForbidden): void {
  if (isGuarding) return;
  isGuarding = true;
  forbidEnding(onForbidden);
  keepStreams();
  redirectFileWrites();
  redirectChildren();
  syncBuiltinESMExports();
}

function forbidEnding(onForbidden: OnForbidden): void {
  const refuse = (call: string): never => {
    const error = new Error(`${call} is not for extensions: it would end the agent. ctx.shutdown() ends it in order.`);
    Error.captureStackTrace(error, refuse);
    onForbidden(call, error);
    throw error;
  };
  process.exit = () => refuse("process.exit()");
  process.abort = () => refuse("process.abort()");
  const kill = process.kill.bind(process);
  process.kill = (pid, signal) => {
    const isOwn = pid === process.pid || pid === -process.pid || Object.is(pid, 0);
    return isOwn && signal !== 0 ? refuse("process.kill() of the agent") : kill(pid, signal);
  };
}

/** Lines of the host are for the agent: others see an input that has ended. */
function keepStreams(): void {
  const nothing = Readable.from([]);
  Object.defineProperty(process, "stdin", { configurable: true, enumerable: true, get: () => nothing });
}

function redirectFileWrites(): void {
  for (const name of ["write", "writeSync", "writev", "writevSync", "writeFile", "writeFileSync", "appendFile"]) {
    const original: unknown = Reflect.get(fs, name);
    if (typeof original !== "function") continue;
    const redirected = (target: unknown, ...rest: unknown[]): unknown =>
      Reflect.apply(original, fs, [target === STDOUT ? STDERR : target, ...rest]);
    // With the marks that tell util.promisify what to make of it.
    Reflect.set(fs, name, Object.defineProperties(redirected, Object.getOwnPropertyDescriptors(original)));
  }
}

function redirectChildren(): void {
  const spawn: unknown = Reflect.get(ChildProcess.prototype, "spawn");
  if (typeof spawn === "function") {
    Reflect.set(ChildProcess.prototype, "spawn", function (this: unknown, options: object) {
      return Reflect.apply(spawn, this, [withoutProtocol(options)]);
    });
  }
  for (const name of ["spawnSync", "execFileSync", "execSync"]) {
    const original: unknown = Reflect.get(childProcess, name);
    if (typeof original !== "function") continue;
    Reflect.set(childProcess, name, (...args: unknown[]) =>
      Reflect.apply(original, childProcess, args.map(withoutProtocol)),
    );
  }
}

/** Options of a child process whose streams are not those of the protocol. Anything else stays as it is. */
function withoutProtocol<T>(options: T): T {
  if (typeof options !== "object" || options === null || !("stdio" in options)) return options;
  const { stdio } = options;
  if (stdio === "inherit") return { ...options, stdio: ["ignore", STDERR, STDERR] };
  if (!Array.isArray(stdio)) return options;
  return { ...options, stdio: stdio.map(streamOfChild) };
}

function streamOfChild(stream: unknown, index: number): unknown {
  const target = stream === "inherit" ? index : stream;
  if (target === STDIN || target === process.stdin) return "ignore";
  return target === STDOUT ? STDERR : stream;
}
