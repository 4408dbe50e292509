import { deflateSync } from "node:zlib";

interface PdfOptions {
  /** True to put the pages into a compressed stream of objects, as most programs do. */
  isCompressed?: boolean;
  isEncrypted?: boolean;
  /** Bytes of a comment that makes it larger. */
  padding?: number;
}

/** The encryption of a file that can't be opened without its password: an empty password fails. */
const LOCK = `/ID [<00> <00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${"11".repeat(32)}> /U <${"22".repeat(32)}> >>`;

/** Returns a PDF with a text on each page, a line of the page for each line. */
export function textPdf(pages: readonly string[]): Buffer {
  const font = 3 + pages.length * 2;
  const kids = pages.map((_, at) => `${3 + at * 2} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    ...pages.flatMap((text, at) => {
      const lines = text.split("\n").map((line) => `(${line}) Tj 0 -14 Td`);
      const content = `BT /F1 12 Tf 72 720 Td ${lines.join(" ")} ET`;
      const page = `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${4 + at * 2} 0 R /Resources << /Font << /F1 ${font} 0 R >> >> >>`;
      return [page, `<< /Length ${content.length} >>\nstream\n${content}\nendstream`];
    }),
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  const body = objects.map((object, at) => `${at + 1} 0 obj\n${object}\nendobj\n`).join("");
  return Buffer.from(`%PDF-1.7\n${body}trailer << /Size ${objects.length + 1} /Root 1 0 R >>\n%%EOF\n`);
}

/** Returns a PDF with empty pages. */
export function pdf(
  pages: number,
  { isCompressed = false, isEncrypted = false, padding = 0 }: PdfOptions = {},
): Buffer {
  const kids = Array.from({ length: pages }, (_, at) => `${at + 3} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${pages} >>`,
    ...Array.from({ length: pages }, () => "<</Type/Page/Parent 2 0 R/MediaBox[0 0 10 10]>>"),
  ];
  const compressed = deflateSync(objects.join(" "));
  const trailer = `trailer << /Root 1 0 R ${isEncrypted ? `${LOCK} ` : ""}>>\n`;
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
