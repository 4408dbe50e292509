import { Worker } from "node:worker_threads";
import type { ScaledImage, ScaleJob } from "./scale-job.ts";

/** An image that takes longer, in milliseconds, counts as one that cannot be decoded. */
const TIME_LIMIT_MS = 60_000;

/** The thread's file lies beside this one: as source in the repository, as a bundle of its own in the product. */
const WORKER = new URL(import.meta.url.endsWith(".ts") ? "./scale-worker.ts" : "./scale-worker.cjs", import.meta.url);

/** Decodes an image and makes it small enough, in a thread of its own. @returns undefined when it can't be decoded. */
export async function scaleImage(job: ScaleJob): Promise<ScaledImage | undefined> {
  const worker = new Worker(WORKER, { workerData: job, stdout: true, stderr: true });
  worker.unref();
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve) => {
      timer = setTimeout(() => resolve(undefined), TIME_LIMIT_MS);
      timer.unref();
      worker.once("message", resolve);
      worker.once("error", () => resolve(undefined)); // the decoder stops in the middle of what it does not understand
      worker.once("exit", () => resolve(undefined));
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
