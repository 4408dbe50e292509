const ORIENTATION_TAG = 0x0112;
const EXIF = "Exif\0\0";

/** How a viewer turns the stored pixels of a JPEG: 1 to 8, as in EXIF; 1 when the file says nothing. */
export function orientationOf(jpeg: Buffer): number {
  for (let at = 2; at + 4 <= jpeg.length && jpeg[at] === 0xff; ) {
    const marker = jpeg[at + 1] ?? 0;
    const isStartOfPixels = marker === 0xda;
    if (isStartOfPixels) return 1;
    const length = jpeg.readUInt16BE(at + 2);
    const segment = jpeg.subarray(at + 4, at + 2 + length);
    if (marker === 0xe1 && segment.toString("latin1", 0, EXIF.length) === EXIF) {
      return orientationIn(segment.subarray(EXIF.length));
    }
    at += 2 + length;
  }
  return 1;
}

/** Reads the first directory of an EXIF block. */
function orientationIn(exif: Buffer): number {
  if (exif.length < 8) return 1;
  const isLittle = exif.toString("latin1", 0, 2) === "II";
  const read16 = (at: number) => (isLittle ? exif.readUInt16LE(at) : exif.readUInt16BE(at));
  const directory = isLittle ? exif.readUInt32LE(4) : exif.readUInt32BE(4);
  if (directory + 2 > exif.length) return 1;
  const entries = read16(directory);
  for (let entry = 0; entry < entries; entry++) {
    const at = directory + 2 + entry * 12;
    if (at + 12 > exif.length) return 1;
    if (read16(at) !== ORIENTATION_TAG) continue;
    const value = read16(at + 8);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

/** A picture as rows of RGBA pixels. */
export interface Pixels {
  data: Uint8Array;
  width: number;
  height: number;
}

/** Turns stored pixels as a viewer does, so that they need no EXIF. */
export function turnUpright({ data, width, height }: Pixels, orientation: number): Pixels {
  if (orientation === 1) return { data, width, height };
  const isTurned = orientation >= 5;
  const outWidth = isTurned ? height : width;
  const outHeight = isTurned ? width : height;
  const from = new Uint32Array(data.buffer, data.byteOffset, width * height);
  const to = new Uint32Array(width * height);
  for (let y = 0; y < outHeight; y++) {
    for (let x = 0; x < outWidth; x++) {
      const place = { x, y, flippedX: outWidth - 1 - x, flippedY: outHeight - 1 - y, width };
      to[y * outWidth + x] = from[sourceOf(orientation, place)] ?? 0;
    }
  }
  return { data: new Uint8Array(to.buffer), width: outWidth, height: outHeight };
}

interface Place {
  x: number;
  y: number;
  flippedX: number;
  flippedY: number;
  /** Of the stored pixels. */
  width: number;
}

function sourceOf(orientation: number, { x, y, flippedX, flippedY, width }: Place): number {
  switch (orientation) {
    case 2:
      return y * width + flippedX;
    case 3:
      return flippedY * width + flippedX;
    case 4:
      return flippedY * width + x;
    case 5:
      return x * width + y;
    case 6:
      return flippedX * width + y;
    case 7:
      return flippedX * width + flippedY;
    default:
      return x * width + flippedY;
  }
}
