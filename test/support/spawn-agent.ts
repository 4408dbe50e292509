import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A frame as it came, unchecked: the tests look at the wire itself. */
export type Frame = Record<string, unknown> & { type: string };

interface SpawnOptions {
  args?: readonly string[];
  /** Base URL of the scripted model; without it there are no credentials. */
  modelUrl?: string;
  env?: Record<string, string>;
  /** Working directory; default is a new folder. */
  cwd?: string;
  /** AGENT_DIR; default is a new folder. */
  agentDir?: string;
  /** True if the agent may offer the sandbox with its first question about a command. */
  offersSandbox?: boolean;
  /** The program; default is the built agent. */
  program?: string;
}

/** True when the agent runs on Windows, where a start takes seconds. */
export const IS_ON_WINDOWS = process.env.TILLER_TEST_WINDOWS !== undefined;
const DEADLINE_MS = IS_ON_WINDOWS ? 20_000 : 15_000;
/** Path of the script that a Node runs as the agent: the built agent, or what starts it on another system. */
export const BUILT_AGENT =
  process.env.TILLER_TEST_AGENT ?? fileURLToPath(new URL("../../dist/agent/cli.js", import.meta.url));

/** Returns an absolute path as the agent writes it into files. */
export function agentPath(path: string): string {
  return IS_ON_WINDOWS ? `Z:${path.replaceAll("/", "\\")}` : path;
}

/** The Node that an agent can start. */
export const AGENT_NODE = process.env.TILLER_TEST_AGENT_NODE ?? process.execPath;

/** One home for all agents of a test file, so that they share their compiled code. */
const HOME = mkdtempSync(join(tmpdir(), IS_ON_WINDOWS ? "tiller home Jürgen Größ-" : "tiller-home-"));
process.once("exit", () => rmSync(HOME, { recursive: true, force: true }));

/** The built agent as a child process, seen the way a host sees it: lines in, lines out. */
export class AgentUnderTest {
  readonly cwd: string;
  readonly agentDir: string;
  /** Every frame so far, in order. */
  readonly frames: Frame[] = [];
  /** Raw bytes of stdout. */
  readonly stdout: Buffer[] = [];
  stderr = "";
  readonly child: ChildProcessWithoutNullStreams;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly #temporary: string[] = [];
  readonly #watchers = new Set<() => void>();
  /** Pieces of the line that has not ended yet. */
  #partial: Buffer[] = [];
  #lastId = 0;

  constructor({
    args = ["--no-session"],
    modelUrl,
    env = {},
    cwd,
    agentDir,
    program = BUILT_AGENT,
    offersSandbox = false,
  }: SpawnOptions = {}) {
    this.cwd = cwd ?? this.#temporaryFolder();
    this.agentDir = agentDir ?? this.#temporaryFolder();
    if (!offersSandbox && existsSync(this.agentDir)) writeFileSync(join(this.agentDir, "sandbox-offered"), "");
    const model = modelUrl === undefined ? {} : { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: modelUrl };
    this.child = spawn(process.execPath, [program, "--mode", "rpc", ...args], {
      cwd: this.cwd,
      env: { PATH: process.env.PATH, HOME, PI_CODING_AGENT_DIR: this.agentDir, ...model, ...env },
    });
    this.child.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
    this.child.stderr.on("data", (chunk: Buffer) => {
      this.stderr += chunk;
      this.#notify();
    });
    this.child.stdin.on("error", () => undefined); // an agent that is gone: the test sees its exit
    this.exited = new Promise((resolve) => {
      this.child.once("close", (code, signal) => {
        resolve({ code, signal });
        this.#notify();
      });
    });
  }

  /** Writes bytes as they are. */
  write(data: string | Uint8Array): void {
    this.child.stdin.write(data);
  }

  send(frame: object): void {
    this.write(`${JSON.stringify(frame)}\n`);
  }

  /** Sends a command and waits for its response. */
  async request(type: string, fields: object = {}): Promise<Frame> {
    const id = `t${++this.#lastId}`;
    this.send({ id, type, ...fields });
    return this.waitFor((frame) => frame.type === "response" && frame.id === id);
  }

