import { promisify } from "node:util";
import { inflateRaw } from "node:zlib";
import { type FileBytes, type FileContent, isBytes } from "./file-content.ts";
import { packBytes } from "./packing.ts";

const inflate = promisify(inflateRaw);

/** Maximum size of the compressed contents in memory, in bytes. */
const MAX_PACKED_BYTES = 32 * 1024 * 1024;

/** Minimum size for compression, in bytes: below, it costs more time than it saves memory. */
const MIN_PACKED_BYTES = 16 * 1024;

type Packed =
  | { readonly packed: Buffer; readonly mode: number | undefined }
  | { readonly plain: FileBytes }
  | { readonly other: Exclude<FileContent, FileBytes> };

/** Contents of files by path, in bounded memory. Drops the oldest contents first; `get` says when they were dropped. */
export class PackedContents {
  readonly #contents = new Map<string, Packed>();
  #total = 0;

  /** All paths that were ever set. */
  get paths(): Iterable<string> {
    return this.#contents.keys();
  }

  async set(path: string, content: FileContent): Promise<void> {
    const packed = await pack(content);
    this.#take(path);
    this.#contents.set(path, packed);
    this.#total += sizeOf(packed);
    for (const [oldest, kept] of this.#contents) {
      if (this.#total <= MAX_PACKED_BYTES) return;
      if (sizeOf(kept) > 0) this.#forget(oldest);
    }
  }

  /** Returns undefined for a path that was never set. */
  async get(path: string): Promise<FileContent | undefined> {
    const packed = this.#contents.get(path);
    if (packed === undefined) return undefined;
    if ("plain" in packed) return packed.plain;
    return "packed" in packed ? { bytes: await inflate(packed.packed), mode: packed.mode } : packed.other;
  }

  #forget(path: string): void {
    this.#take(path);
    this.#contents.set(path, { other: { unknown: "notSeen" } });
  }

  #take(path: string): void {
    const packed = this.#contents.get(path);
    if (packed === undefined) return;
    this.#total -= sizeOf(packed);
    this.#contents.delete(path);
  }
}

async function pack(content: FileContent): Promise<Packed> {
  if (!isBytes(content)) return { other: content };
  const { bytes, mode } = content;
  return bytes.length < MIN_PACKED_BYTES ? { plain: content } : { packed: await packBytes(bytes), mode };
}

function sizeOf(packed: Packed): number {
  if ("plain" in packed) return packed.plain.bytes.length;
  return "packed" in packed ? packed.packed.length : 0;
}
