import type { Model } from "../protocol/model.ts";
import { MAX_PDF_PAGES, TOKENS_PER_PDF_PAGE } from "../util/pdf.ts";

/** The share of the window that one PDF may take. */
const WINDOW_SHARE = 0.5;

/** The APIs that accept PDFs, each with the providers whose models are known to read them. */
const READERS: Readonly<Record<string, readonly string[]>> = {
  "anthropic-messages": ["anthropic"],
  "google-generative-ai": ["google"],
  "google-vertex": ["google-vertex"],
  "anthropic-vertex": ["anthropic-vertex"],
  "bedrock-converse-stream": ["amazon-bedrock"],
};

/** True for a model of Anthropic, recognized by its ID or by the user's name for it, because some services have meaningless IDs. */
export function isClaude({ id, name }: Pick<Model, "id" | "name">): boolean {
  return /claude/i.test(`${id} ${name}`);
}

/** True if the model accepts PDFs: models of Anthropic, Gemini, and others with `compat.pdf`. */
export function takesPdf(model: Model): boolean {
  const { id, api, provider, input, compat } = model;
  const readers = Object.hasOwn(READERS, api) ? READERS[api] : undefined;
  if (readers === undefined || !input.includes("image")) return false;
  if (typeof compat?.pdf === "boolean") return compat.pdf;
  if (api === "bedrock-converse-stream") return isClaude(model);
  return readers.includes(provider) && !id.startsWith("gemma");
}

/** Returns the number of pages of a PDF that the model takes, at most; 0 if it takes no PDFs. */
export function maxPdfPages(model: Model): number {
  if (!takesPdf(model)) return 0;
  return Math.min(MAX_PDF_PAGES, Math.floor((model.contextWindow * WINDOW_SHARE) / TOKENS_PER_PDF_PAGE));
}
