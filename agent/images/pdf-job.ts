/** The work of reading the text of some pages of a PDF. */
export interface PdfJob {
  bytes: Uint8Array;
  /** Pages count from 1; undefined for the last one of the file. */
  firstPage: number;
  lastPage: number | undefined;
  /** UTF-8 bytes of text, at most; the first page is read in any case. */
  maxBytes: number;
}

/** The text of pages, from the first that was asked for on, or the reason why there is none. */
export type PdfText = { isLocked: true } | { isLocked: false; pageCount: number; pages: string[] };
