// The parts of the PDF library that our build exports.

declare module "pdfjs-dist/legacy/build/pdf.worker.mjs" {
  /** A run of text; `hasEOL` is true at the end of a line. */
  interface TextItem {
    str?: string;
    hasEOL?: boolean;
  }

  interface PdfPage {
    extractTextContent(options: Readonly<Record<string, unknown>>): Promise<void>;
  }

  interface PdfFile {
    readonly numPages: number | Promise<number>;
    checkHeader(): void;
    parseStartXRef(): void;
    parse(isRecovery: boolean): void;
    getPage(index: number): Promise<PdfPage>;
  }

  /** A stream that is decompressed into memory. */
  class DecodeStream {
    buffer: Uint8Array;
    /** Grows the buffer to at least this size. */
    ensureBuffer(requested: number): Uint8Array;
  }

  class LocalPdfManager {
    constructor(options: Readonly<Record<string, unknown>>);
    readonly pdfDocument: PdfFile;
  }
}
