// A thread that scales one image. Decoding takes seconds and much memory, and hostile files make the decoder stop: all of that ends here.
import { parentPort, workerData } from "node:worker_threads";
import { PhotonImage, resize, SamplingFilter } from "@silvia-odwyer/photon-node";
import { turnUpright } from "./orientation.ts";
import type { ScaledImage, ScaleJob } from "./scale-job.ts";

const JPEG_QUALITIES = [85, 70, 50];
/** An image that is too large in every encoding is made smaller by this factor, until it fits. */
const SHRINK = 0.7;

const job: ScaleJob = workerData;
parentPort?.postMessage(scale(job));

function scale({ bytes, isPhoto, orientation, maxSide, maxBytes }: ScaleJob): ScaledImage {
  const stored = PhotonImage.new_from_byteslice(bytes);
  const size = { width: stored.get_width(), height: stored.get_height() };
  const isTurned = orientation >= 5;
  const before = isTurned ? { width: size.height, height: size.width } : size;
  for (let factor = Math.min(1, maxSide / Math.max(size.width, size.height)); ; factor *= SHRINK) {
    const image = upright(resized(stored, size, factor), orientation);
    const encoded = encode(image, { isPhoto, maxBytes });
    if (encoded !== undefined) return { ...encoded, width: image.get_width(), height: image.get_height(), before };
  }
}

function resized(image: PhotonImage, size: { width: number; height: number }, factor: number): PhotonImage {
  if (factor === 1) return image;
  const width = Math.max(1, Math.round(size.width * factor));
  const height = Math.max(1, Math.round(size.height * factor));
  return resize(image, width, height, SamplingFilter.CatmullRom);
}

function upright(image: PhotonImage, orientation: number): PhotonImage {
  if (orientation === 1) return image;
  const stored = { data: image.get_raw_pixels(), width: image.get_width(), height: image.get_height() };
  const { data, width, height } = turnUpright(stored, orientation);
  return new PhotonImage(data, width, height);
}

function encode(
  image: PhotonImage,
  { isPhoto, maxBytes }: Pick<ScaleJob, "isPhoto" | "maxBytes">,
): Pick<ScaledImage, "bytes" | "mimeType"> | undefined {
  if (!isPhoto) {
    const bytes = image.get_bytes();
    if (bytes.length <= maxBytes) return { bytes, mimeType: "image/png" };
  }
  for (const quality of JPEG_QUALITIES) {
    const bytes = image.get_bytes_jpeg(quality);
    if (bytes.length <= maxBytes) return { bytes, mimeType: "image/jpeg" };
  }
  return undefined;
}
