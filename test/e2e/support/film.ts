import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { PhotonImage } from "@silvia-odwyer/photon-node";
import { encode } from "modern-gif";
import type { Page } from "playwright-core";

const INTERVAL_MS = 300;
/** Time that a picture stays at most: people look faster than the slowest machine draws. */
const LONGEST_MS = 900;
const LAST_MS = 3_000;
const MAX_COLORS = 64;

interface Frame {
  readonly png: Buffer;
  readonly at: number;
}

/** Pictures of a window while something happens in it. */
export class Film {
  readonly #frames: Frame[] = [];
  readonly #page: Page;
  #isRunning = true;
  readonly #done: Promise<void>;

  /** Begins to take pictures of the page. */
  constructor(page: Page) {
    this.#page = page;
    this.#done = this.#run();
  }

  /** Ends, and writes an animated GIF of the pictures that differ from the one before, scaled down. */
  async write(file: string, { width, height }: { readonly width: number; readonly height: number }): Promise<void> {
    this.#isRunning = false;
    await this.#done;
    const frames = this.#frames.map(({ png, at }, index) => {
      const next = this.#frames[index + 1];
      const delay = next === undefined ? LAST_MS : Math.min(next.at - at, LONGEST_MS);
      return { data: pixelsOf(png), delay };
    });
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, Buffer.from(await encode({ width, height, frames, maxColors: MAX_COLORS })));
  }

  async #run(): Promise<void> {
    while (this.#isRunning) {
      const png = await this.#page.screenshot();
      if (this.#frames.at(-1)?.png.equals(png) !== true) this.#frames.push({ png, at: Date.now() });
      await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
    }
  }
}

/** Returns the pixels of an image, in RGBA. */
function pixelsOf(png: Buffer): Uint8ClampedArray<ArrayBuffer> {
  const image = PhotonImage.new_from_byteslice(png);
  const pixels = new Uint8ClampedArray(image.get_raw_pixels());
  image.free();
  return pixels;
}
