import { runInThread, unpackThread } from "../util/in-thread.ts";
import type { PdfJob, PdfText } from "./pdf-job.ts";

const LIMITS = { timeMs: 30_000, memoryMb: 1024 };

/**
 * The thread's code: the build cuts the library to what reads text, and compresses the result, which is seldom needed. In the repository, it
 * is that of the last build.
 */
const CODE = new URL(
  `${import.meta.url.endsWith(".ts") ? "../../dist/agent/chunks/" : "./"}pdf-worker.cjs.br`,
  import.meta.url,
);

/** Reads the text of pages, in a thread of its own. @returns undefined for a file that can't be read. */
export async function readPdfText(job: PdfJob, signal: AbortSignal): Promise<PdfText | undefined> {
  return runInThread<PdfText>(await unpackThread(CODE), job, { ...LIMITS, signal });
}
