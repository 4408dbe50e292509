import { describe, expect, it } from "vitest";
import { fitImage } from "../../agent/images/fit-image.ts";
import { fitImages } from "../../agent/images/fit-images.ts";
import { readImageHeader } from "../../agent/images/image-header.ts";
import { orientationOf, turnUpright } from "../../agent/images/orientation.ts";
import type { ImageContent } from "../../agent/protocol/content.ts";
import type { UserMessage } from "../../agent/protocol/messages.ts";
import { bmp, pictureSize, png } from "../support/pictures.ts";

function image(bytes: Buffer, mimeType = "image/png"): ImageContent {
  return { type: "image", data: bytes.toString("base64"), mimeType };
}

function said(...content: ImageContent[]): UserMessage {
  return { role: "user", content, timestamp: 0 };
}

async function sizeOfFitted(bytes: Buffer) {
  const { image: fitted } = await fitImage(image(bytes));
  return fitted === undefined ? undefined : pictureSize(Buffer.from(fitted.data, "base64"));
}

/** A HEIC file as far as anybody reads it. */
const HEIC = Buffer.from("00000018667479706865696300000000", "hex");

describe("an image", () => {
  it("that is within the limits stays as it is", async () => {
    const small = image(png(2000, 20));
    expect((await fitImage(small)).image).toBe(small);
  });

  it("is scaled to 2,000 pixels at its longer side, and the model is told the factor", async () => {
    expect(await sizeOfFitted(png(3000, 1500))).toEqual({ width: 2000, height: 1000 });
    const { note } = await fitImage(image(png(10, 4000)));
    expect(note?.text).toBe(
      "[Image: scaled from 10x4000 to 5x2000 pixels. Multiply coordinates by 2.00 to map them to the original.]",
    );
  });

  it("with more than 5 MB of base64 becomes smaller", async () => {
    const large = image(png(1500, 1000, "noise"));
    expect(large.data.length).toBeGreaterThan(5_242_880);
    const { image: fitted } = await fitImage(large);
    expect(fitted?.data.length).toBeLessThanOrEqual(5_242_880);
    expect(fitted?.mimeType).toBe("image/jpeg");
  });

  it("is named by its content, and its base64 is made plain", async () => {
    const bytes = png(1, 1);
    const odd = { type: "image" as const, data: bytes.toString("base64url"), mimeType: "image/jpg" };
    expect(await fitImage(odd)).toEqual({ image: image(bytes) });
  });

  it("of a format that models cannot see is converted where that can be done", async () => {
    const { image: fitted, note } = await fitImage(image(bmp(30, 20), "image/bmp"));
    expect(fitted?.mimeType).toBe("image/png");
    expect(pictureSize(Buffer.from(fitted?.data ?? "", "base64"))).toEqual({ width: 30, height: 20 });
    expect(note?.text).toBe("[Image: converted from BMP, 1.8KB, to PNG.]");
  });

  it.each([
    [
      "a format that cannot be converted",
      HEIC,
      "models don't support the format HEIC. Convert it to PNG or JPEG first",
    ],
    ["no image at all", Buffer.from("hello"), "it isn't a readable image (image/png)"],
    ["a file that breaks off", png(3000, 20, "noise").subarray(0, 60_000), "it can't be decoded"],
    [
      "more pixels than are decoded",
      png(70_000, 1000).subarray(0, 5000),
      "it has 70000x1000 pixels. Scale it down first",
    ],
  ])("that is %s is left out with the reason", async (_what, bytes, reason) => {
    expect(await fitImage(image(bytes))).toEqual({
      image: undefined,
      note: { type: "text", text: `[Image left out: ${reason}.]` },
    });
  });
});

describe("the images of a request", () => {
  it("leave messages without a change as the same objects", async () => {
    const messages = [said(image(png(1, 1))), { ...said(), content: "words" }];
    const fitted = await fitImages(messages);
    expect(fitted.every((message, at) => message === messages[at])).toBe(true);
  });

  it("are at most 100: beyond that, the oldest 25 are left out at once", async () => {
    const messages = [said(...Array.from({ length: 101 }, () => image(png(1, 1))))];
    const [message] = await fitImages(messages);
    const blocks = message?.role === "user" && Array.isArray(message.content) ? message.content : [];
    expect(blocks.slice(0, 25).map(({ type }) => type)).toEqual(Array.from({ length: 25 }, () => "text"));
    expect(blocks.slice(25).every(({ type }) => type === "image")).toBe(true);
  });
});

describe("the start of an image file", () => {
  it("tells the size of a JPEG and of the three kinds of WebP", () => {
    const jpeg = Buffer.from("ffd8ffe000040000ffc0001108012c0190030122000211010311", "hex");
    expect(readImageHeader(jpeg)?.size).toEqual({ width: 400, height: 300 });
    const webp = (kind: string, rest: string) =>
      Buffer.concat([Buffer.from(`RIFF\0\0\0\0WEBP${kind}\0\0\0\0`, "latin1"), Buffer.from(rest, "hex")]);
    expect(readImageHeader(webp("VP8 ", "0000009d012a90012c01"))?.size).toEqual({ width: 400, height: 300 });
    expect(readImageHeader(webp("VP8L", "2f8fc14a00000000000000"))?.size).toEqual({ width: 400, height: 300 });
    expect(readImageHeader(webp("VP8X", "000000008f01002b0100"))?.size).toEqual({ width: 400, height: 300 });
  });

  it.each([6, 8])("tells how a photo is turned: %i", (value) => {
    const tag = `01120003000000010${value.toString(16).padStart(3, "0")}0000`;
    const exif = `457869660000${"4d4d002a00000008"}0001${tag}00000000`;
    const length = (exif.length / 2 + 2).toString(16).padStart(4, "0");
    expect(orientationOf(Buffer.from(`ffd8ffe1${length}${exif}ffda0002`, "hex"))).toBe(value);
  });

  it.each([
    [1, "abcdef", 3],
    [2, "cbafed", 3],
    [3, "fedcba", 3],
    [4, "defabc", 3],
    [5, "adbecf", 2],
    [6, "daebfc", 2],
    [7, "fcebda", 2],
    [8, "cfbead", 2],
  ])("turned as in %i, shows abc above def as %s", (orientation, shown, width) => {
    const data = new Uint8Array(
      [..."abcdef"].flatMap((letter) => Array.from({ length: 4 }, () => letter.charCodeAt(0))),
    );
    const upright = turnUpright({ data, width: 3, height: 2 }, orientation);
    expect(String.fromCharCode(...upright.data.filter((_, at) => at % 4 === 0))).toBe(shown);
    expect(upright.width).toBe(width);
  });
});
