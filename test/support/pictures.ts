import { crc32, deflateSync } from "node:zlib";

/** How the pixels of a picture look: all alike, which compresses well, or noise, which does not. */
export type Pattern = "plain" | "noise";

/** Returns the file of a PNG of this size. */
export function png(width: number, height: number, pattern: Pattern = "plain"): Buffer {
  const row = 1 + width * 3;
  const pixels = Buffer.alloc(row * height, pattern === "plain" ? 0x40 : 0);
  if (pattern === "noise") addNoise(pixels);
  for (let y = 0; y < height; y++) pixels[y * row] = 0; // no filter
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8); // 8 bits a channel, RGB
  const data = deflateSync(pixels, { level: 1 });
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))]);
}

/** Returns the file of a BMP of this size. */
export function bmp(width: number, height: number): Buffer {
  const row = Math.ceil((width * 3) / 4) * 4;
  const file = Buffer.alloc(54 + row * height, 0x60);
  file.fill(0, 0, 54);
  file.write("BM", "latin1");
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(54, 10);
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(width, 18);
  file.writeInt32LE(height, 22);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(24, 28);
  return file;
}

/** Returns the size of a PNG or a JPEG, as its file says. */
export function pictureSize(bytes: Buffer): { width: number; height: number } {
  if (bytes[0] === 0x89) return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  const frame = bytes.findIndex((byte, at) => byte === 0xff && [0xc0, 0xc1, 0xc2].includes(bytes[at + 1] ?? 0));
  return { width: bytes.readUInt16BE(frame + 7), height: bytes.readUInt16BE(frame + 5) };
}

function addNoise(pixels: Buffer): void {
  let state = 1;
  for (let at = 0; at < pixels.length; at++) {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    pixels[at] = state >> 16;
  }
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
