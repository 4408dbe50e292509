import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { realpath } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { promisify } from "node:util";
import * as z from "zod";
import { errorMessage } from "../protocol/errors.ts";
import type { CommandPreview } from "../protocol/previews.ts";
import type { SandboxPrograms } from "../sandbox/enter.ts";
import { findPrograms } from "../sandbox/programs.ts";
import { BashInput, outputText, runBashIn } from "../tools/bash.ts";
import { runShell } from "../tools/shell.ts";
import { type ToolContext, ToolFailure, type ToolOutput } from "../tools/tool.ts";
import { applyChanges } from "./apply-changes.ts";
import { type Changes, findChanges } from "./changed-paths.ts";
import { describeChanges } from "./describe-changes.ts";
import { Overlay } from "./overlay.ts";

/** The number of previews that can wait for a decision; the oldest is discarded for a new one. */
const MAX_WAITING = 4;

const ExitDetails = z.object({ exitCode: z.int() });

interface PreviewsOptions {
  /** The folders of the workspace. */
  roots: readonly string[];
  env: NodeJS.ProcessEnv;
  surroundings: Pick<ToolContext, "cwd" | "shell" | "env">;
}

interface Waiting {
  overlay: Overlay;
  result: ToolOutput | ToolFailure;
  changes: Changes;
}

/** Runs commands over layers that cover the disk, shows what they would change there, and makes the changes if that is wanted. */
export class CommandPreviews {
  readonly #options: PreviewsOptions;
  /** By their ids, the oldest first. */
  readonly #waiting = new Map<string, Waiting>();
  readonly #running = new Set<Promise<unknown>>();
  #places: Promise<{ roots: string[]; covered: string[] }> | undefined;
  #isPossible: Promise<boolean> | undefined;

  constructor(options: PreviewsOptions) {
    this.#options = options;
  }

  /** True if the system lets commands run over layers. */
  isPossible(): Promise<boolean> {
    this.#isPossible ??= this.#look();
    return this.#isPossible;
  }

  /** Runs a command without a network over the disk as it is now. @throws Error when that isn't possible here, or was stopped. */
  async run(args: Record<string, unknown>, signal = new AbortController().signal): Promise<CommandPreview> {
    const running = this.#run(BashInput.parse(args), signal);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Makes the changes of a preview on the disk. @returns the result or the failure of its command. @throws Error that says what was applied. */
  async apply(id: string): Promise<ToolOutput | ToolFailure> {
    const { result, changes, overlay } = this.#take(id);
    try {
      if (changes.problem !== undefined) throw new Error(`The changes can't be applied: ${changes.problem}.`);
      await applyChanges(changes.changed);
    } finally {
      await overlay.end();
    }
    return result;
  }

  /** Forgets a preview. @throws Error when it isn't there. */
  async discard(id: string): Promise<void> {
    await this.#take(id).overlay.end();
  }

  /** Forgets all previews. */
  async end(): Promise<void> {
    await Promise.allSettled(this.#running);
    await Promise.all([...this.#waiting.keys()].map((id) => this.discard(id)));
  }

  async #run(input: BashInput, signal: AbortSignal): Promise<CommandPreview> {
    const { roots } = await this.#settled();
    const overlay = await this.#start();
    try {
      const since = Date.now();
      const result = await runOver(overlay, input, { ...this.#options.surroundings, ...unseen(signal) });
      signal.throwIfAborted();
      await overlay.settle();
      const layers = overlay.layers.map((layer) => ({ ...layer, inside: overlay.inside(layer.place) }));
      const changes = await findChanges(layers, since);
      const described = await describeChanges(changes.changed, roots);
      const id = randomUUID();
      this.#waiting.set(id, { overlay, result, changes });
      await this.#makeRoom();
      return {
        previewId: id,
        output: result instanceof ToolFailure ? result.message : outputText(result),
        ...exitCodeOf(result),
        changes: described,
        changeCount: changes.changed.length,
        ...(changes.problem !== undefined && { problem: changes.problem }),
      };
    } catch (error) {
      await overlay.end();
      throw error;
    }
  }

  async #start(): Promise<Overlay> {
    const { env } = this.#options;
    const [programs, places]: [SandboxPrograms, { covered: string[] }] = await Promise.all([
      findPrograms(env),
      this.#settled(),
    ]);
    return Overlay.start({ programs, places: places.covered, env });
  }

  async #look(): Promise<boolean> {
    if (process.platform !== "linux") return false;
    try {
      const overlay = await this.#start();
      try {
        const { file, args, env } = overlay.enter({ shellPath: "/bin/sh", script: "true" }, "/", this.#options.env);
        await promisify(execFile)(file, args, { env, cwd: "/" });
      } finally {
        await overlay.end();
      }
      return true;
    } catch {
      return false;
    }
  }

  #settled(): Promise<{ roots: string[]; covered: string[] }> {
    this.#places ??= settle(this.#options.roots);
    return this.#places;
  }

  #take(id: string): Waiting {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) throw new Error(`There is no preview ${id}. It was applied or discarded.`);
    this.#waiting.delete(id);
    return waiting;
  }

  async #makeRoom(): Promise<void> {
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > MAX_WAITING && oldest !== undefined) await this.discard(oldest);
  }
}

/** Nobody watches the command while it runs. */
function unseen(signal: AbortSignal): Pick<ToolContext, "toolCallId" | "signal" | "onUpdate" | "ready"> {
  return { toolCallId: "preview", signal, onUpdate: () => undefined, ready: async () => undefined };
}

async function settle(folders: readonly string[]): Promise<{ roots: string[]; covered: string[] }> {
  const real = async (paths: readonly string[]) => {
    const found = await Promise.all(paths.map((path) => realpath(path).catch(() => undefined)));
    return found.filter((path) => path !== undefined);
  };
  const roots = await real(folders);
  return { roots, covered: [...new Set([...roots, ...(await real([homedir(), tmpdir()]))])] };
}

async function runOver(overlay: Overlay, input: BashInput, context: ToolContext): Promise<ToolOutput | ToolFailure> {
  const contained = {
    folder: tmpdir(),
    enter: overlay.enter.bind(overlay),
    refusalIn: async () => undefined,
    end: async () => [],
    takeOpened: () => [],
  };
  try {
    return await runBashIn(runShell, input, context, contained);
  } catch (error) {
    if (error instanceof ToolFailure) return error;
    throw new Error(`The preview failed: ${errorMessage(error)}`, { cause: error });
  }
}

function exitCodeOf(result: ToolOutput | ToolFailure): { exitCode?: number } {
  if (!(result instanceof ToolFailure)) return { exitCode: 0 };
  return ExitDetails.safeParse(result.details).data ?? {};
}
