// A thread that reads the text of a PDF. Large files take seconds and much memory, and hostile ones may never finish: the thread can be ended.
import { parentPort, workerData } from "node:worker_threads";
import { DecodeStream, LocalPdfManager, type PdfFile, type TextItem } from "pdfjs-dist/legacy/build/pdf.worker.mjs";
import type { PdfJob, PdfText } from "./pdf-job.ts";

/** Settings for reading text: the library draws nothing, loads nothing, and runs no code of the file. */
const EVALUATOR = {
  isEvalSupported: false,
  isOffscreenCanvasSupported: false,
  isImageDecoderSupported: false,
  maxImageSize: 0,
  disableFontFace: true,
  useSystemFonts: false,
  fontExtraProperties: false,
  ignoreErrors: true,
  useWasm: false,
  useWorkerFetch: false,
  cMapUrl: null,
  standardFontDataUrl: null,
  iccUrl: null,
  wasmUrl: null,
  prefixFonts: false,
};
const NO_HOST = { send: () => undefined, sendWithPromise: () => Promise.reject(new Error("There is no host.")) };
/** The text for a damaged page. Other pages can still be read. */
const UNREADABLE = "(This page can't be read.)";
const TASK = { name: "text", ensureNotTerminated: () => undefined };

const MEGABYTE = 1024 * 1024;
/** The limit for decompressed streams: a small file can contain endless ones, and Node's memory limit for threads doesn't count their buffers. */
const MAX_STREAM_BYTES = 128 * MEGABYTE;
const MAX_BYTES = 512 * MEGABYTE;
/** Buffers are counted again after this many new bytes. */
const COUNT_EACH_BYTES = 16 * MEGABYTE;

const job: PdfJob = workerData;
boundMemory();
/** A failure ends the thread without an answer, which the caller reports. */
void readText(job).then((text) => parentPort?.postMessage(text));

async function readText({ bytes, firstPage, lastPage, maxBytes }: PdfJob): Promise<PdfText> {
  const options = { docId: "pdf", docBaseUrl: null, enableXfa: false, password: "", evaluatorOptions: EVALUATOR };
  const source = new Uint8Array(bytes); // the library expects them at the beginning of their buffer
  const file = new LocalPdfManager({ ...options, source }).pdfDocument;
  try {
    parse(file);
  } catch (error) {
    if (error instanceof Error && error.name === "PasswordException") return { isLocked: true };
    throw error;
  }
  const pageCount = await file.numPages;
  const pages: string[] = [];
  let bytesOfText = 0;
  for (let page = firstPage; page <= Math.min(lastPage ?? pageCount, pageCount); page += 1) {
    const text = await pageText(file, page).catch(() => UNREADABLE);
    bytesOfText += Buffer.byteLength(text);
    if (bytesOfText > maxBytes && pages.length > 0) break;
    pages.push(text);
  }
  return { isLocked: false, pageCount, pages };
}

/** Ends the thread when the decompressed streams of the file grow too large. */
function boundMemory(): void {
  const { ensureBuffer } = DecodeStream.prototype;
  const most = process.memoryUsage().arrayBuffers + job.bytes.length + MAX_BYTES;
  let uncounted = 0;
  DecodeStream.prototype.ensureBuffer = function (requested) {
    if (requested > MAX_STREAM_BYTES) process.exit(1);
    const before = this.buffer;
    const buffer = ensureBuffer.call(this, requested);
    if (buffer === before) return buffer;
    uncounted += buffer.length;
    if (uncounted < COUNT_EACH_BYTES) return buffer;
    uncounted = 0;
    if (process.memoryUsage().arrayBuffers > most) process.exit(1);
    return buffer;
  };
  Reflect.deleteProperty(globalThis, "DecompressionStream"); // without it, the library decompresses into such buffers only
}

/** If the table of objects is damaged, the library searches the file for objects. */
function parse(file: PdfFile): void {
  try {
    file.checkHeader();
    file.parseStartXRef();
    file.parse(false);
  } catch (error) {
    if (error instanceof Error && error.name === "PasswordException") throw error;
    file.parse(true);
  }
}

async function pageText(file: PdfFile, number: number): Promise<string> {
  const parts: string[] = [];
  const enqueue = ({ items }: { items: readonly TextItem[] }) => {
    for (const { str = "", hasEOL } of items) parts.push(str, hasEOL === true ? "\n" : "");
  };
  const page = await file.getPage(number - 1);
  const sink = { enqueue, desiredSize: 1, ready: Promise.resolve() };
  const options = { includeMarkedContent: false, disableNormalization: false };
  await page.extractTextContent({ handler: NO_HOST, task: TASK, sink, ...options });
  return parts.join("").trim();
}
