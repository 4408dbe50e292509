import { runInThread, threadFile } from "../util/in-thread.ts";
import type { ScaledImage, ScaleJob } from "./scale-job.ts";

/** An image that takes longer, in milliseconds, counts as one that cannot be decoded. */
const TIME_LIMIT_MS = 60_000;

/** Decodes an image and makes it small enough, in a thread of its own. @returns undefined when it can't be decoded. */
export function scaleImage(job: ScaleJob): Promise<ScaledImage | undefined> {
  return runInThread<ScaledImage>(threadFile(import.meta.url, "scale-worker"), job, { timeMs: TIME_LIMIT_MS });
}
