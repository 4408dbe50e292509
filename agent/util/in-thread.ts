import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { brotliDecompress } from "node:zlib";

/** The limits of a thread. */
export interface ThreadLimits {
  timeMs: number;
  /** The memory for objects in megabytes; undefined for Node's default. */
  memoryMb?: number;
  /** Ends the thread when aborted. */
  signal?: AbortSignal;
}

/** Returns the file of a thread, which is beside the file that starts it: a source file in the repository, a separate bundle in the product. */
export function threadFile(starter: string, name: string): URL {
  return new URL(starter.endsWith(".ts") ? `./${name}.ts` : `./${name}.cjs`, starter);
}

/** Reads the code of a thread from its packed file. */
export async function unpackThread(file: URL): Promise<string> {
  const code = await promisify(brotliDecompress)(await readFile(file));
  return code.toString();
}

/**
 * Runs one job in a new thread, which answers with one message.
 * @param code the file of the thread, or its code as a CommonJS module.
 * @returns undefined when the thread ends without an answer, or reaches a limit.
 */
export async function runInThread<Result>(
  code: URL | string,
  job: unknown,
  { timeMs, memoryMb, signal }: ThreadLimits,
): Promise<Result | undefined> {
  if (signal?.aborted === true) return undefined;
  const limits = memoryMb === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: memoryMb } };
  const worker = new Worker(code, {
    eval: typeof code === "string",
    workerData: job,
    stdout: true,
    stderr: true,
    ...limits,
  });
  worker.unref();
  let timer: NodeJS.Timeout | undefined;
  let stop = () => {};
  try {
    return await new Promise((resolve) => {
      stop = () => resolve(undefined);
      timer = setTimeout(stop, timeMs);
      timer.unref();
      signal?.addEventListener("abort", stop, { once: true });
      worker.once("message", resolve);
      worker.once("error", stop); // a parser stops in the middle of what it does not understand
      worker.once("exit", stop);
    });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
    await worker.terminate();
  }
}
