import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { brotliDecompress } from "node:zlib";

/** The bounds of work in a thread. */
export interface ThreadLimits {
  timeMs: number;
  /** Memory for objects, in megabytes; undefined for Node's own limit. */
  memoryMb?: number;
  /** Ends the thread when it aborts. */
  signal?: AbortSignal;
}

/** Returns the file of a thread: it lies beside the one that starts it, as source in the repository, as a bundle of its own in the product. */
export function threadFile(starter: string, name: string): URL {
  return new URL(starter.endsWith(".ts") ? `./${name}.ts` : `./${name}.cjs`, starter);
}

/** Reads the code of a thread from the file that the build has packed it into. */
export async function unpackThread(file: URL): Promise<string> {
  const code = await promisify(brotliDecompress)(await readFile(file));
  return code.toString();
}

/**
 * Runs one job in a thread of its own, which answers with one message.
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
