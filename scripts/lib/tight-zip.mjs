import { readFileSync, writeFileSync } from "node:fs";
import { inflateRawSync } from "node:zlib";
import { deflateAsync } from "@gfx/zopfli";

const [LOCAL, CENTRAL, END] = [0x04034b50, 0x02014b50, 0x06054b50];
const [LOCAL_BYTES, CENTRAL_BYTES, END_BYTES] = [30, 46, 22];
const DEFLATED = 8;
/** The flag of an entry whose sizes follow its data. */
const SIZES_FOLLOW = 0x8;

/** Compresses the entries of a zip file again, about 5 % smaller than zlib can, and in about 30 seconds. Knows only what `vsce` writes: no ZIP64. */
export async function tightenZip(path) {
  const zip = readFileSync(path);
  const locals = [];
  const centrals = [];
  let offset = 0;
  for (const { header, name, data } of entriesOf(zip)) {
    const smaller = await compressed(header, data);
    header.writeUInt16LE(header.readUInt16LE(8) & ~SIZES_FOLLOW, 8);
    header.writeUInt32LE(smaller.length, 20);
    header.writeUInt32LE(offset, 42);
    const local = Buffer.concat([localHeader(header), name, smaller]);
    locals.push(local);
    centrals.push(Buffer.concat([header, name]));
    offset += local.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.from(zip.subarray(-END_BYTES));
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  writeFileSync(path, Buffer.concat([...locals, directory, end]));
}

/** Yields the entries in their order: a copy of the central header without extra field and comment, the name, and the data as they are stored. */
function* entriesOf(zip) {
  const end = zip.length - END_BYTES;
  expectMark(zip, end, END);
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    expectMark(zip, at, CENTRAL);
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((place) => zip.readUInt16LE(at + place));
    const header = Buffer.from(zip.subarray(at, at + CENTRAL_BYTES));
    header.fill(0, 30, 34);
    const name = zip.subarray(at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameBytes);
    const local = header.readUInt32LE(42);
    expectMark(zip, local, LOCAL);
    const start = local + LOCAL_BYTES + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    yield { header, name, data: zip.subarray(start, start + header.readUInt32LE(20)) };
    at += CENTRAL_BYTES + nameBytes + extraBytes + commentBytes;
  }
}

function expectMark(zip, at, mark) {
  if (zip.readUInt32LE(at) !== mark) throw new Error(`The zip file has no 0x${mark.toString(16)} at byte ${at}.`);
}

async function compressed(header, data) {
  if (header.readUInt16LE(10) !== DEFLATED) return data;
  const smaller = await deflateAsync(inflateRawSync(data), { numiterations: 5 });
  return smaller.length < data.length ? Buffer.from(smaller) : data;
}

/** Makes the header before the data of an entry; it has the central header's fields, without those that only the directory needs. */
function localHeader(central) {
  const header = Buffer.alloc(LOCAL_BYTES);
  header.writeUInt32LE(LOCAL, 0);
  central.copy(header, 4, 6, 30);
  return header;
}