  /** Sends a command that must succeed. @returns its data. */
  async call(type: string, fields: object = {}): Promise<Record<string, unknown>> {
    const response = await this.request(type, fields);
    if (response.success !== true) throw new Error(`${type} failed: ${String(response.error)}`);
    return asRecord(response.data);
  }

  /** Sends a prompt and waits until its run is settled. @returns the frames of the run, the response left out. */
  async run(message: string, fields: object = {}): Promise<Frame[]> {
    const from = this.frames.length;
    await this.call("prompt", { message, ...fields });
    await this.settled(from);
    return this.frames.slice(from).filter(({ type }) => type !== "response" && type !== "ready");
  }

  settled(from = 0): Promise<Frame> {
    return this.waitFor(({ type }) => type === "agent_settled", from);
  }

  /** The first frame from position `from` that fits, now or later. */
  async waitFor(fits: (frame: Frame) => boolean, from = 0): Promise<Frame> {
    let next = from;
    const look = () => {
      while (next < this.frames.length) {
        const frame = this.frames[next++];
        if (frame !== undefined && fits(frame)) return frame;
      }
      return undefined;
    };
    return this.until(look, "a frame");
  }

  /** Resolves to the first result of `look` that is not undefined; it runs after every frame, after output on stderr, and at the exit. */
  until<T>(look: () => T | undefined, what: string): Promise<T> {
    return new Promise((resolve, reject) => {
      const check = () => {
        const found = look();
        if (found === undefined) return;
        clearTimeout(timer);
        this.#watchers.delete(check);
        resolve(found);
      };
      const timer = setTimeout(() => {
        this.#watchers.delete(check);
        reject(new Error(`${what} did not come.\n${this.#log()}`));
      }, DEADLINE_MS);
      this.#watchers.add(check);
      check();
    });
  }

  /** Types of frames, in order; updates left out. */
  types(frames: readonly Frame[] = this.frames): string[] {
    return frames.map(({ type }) => type).filter((type) => type !== "message_update");
  }

  /** Closes stdin and waits for the exit. */
  async end(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    this.child.stdin.end();
    return this.exited;
  }

  /** Ends the process, whatever it does, and removes its folders. */
  async dispose(): Promise<void> {
    this.child.stdin.destroy();
    const timer = setTimeout(() => this.child.kill("SIGKILL"), 5000);
    await this.exited;
    clearTimeout(timer);
    for (const folder of this.#temporary) rmSync(folder, { recursive: true, force: true });
  }

  #temporaryFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), "tiller-test-"));
    this.#temporary.push(folder);
    return folder;
  }

  #read(chunk: Buffer): void {
    this.stdout.push(chunk);
    let from = 0;
    for (let lf = chunk.indexOf(0x0a); lf !== -1; lf = chunk.indexOf(0x0a, from)) {
      const line = Buffer.concat([...this.#partial.splice(0), chunk.subarray(from, lf)]);
      const frame: unknown = JSON.parse(line.toString());
      this.frames.push(asFrame(frame));
      from = lf + 1;
    }
    this.#partial.push(chunk.subarray(from));
    this.#notify();
  }

  #notify(): void {
    for (const check of [...this.#watchers]) check();
  }

  #log(): string {
    const frames = this.frames.slice(-30).map((frame) => JSON.stringify(frame).slice(0, 300));
    return [...frames, "--- stderr ---", this.stderr.slice(-2000)].join("\n");
  }
}

function asFrame(value: unknown): Frame {
  const frame = asRecord(value);
  if (typeof frame.type !== "string") throw new Error(`A frame without a type: ${JSON.stringify(value)}`);
  return { ...frame, type: frame.type };
}

/** A value that must be an object. */
export function asRecord(value: unknown): Record<string, unknown> {
  if (value === undefined) return {};
  if (typeof value !== "object" || value === null) throw new Error(`Not an object: ${JSON.stringify(value)}`);
  return { ...value };
}
