// The parts of the PDF library that our build lets out of it.

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
    /** Makes the buffer at least as large as that. */
    ensureBuffer(requested: number): Uint8Array;
  }

  class LocalPdfManager {
    constructor(options: Readonly<Record<string, unknown>>);
    readonly pdfDocument: PdfFile;
  }
}
