import { open, stat } from "node:fs/promises";
import type { BackgroundProcess } from "../protocol/background.ts";
import { AgentError } from "../protocol/errors.ts";
import { OutputCollector } from "../util/output-collector.ts";
import { firstMember, type GroupMember, killTree } from "../util/process-tree.ts";
import { MAX_BYTES } from "../util/truncate.ts";

/** The time between two looks at what still runs; nobody tells us when a process ends that is not our child. */
const LOOK_MS = 1000;
/** How many processes that have ended are remembered for their last output. */
const MAX_ENDED = 20;

/** A process group whose shell has ended. */
interface LeftGroup {
  group: number;
  /** Comes when nobody is left in the group. */
  release(): void;
}

interface Tracked extends LeftGroup {
  process: BackgroundProcess;
  isRunning: boolean;
  /** Output through the pipe of the shell that was not read yet. */
  collector: OutputCollector;
  /** How much of the output file was read, in bytes. */
  offset: number;
}

/** A process that was taken over, and what takes its later output. */
export interface Adopted {
  process: BackgroundProcess;
  take(chunk: Buffer): void;
}

/** Output of a background process since it was last read. */
export interface BackgroundOutput {
  collected: OutputCollector;
  isRunning: boolean;
}

/** Processes that still run after the shell that started them has ended. They end with the session and with the agent, unless they left their group (`setsid`). */
export class BackgroundProcesses {
  readonly #tracked = new Map<string, Tracked>();
  readonly #listeners = new Set<() => void>();
  #lastNumber = 0;
  #timer: NodeJS.Timeout | undefined;

  /** The running processes, the oldest first. */
  get running(): BackgroundProcess[] {
    return [...this.#tracked.values()].filter(({ isRunning }) => isRunning).map(({ process }) => process);
  }

  /** Calls a listener after each change of what runs. @returns what ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Takes over what is left of a command.
   * @param command what the shell ran.
   * @returns undefined when nothing is left, or nobody can tell.
   */
  async adopt(left: LeftGroup, command: string): Promise<Adopted | undefined> {
    const member = await firstMember(left.group);
    if (member === undefined) return undefined;
    const process = toProcess(`b${++this.#lastNumber}`, member, command);
    const offset = process.outputPath === undefined ? 0 : await sizeOf(process.outputPath);
    const tracked: Tracked = { ...left, process, isRunning: true, collector: tailCollector(), offset };
    this.#tracked.set(process.id, tracked);
    this.#changed();
    return { process, take: (chunk: Buffer) => tracked.collector.push(chunk) };
  }

  /** Returns the file that the output of a process goes to, if it is one. @throws AgentError invalid_request when there is no such process. */
  outputPathOf(id: string): string | undefined {
    return this.#find(id).process.outputPath;
  }

  /** Returns what a process printed since it was last read, or since its command ended. @throws AgentError invalid_request when there is no such process. */
  async read(id: string): Promise<BackgroundOutput> {
    const tracked = this.#find(id);
    await this.#look(tracked);
    const collected = tracked.collector;
    tracked.collector = tailCollector();
    if (tracked.process.outputPath !== undefined) await readOn(tracked, tracked.process.outputPath, collected);
    return { collected, isRunning: tracked.isRunning };
  }

  /** Ends a process with everything in its group. @throws AgentError invalid_request when there is no such process. */
  async stop(id: string): Promise<BackgroundProcess> {
    const tracked = this.#find(id);
    if (tracked.isRunning) await killTree(tracked.group);
    this.#end(tracked);
    return tracked.process;
  }

  /** Ends all processes and forgets them. */
  async stopAll(): Promise<void> {
    const all = [...this.#tracked.values()];
    await Promise.all(all.map(({ process }) => this.stop(process.id)));
    for (const { process } of all) this.#tracked.delete(process.id);
  }

  #find(id: string): Tracked {
    const tracked = this.#tracked.get(id);
    if (tracked !== undefined) return tracked;
    const ids = this.running.map((process) => process.id).join(", ");
    throw new AgentError(
      "invalid_request",
      `No background process ${id}. ${ids === "" ? "None is running." : `Running: ${ids}.`}`,
    );
  }

  async #look(tracked: Tracked): Promise<void> {
    if (tracked.isRunning && (await firstMember(tracked.group)) === undefined) this.#end(tracked);
  }

  #end(tracked: Tracked): void {
    if (!tracked.isRunning) return;
    tracked.isRunning = false;
    tracked.release();
    const ended = [...this.#tracked.values()].filter(({ isRunning }) => !isRunning);
    for (const { process } of ended.slice(0, -MAX_ENDED)) this.#tracked.delete(process.id);
    this.#changed();
  }

  #changed(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.running.length > 0) this.#lookLater();
    for (const listener of this.#listeners) listener();
  }

  #lookLater(): void {
    this.#timer = setTimeout(async () => {
      await Promise.all([...this.#tracked.values()].map((tracked) => this.#look(tracked)));
      if (this.running.length > 0) this.#lookLater();
    }, LOOK_MS);
    this.#timer.unref();
  }
}

/** Keeps the end only: a server prints for as long as it runs. */
function tailCollector(): OutputCollector {
  return new OutputCollector({ keepsFile: false });
}

function toProcess(id: string, member: GroupMember, command: string): BackgroundProcess {
  const { pid, outputPath } = member;
  // A list in the background runs in our own shell, whose command line has what we put before the command.
  const isOwnShell = member.command === "" || member.command.includes(command);
  return {
    id,
    pid,
    command: isOwnShell ? command : member.command,
    ...(outputPath === undefined ? {} : { outputPath }),
  };
}

/** Reads on in a file, from its end at most as much as a result may hold. A file that is shorter than before was begun anew. */
async function readOn(tracked: Tracked, path: string, collector: OutputCollector): Promise<void> {
  const size = await sizeOf(path);
  const from = Math.max(size < tracked.offset ? 0 : tracked.offset, size - MAX_BYTES);
  tracked.offset = size;
  if (size === from) return;
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    collector.push(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
