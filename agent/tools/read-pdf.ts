import { relative } from "node:path";
import type { ImageContent } from "../protocol/content.ts";
import { notePdfPages, PDF_TYPE } from "../util/pdf.ts";
import { formatSize } from "../util/truncate.ts";
import type { ReadableFile } from "./readable-file.ts";
import { type ToolContext, type ToolOutput, textOutput } from "./tool.ts";

/** Services take 32 MB a request, in which base64 adds a third and the conversation needs room. */
const MAX_PDF_BYTES = 18 * 1024 * 1024;
const HEADING = `Read PDF file [${PDF_TYPE}]`;

/** Shows a PDF to models that take it, or says what to do instead. */
export async function readPdf(file: ReadableFile, context: ToolContext): Promise<ToolOutput> {
  const maxPages = context.maxPdfPages?.() ?? 0;
  const { sizeBytes } = file;
  const below = relative(context.cwd, file.path);
  const path = below.startsWith("..") ? file.path : below;
  const size = formatSize(sizeBytes);
  if (maxPages === 0) return notShown(`PDF of ${size}, not shown: the model takes no PDFs`, path);
  if (sizeBytes > MAX_PDF_BYTES) {
    return notShown(`PDF of ${size}, not shown: the limit is ${formatSize(MAX_PDF_BYTES)}`, path);
  }
  const bytes = await file.readAll();
  const { readPdfFacts } = await import("../images/pdf-facts.ts");
  const { pages, isEncrypted } = readPdfFacts(bytes);
  if (isEncrypted)
    return textOutput(
      `${HEADING}\n\n[PDF of ${size}, not shown: it is encrypted. Ask the user for a copy without a password.]`,
    );
  if (pages !== undefined && pages > maxPages) {
    return notShown(`PDF of ${pages} pages, not shown: the model takes at most ${maxPages}`, path);
  }
  const pdf: ImageContent = { type: "image", data: bytes.toString("base64"), mimeType: PDF_TYPE };
  if (pages !== undefined) notePdfPages(pdf, pages);
  const count = pages === undefined ? "" : pages === 1 ? ", 1 page" : `, ${pages} pages`;
  return { content: [{ type: "text", text: `${HEADING}${count}` }, pdf] };
}

/** @param path as the shell finds it from the working directory. */
function notShown(reason: string, path: string): ToolOutput {
  const command = `pdftotext -f 1 -l 10 -layout '${path.replaceAll("'", "'\\''")}' -`;
  return textOutput(`${HEADING}\n\n[${reason}. Use bash for the text of some pages: ${command}]`);
}
