import type { PlacedBlock } from "./messages-api-images.ts";

const MAX_PAGES = 100;

/** Returns the problem that the real service would have with the PDFs of a request, or undefined. Reads the PDFs of `pdfs.ts`. */
export function checkDocuments(blocks: readonly PlacedBlock[]): string | undefined {
  let pages = 0;
  for (const { place, block } of blocks) {
    if (block.type !== "document") continue;
    const text = Buffer.from(block.source.data, "base64").toString("latin1");
    const at = `${place}.pdf.source.base64.data`;
    if (!text.startsWith("%PDF-") || !text.trimEnd().endsWith("%%EOF"))
      return `${at}: The PDF specified was not valid.`;
    if (text.includes("/Encrypt")) return `${at}: The PDF specified is password protected.`;
    pages += Number(/% (\d+) pages/.exec(text)?.[1] ?? 1);
  }
  return pages > MAX_PAGES ? `A maximum of ${MAX_PAGES} PDF pages may be provided.` : undefined;
}
