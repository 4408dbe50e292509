/** A job for the thread: read the text of some pages of a PDF. */
export interface PdfJob {
  bytes: Uint8Array;
  /** 1-based; undefined for the last page of the file. */
  firstPage: number;
  lastPage: number | undefined;
  /** The maximum text in UTF-8 bytes; the first page is always read. */
  maxBytes: number;
}

/** The text of the pages, starting with the first requested one, or the reason why there is none. */
export type PdfText = { isLocked: true } | { isLocked: false; pageCount: number; pages: string[] };
