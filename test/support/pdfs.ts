import { deflateSync } from "node:zlib";

interface PdfOptions {
  /** True to put the pages into a compressed stream of objects, as most programs do. */
  isCompressed?: boolean;
  isEncrypted?: boolean;
  /** Bytes of a comment that makes it larger. */
  padding?: number;
}

/** Returns a PDF with empty pages. */
export function pdf(
  pages: number,
  { isCompressed = false, isEncrypted = false, padding = 0 }: PdfOptions = {},
): Buffer {
  const kids = Array.from({ length: pages }, (_, at) => `${at + 10} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${pages} >>`,
    ...Array.from({ length: pages }, () => "<</Type/Page/Parent 2 0 R/MediaBox[0 0 10 10]>>"),
  ];
  const compressed = deflateSync(objects.join(" "));
  const trailer = `trailer << /Root 1 0 R ${isEncrypted ? "/Encrypt 5 0 R " : ""}>>\n`;
  const body = isCompressed
    ? [
        Buffer.from(`3 0 obj << /Type /ObjStm /Filter /FlateDecode /Length ${compressed.length} >>\nstream\n`),
        compressed,
        Buffer.from("\nendstream\nendobj\n"),
      ]
    : objects.map((object, at) => Buffer.from(`${at + 1} 0 obj ${object} endobj\n`));
  const head = Buffer.from(`%PDF-1.7\n% ${pages} pages\n%${"x".repeat(padding)}\n`);
  return Buffer.concat([head, ...body, Buffer.from(`${trailer}%%EOF\n`)]);
}
