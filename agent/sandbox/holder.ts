import { type ChildProcessByStdio, spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import * as z from "zod";
import { deferred } from "../util/deferred.ts";
import type { Program } from "./enter.ts";

/** The time that bubblewrap has to build a sandbox. */
const START_TIMEOUT_MS = 10_000;
/** Says that the sandbox stands, and waits for the end of the agent. */
const HOLD = "echo ready; exec cat >/dev/null";
/** The processes that hold a sandbox have the first numbers inside: bubblewrap's own, and the one that waits. */
const LAST_HOLDING = 2;

/** The information that bubblewrap writes to its pipe. */
const Information = z.lazy(() => z.object({ "child-pid": z.int() }));

type HolderChild = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * The namespaces of a sandbox, held by a process that does nothing: commands enter them, so that they see each other's processes, ports, and
 * temporary files, and none of them pays for building the sandbox. All that runs in it ends with the holder, and the holder with the agent.
 */
export class Holder {
  readonly #child: HolderChild;
  /** The first process inside, by its number outside. */
  readonly pid: number;

  private constructor(child: HolderChild, pid: number) {
    this.#child = child;
    this.pid = pid;
  }

  /** @param bubblewrap with the arguments for the sandbox. @throws Error with bubblewrap's own words when there is no sandbox. */
  static async start({ file, args }: Program, env: NodeJS.ProcessEnv): Promise<Holder> {
    const child = spawn(file, [...args, "--info-fd", "3", "--", "/bin/sh", "-c", HOLD], {
      cwd: "/",
      env: { PATH: env.PATH },
      detached: true,
      stdio: ["pipe", "pipe", "pipe", "pipe"],
    });
    const [, , , information] = child.stdio;
    if (!(information instanceof Socket)) throw new Error("bubblewrap has no information pipe.");
    const [told, said, complaint] = [collect(information), deferred<void>(), collect(child.stderr)];
    const isTold = new Promise((resolve) => information.once("close", resolve));
    child.stdout.once("data", () => said.resolve());
    child.stdin.on("error", () => undefined); // the holder has ended, which its exit tells
    const ended = new Promise<never>((_, reject) => {
      child.once("error", (error) => reject(new Error(`Can't start ${file}: ${error.message}`)));
      child.once("exit", () => reject(new Error(complaint().trim() || `${file} ended at once.`)));
    });
    const timer = setTimeout(() => child.kill("SIGKILL"), START_TIMEOUT_MS);
    try {
      await Promise.race([Promise.all([said.promise, isTold]), ended]);
    } finally {
      clearTimeout(timer);
      ended.catch(() => undefined);
    }
    child.unref();
    for (const stream of [child.stdin, child.stdout, child.stderr]) {
      if (stream instanceof Socket) stream.unref();
    }
    return new Holder(child, Information.parse(JSON.parse(told()))["child-pid"]);
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** True while a process runs inside, besides those that hold the sandbox. */
  isBusy(): boolean {
    return this.others().length > 0;
  }

  /** Returns the processes inside, by their numbers there, without those that hold the sandbox. */
  others(): number[] {
    if (!this.isRunning) return [];
    try {
      const names = readdirSync(`/proc/${this.pid}/root/proc`).filter((name) => /^\d+$/.test(name));
      return names.map(Number).filter((pid) => pid > LAST_HOLDING);
    } catch {
      return []; // it has ended just now
    }
  }

  /** Ends the sandbox with all that runs in it. */
  async end(): Promise<void> {
    if (!this.isRunning) return;
    const gone = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.ref();
    // The first process of a process namespace takes all others of it along.
    try {
      process.kill(this.pid, "SIGKILL");
    } catch {
      // it has ended just now
    }
    this.#child.kill("SIGKILL");
    await gone;
  }
}

function collect(stream: Readable): () => string {
  let text = "";
  stream.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
  });
  return () => text;
}
