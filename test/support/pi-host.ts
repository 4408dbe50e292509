import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { asRecord, BUILT_AGENT, type Frame } from "./spawn-agent.ts";

const DEADLINE_MS = 15_000;

interface PiHostOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly args?: readonly string[];
  /** The event that this host takes for the end of a run; older ones know nothing behind `agent_end`. */
  readonly endsAt?: "agent_settled" | "agent_end";
  /** Read lines with `node:readline`, which on newer Node also ends them at U+2028. */
  readonly readsWithReadline?: boolean;
}

/** A host of the pi dialect: it does not wait for `ready`, and gives every command an id of its own. Lines that are not JSON are mistakes. */
export class PiHost {
  readonly events: Frame[] = [];
  readonly broken: string[] = [];
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #endsAt: string;
  readonly #answers = new Map<string, (response: Frame) => void>();
  readonly #watchers = new Set<() => void>();
  #lastId = 0;

  private constructor({ cwd, env, args = [], endsAt = "agent_settled", readsWithReadline = false }: PiHostOptions) {
    this.#endsAt = endsAt;
    this.#child = spawn(process.execPath, [BUILT_AGENT, "--mode", "rpc", ...args], { cwd, env: { ...env } });
    this.#child.stderr.resume();
    const take = (line: string) => this.#take(line);
    if (readsWithReadline) {
      createInterface({ input: this.#child.stdout, crlfDelay: Number.POSITIVE_INFINITY }).on("line", take);
      return;
    }
    let rest = "";
    this.#child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) take(line);
    });
  }

  /** Starts the agent and gives it the tenth of a second that such hosts give it, whether it is up by then or not. */
  static async start(options: PiHostOptions): Promise<PiHost> {
    const host = new PiHost(options);
    await delay(100);
    return host;
  }

  /** Writes a frame as it is. */
  write(frame: object): void {
    this.#child.stdin.write(`${JSON.stringify(frame)}\n`);
  }

  /** Sends a command. @returns the data of the answer, which must be a success. */
  async call(type: string, fields: object = {}): Promise<Record<string, unknown>> {
    const id = `req_${++this.#lastId}`;
    const answer = new Promise<Frame>((resolve) => this.#answers.set(id, resolve));
    this.write({ type, ...fields, id });
    const response = await withDeadline(answer, `the answer to ${type}`);
    if (response.success !== true) throw new Error(String(response.error));
    return asRecord(response.data);
  }

  /** Sends a prompt. @returns the events until the end of its run. */
  async promptAndWait(message: string): Promise<Frame[]> {
    const events = this.collect();
    await this.call("prompt", { message });
    return events;
  }

  /** The events from this call on until the end of a run. */
  async collect(): Promise<Frame[]> {
    const from = this.events.length;
    const end = await this.waitFor(({ type }) => type === this.#endsAt, from);
    return this.events.slice(from, this.events.indexOf(end) + 1);
  }

  /** The first event from position `from` that fits, now or later. */
  waitFor(fits: (event: Frame) => boolean, from = 0): Promise<Frame> {
    const found = new Promise<Frame>((resolve) => {
      const look = () => {
        const event = this.events.slice(from).find(fits);
        if (event === undefined) return;
        this.#watchers.delete(look);
        resolve(event);
      };
      this.#watchers.add(look);
      look();
    });
    return withDeadline(found, "an event");
  }

  /** Stops the agent the way these hosts do. @returns its exit code. */
  async stop(): Promise<number | null> {
    const exited = new Promise<number | null>((resolve) => this.#child.once("exit", resolve));
    if (this.#child.exitCode !== null) return this.#child.exitCode;
    this.#child.kill("SIGTERM");
    return withDeadline(exited, "the exit");
  }

  #take(line: string): void {
    let frame: Frame;
    try {
      const parsed = asRecord(JSON.parse(line));
      frame = { ...parsed, type: String(parsed.type) };
    } catch {
      this.broken.push(line);
      return;
    }
    const answer = typeof frame.id === "string" && frame.type === "response" ? this.#answers.get(frame.id) : undefined;
    if (answer !== undefined) answer(frame);
    else this.events.push(frame);
    for (const look of [...this.#watchers]) look();
  }
}

async function withDeadline<T>(promise: Promise<T>, what: string): Promise<T> {
  const timer = new AbortController();
  const late = delay(DEADLINE_MS, undefined, { signal: timer.signal }).then(
    () => Promise.reject(new Error(`${what} did not come`)),
    () => promise,
  );
  try {
    return await Promise.race([promise, late]);
  } finally {
    timer.abort();
  }
}
