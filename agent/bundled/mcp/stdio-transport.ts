import type { ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import { spawn } from "cross-spawn";
import { LineSplitter } from "../../protocol/line-splitter.ts";
import { atMost } from "../../util/at-most.ts";
import { deferred } from "../../util/deferred.ts";
import { keepGroup } from "../../util/process-groups.ts";
import { killTree } from "../../util/process-tree.ts";

/** The time that a server has to end after its stdin was closed. */
const STDIN_GRACE_MS = 1000;
/** The time that it has after SIGTERM. */
const TERM_GRACE_MS = 1000;
/** The time to wait for its last output after its exit while a child process keeps the pipe open. */
const PIPE_GRACE_MS = 200;
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

/** A program that speaks the protocol on its stdin and stdout. */
export interface ServerProgram {
  command: string;
  args: readonly string[];
  /** Absolute path. */
  cwd: string;
  /** The whole environment. */
  env: NodeJS.ProcessEnv;
  onStderr(chunk: Uint8Array): void;
  /** Receives lines of stdout that aren't messages. */
  onNoise(text: string): void;
}

type ServerChild = ChildProcessByStdio<Writable, Readable, Readable>;

/** Runs a server in its own process group, so that everything that it starts ends with it. On Windows, where there are no groups, it can be a script. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  readonly #program: ServerProgram;
  readonly #ended = deferred<void>();
  #child: ServerChild | undefined;
  #closing: Promise<void> | undefined;
  #delivered: Promise<void> = Promise.resolve();
  #ending = "ended";

  constructor(program: ServerProgram) {
    this.#program = program;
  }

  /** Describes the exit of the process, for a sentence that begins with its name. */
  get ending(): string {
    return this.#ending;
  }

  /** @throws Error when the program cannot be started. */
  start(): Promise<void> {
    const { command, args, cwd, env, onStderr } = this.#program;
    const child: ServerChild = spawn(command, [...args], {
      cwd,
      env,
      detached: process.platform !== "win32",
      windowsHide: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#child = child;
    this.#read(child);
    child.stderr.on("data", onStderr);
    child.stdin.on("error", () => undefined); // a process that is gone: its exit is what counts
    return new Promise((resolve, reject) => {
      child.once("spawn", () => {
        if (child.pid !== undefined) this.#watch(child, child.pid);
        resolve();
      });
      child.on("error", (cause) => {
        this.#ended.resolve();
        reject(new Error(`${command} couldn't be started: ${cause.message}`, { cause }));
      });
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (stdin === undefined || !stdin.writable) throw new Error(`the process has ${this.#ending}`);
    if (stdin.write(`${JSON.stringify(message)}\n`)) return;
    const drained = new Promise<void>((resolve) => stdin.once("drain", resolve));
    await Promise.race([drained, this.#ended.promise]);
  }

  /**
   * Ends the process: closes its stdin, then SIGTERM, then SIGKILL to everything that it started. Resolves when all of
   * it has ended.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    this.#child?.stdin.end();
    await atMost(this.#ended.promise, STDIN_GRACE_MS);
    await this.#killRest(pid);
    await atMost(this.#ended.promise, PIPE_GRACE_MS);
  }

  /** Ends what is left of the process and of all that it started. */
  async #killRest(pid: number): Promise<void> {
    const child = this.#child;
    const hasEnded = child === undefined || child.exitCode !== null || child.signalCode !== null;
    // On Windows, another program may already have the number of a process that has ended.
    if (hasEnded && process.platform === "win32") return;
    await killTree(pid, TERM_GRACE_MS);
  }

  #read(child: ServerChild): void {
    // Callers would wait forever for a message that is too long.
    const giveUp = () => {
      this.#ending = `been ended because it wrote a message of more than ${MAX_MESSAGE_BYTES} bytes`;
      void this.close();
    };
    const sink = { line: (text: string) => this.#takeLine(text), overflow: giveUp };
    const splitter = new LineSplitter(sink, MAX_MESSAGE_BYTES);
    let unfinishedBytes = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      const lineFeed = chunk.lastIndexOf("\n");
      unfinishedBytes = lineFeed === -1 ? unfinishedBytes + chunk.length : chunk.length - lineFeed - 1;
      splitter.push(chunk);
      if (unfinishedBytes > MAX_MESSAGE_BYTES) giveUp();
    });
    child.stdout.on("error", () => undefined); // ends with its process
    child.stderr.on("error", () => undefined);
  }

  #takeLine(text: string): void {
    if (text.trim() === "") return;
    const message = readMessage(text);
    if (message === undefined) this.#program.onNoise(text);
    // One after another: the client handles notifications a moment later than answers, and would drop progress that
    // came before an answer.
    else this.#delivered = this.#delivered.then(() => this.#deliver(message));
  }

  #deliver(message: JSONRPCMessage): void {
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #watch(child: ServerChild, pid: number): void {
    const forget = keepGroup(pid);
    const end = (ending: string) => {
      if (this.#ending === "ended") this.#ending = ending;
      const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
      void atMost(closed, PIPE_GRACE_MS)
        .then(() => this.#killRest(pid)) // what it started and left behind
        .then(() => {
          forget();
          child.stdout.destroy();
          child.stderr.destroy();
          this.#ended.resolve();
          this.onclose?.();
        });
    };
    child.once("exit", (code, signal) => end(`ended (${code === null ? signal : `exit code ${code}`})`));
    // On Windows a shell starts scripts, and only its end tells that there is none.
    child.once("error", (cause) => end(`not been started: ${cause.message}`));
  }
}

function readMessage(text: string): JSONRPCMessage | undefined {
  try {
    return JSONRPCMessageSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // not JSON
  }
}
