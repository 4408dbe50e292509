import type { Model } from "../protocol/model.ts";
import { MAX_PDF_PAGES, TOKENS_PER_PDF_PAGE } from "../util/pdf.ts";

/** The share of the window that one PDF may take. */
const WINDOW_SHARE = 0.5;

/** True if the model takes PDFs: those of Anthropic, and others for which `compat.pdf` says so. */
export function takesPdf({ api, provider, input, compat }: Model): boolean {
  if (api !== "anthropic-messages" || !input.includes("image")) return false;
  return typeof compat?.pdf === "boolean" ? compat.pdf : provider === "anthropic";
}

/** Returns the number of pages of a PDF that the model takes, at most; 0 if it takes no PDFs. */
export function maxPdfPages(model: Model): number {
  if (!takesPdf(model)) return 0;
  return Math.min(MAX_PDF_PAGES, Math.floor((model.contextWindow * WINDOW_SHARE) / TOKENS_PER_PDF_PAGE));
}
