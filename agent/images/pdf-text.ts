import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { runInThread } from "../util/in-thread.ts";
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
  const code = await promisify(brotliDecompress)(await readFile(CODE));
  return runInThread<PdfText>(code.toString(), job, { ...LIMITS, signal });
}
