import { t } from "../../l10n.ts";
import { type ImageAttachment, MAX_ATTACHMENTS } from "../../protocol/draft.ts";
import { readImage } from "./image-file.ts";

/** Reads images one after the other. */
export interface ImageReader {
  read(files: readonly File[]): void;
  /** The reading that is under way, if any. */
  underWay(): Promise<unknown> | undefined;
}

interface ImageReaderOptions {
  /** The maximum size of an image, in bytes. */
  maxBytes(): number;
  /** The number of images in the message. */
  count(): number;
  add(image: ImageAttachment): void;
  /** Another attempt begins. */
  started(): void;
  /** An image is not taken. @param reason for people. */
  refused(reason: string): void;
}

/** Makes the reader. */
export function createImageReader({ maxBytes, count, add, started, refused }: ImageReaderOptions): ImageReader {
  let work: Promise<unknown> | undefined;
  async function readAll(files: readonly File[]): Promise<void> {
    started();
    for (const file of files) {
      const name = file.name || t("Image");
      const result = await readImage(file, name, maxBytes());
      if ("refused" in result) refused(result.refused);
      else if (count() >= MAX_ATTACHMENTS) refused(t("A message can have at most {0} images.", MAX_ATTACHMENTS));
      else add({ kind: "image", id: crypto.randomUUID(), name, ...result });
    }
  }
  return {
    underWay: () => work,
    read(files) {
      const reading = (work ?? Promise.resolve()).then(() => readAll(files));
      work = reading;
      void reading.finally(() => {
        if (work === reading) work = undefined;
      });
    },
  };
}
