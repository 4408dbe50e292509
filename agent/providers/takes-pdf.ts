import type { Model } from "../protocol/model.ts";
import { MAX_PDF_PAGES, TOKENS_PER_PDF_PAGE } from "../util/pdf.ts";

/** The share of the window that one PDF may take. */
const WINDOW_SHARE = 0.5;

/** The APIs that carry PDFs, each with the providers whose models are known to read them. */
const READERS: Readonly<Record<string, readonly string[]>> = {
  "anthropic-messages": ["anthropic"],
  "google-generative-ai": ["google"],
  "google-vertex": ["google-vertex"],
  "anthropic-vertex": ["anthropic-vertex"],
};

/** True if the model takes PDFs: those of Anthropic, Gemini, and others for which `compat.pdf` says so. */
export function takesPdf({ id, api, provider, input, compat }: Model): boolean {
  const readers = Object.hasOwn(READERS, api) ? READERS[api] : undefined;
  if (readers === undefined || !input.includes("image")) return false;
  return typeof compat?.pdf === "boolean" ? compat.pdf : readers.includes(provider) && !id.startsWith("gemma");
}

/** Returns the number of pages of a PDF that the model takes, at most; 0 if it takes no PDFs. */
export function maxPdfPages(model: Model): number {
  if (!takesPdf(model)) return 0;
  return Math.min(MAX_PDF_PAGES, Math.floor((model.contextWindow * WINDOW_SHARE) / TOKENS_PER_PDF_PAGE));
}
