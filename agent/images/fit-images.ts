import type { ImageContent, InputContent } from "../protocol/content.ts";
import type { AgentMessage } from "../protocol/messages.ts";
import { hasCountedPages, isPdf, MAX_PDF_PAGES, notePdfPages, pdfPagesOf } from "../util/pdf.ts";
import { type FittedImage, fitImage } from "./fit-image.ts";
import { TOO_LONG, TOO_MANY } from "./left-out-notes.ts";
import { changeBlocks, imagesOf } from "./message-images.ts";
import { readPdfFacts } from "./pdf-facts.ts";

/** Images of one request, at most. */
const MAX_IMAGES = 100;
/** Base64 characters of all images of one request, at most: services take 32 MB in all. */
const MAX_TOTAL_CHARACTERS = 24 * 1024 * 1024;
/** Beyond a limit, this share of it is left out at once: what is sent changes seldom, so that services find it in their cache. */
const STEP_SHARE = 0.25;

/**
 * Returns messages whose images and PDFs model APIs take: each is scaled or converted if it has to be, and the oldest are left out if there are too
 * many for one request. A note stands beside or in place of an image that is changed. Messages without a change stay the same objects.
 */
export async function fitImages(messages: readonly AgentMessage[]): Promise<readonly AgentMessage[]> {
  const images = messages.flatMap(imagesOf);
  if (images.length === 0) return messages;
  const fitted = new Map<ImageContent, FittedImage>();
  // One after the other: each may take a thread and hundreds of megabytes.
  for (const image of images) fitted.set(image, isPdf(image) ? counted(image) : await fitImage(image));
  const kept = images.flatMap((image) => fitted.get(image)?.image ?? []);
  const tooMany = leftOutCount(
    kept.map(() => 1),
    MAX_IMAGES,
  );
  const tooLarge = leftOutCount(
    kept.map(({ data }) => data.length),
    MAX_TOTAL_CHARACTERS,
  );
  const tooLong = leftOutCount(
    kept.map((image) => (isPdf(image) ? pdfPagesOf(image) : 0)),
    MAX_PDF_PAGES,
  );
  let toLeaveOut = Math.max(tooMany, tooLarge, tooLong);
  const replace = (block: InputContent): readonly InputContent[] => {
    if (block.type !== "image") return [block];
    const { image, note } = fitted.get(block) ?? { image: block };
    if (image !== undefined && toLeaveOut-- > 0) return [isPdf(block) ? TOO_LONG : TOO_MANY];
    return [image, note].filter((part) => part !== undefined);
  };
  return messages.map((message) => changeBlocks(message, replace));
}

/** PDFs are sent as they are. */
function counted(pdf: ImageContent): FittedImage {
  if (!hasCountedPages(pdf)) notePdfPages(pdf, readPdfFacts(Buffer.from(pdf.data, "base64")).pages ?? 1);
  return { image: pdf };
}

/** Returns how many of the first are left out so that the rest is within a limit. */
function leftOutCount(weights: readonly number[], limit: number): number {
  const excess = weights.reduce((sum, weight) => sum + weight, 0) - limit;
  const step = limit * STEP_SHARE;
  let left = Math.ceil(excess / step) * step;
  let count = 0;
  for (let at = 0; left > 0 && at < weights.length; at++) {
    left -= weights[at] ?? 0;
    count++;
  }
  return count;
}
