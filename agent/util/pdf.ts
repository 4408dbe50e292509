import type { ImageContent, InputContent } from "../protocol/content.ts";

/** The type of a PDF. It takes the place of an image in messages, so that every host and session file can carry it. */
export const PDF_TYPE = "application/pdf";

/** A model sees the text and an image of each page. */
export const TOKENS_PER_PDF_PAGE = 2500;
/** Pages of all PDFs of one request that services take, at most. */
export const MAX_PDF_PAGES = 100;

/** For PDFs whose pages nobody has counted. */
const CHARACTERS_PER_PAGE = 100_000;

const pageCounts = new WeakMap<ImageContent, number>();

/** True for a PDF. */
export function isPdf(block: InputContent): block is ImageContent & { mimeType: typeof PDF_TYPE } {
  return block.type === "image" && block.mimeType === PDF_TYPE;
}

/** Remembers the number of pages of a PDF. */
export function notePdfPages(pdf: ImageContent, pages: number): void {
  pageCounts.set(pdf, pages);
}

/** True if the pages of a PDF were counted. */
export function hasCountedPages(pdf: ImageContent): boolean {
  return pageCounts.has(pdf);
}

/** Returns the number of pages of a PDF; a guess if they were not counted. */
export function pdfPagesOf(pdf: ImageContent): number {
  return pageCounts.get(pdf) ?? Math.ceil(pdf.data.length / CHARACTERS_PER_PAGE);
}
