import { runInThread, unpackThread } from "../util/in-thread.ts";
import type { PdfJob, PdfText } from "./pdf-job.ts";

const LIMITS = { timeMs: 30_000, memoryMb: 1024 };

/**
 * The thread's code: the build reduces the library to the parts that read text, and compresses the result, which is rarely needed. In the repository,
 * this is the code of the last build.
 */
const CODE = new URL(
  `${import.meta.url.endsWith(".ts") ? "../../dist/agent/chunks/" : "./"}pdf-worker.cjs.br`,
  import.meta.url,
);

/** Reads the text of pages in a separate thread. @returns undefined for a file that can't be read. */
export async function readPdfText(job: PdfJob, signal: AbortSignal): Promise<PdfText | undefined> {
  return runInThread<PdfText>(await unpackThread(CODE), job, { ...LIMITS, signal });
}
