import { createHash, randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { inflateRaw } from "node:zlib";
import { packBytes } from "./packing.ts";

const inflate = promisify(inflateRaw);

/** Larger contents are not taken, in bytes. */
export const MAX_CONTENT_BYTES = 4 * 1024 * 1024;

/** Contents of files by the SHA-256 of their bytes, packed, each once. What is there is not written again, unless a crash cut it off. */
export class ContentStore {
  readonly #folder: string;
  /** Contents by name that are known to be on the disk, or are on their way there. */
  readonly #kept = new Map<string, Promise<void>>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Keeps a content. @returns its name. @throws Error of the file system. */
  async put(bytes: Uint8Array): Promise<string> {
    const hash = createHash("sha256").update(bytes).digest("hex");
    const kept = this.#kept.get(hash) ?? this.#write(hash, bytes);
    this.#kept.set(hash, kept);
    try {
      await kept;
    } catch (error) {
      this.#kept.delete(hash);
      throw error;
    }
    return hash;
  }

  /** A content by its name; undefined when it is not kept any more, or was spoiled. */
  async get(hash: string): Promise<Buffer | undefined> {
    const bytes = await this.#read(hash);
    if (bytes === undefined) this.#kept.delete(hash);
    else this.#kept.set(hash, Promise.resolve());
    return bytes;
  }

  /**
   * Throws away what is not wanted, and then, down to `maxBytes` on the disk, what is wanted least. What was kept or read here is wanted most.
   * @param wanted names in the order of their worth, the most wanted first.
   */
  async collect(wanted: readonly string[], maxBytes: number): Promise<void> {
    const rank = new Map(wanted.map((hash, index) => [hash, index]));
    const files = await this.#list();
    for (const hash of this.#kept.keys()) rank.set(hash, -1);
    const kept = files.filter(({ hash }) => rank.has(hash));
    kept.sort((a, b) => (rank.get(a.hash) ?? 0) - (rank.get(b.hash) ?? 0));
    let total = 0;
    const tooMuch = kept.filter(({ size }) => {
      total += size;
      return total > maxBytes;
    });
    const unwanted = files.filter(({ hash }) => !rank.has(hash));
    for (const { hash } of tooMuch) this.#kept.delete(hash);
    await Promise.all([...unwanted, ...tooMuch].map(({ place }) => rm(place, { force: true })));
  }

  async #write(hash: string, bytes: Uint8Array): Promise<void> {
    const place = this.#placeOf(hash);
    const packed = await packBytes(bytes);
    if ((await isCreated(place, packed)) || (await sizeOf(place)) === packed.length) return;
    const unfinished = `${place}.${randomBytes(4).toString("hex")}.tmp`;
    await writeFile(unfinished, packed, { mode: 0o600 });
    await rename(unfinished, place);
  }

  async #read(hash: string): Promise<Buffer | undefined> {
    try {
      const bytes = await inflate(await readFile(this.#placeOf(hash)), { maxOutputLength: MAX_CONTENT_BYTES });
      return createHash("sha256").update(bytes).digest("hex") === hash ? bytes : undefined;
    } catch {
      return undefined; // gone or spoiled: for the caller both mean that the change cannot be undone
    }
  }

  async #list(): Promise<{ hash: string; place: string; size: number }[]> {
    const names = await readdir(this.#folder, { recursive: true }).catch(() => []);
    const files = names.filter((name) => name.includes("/") || name.includes("\\"));
    const found = files.map(async (name) => {
      const place = join(this.#folder, name);
      const stats = await stat(place).catch(() => undefined);
      return stats?.isFile() === true ? [{ hash: name.slice(3), place, size: stats.size }] : [];
    });
    return (await Promise.all(found)).flat();
  }

  #placeOf(hash: string): string {
    return join(this.#folder, hash.slice(0, 2), hash);
  }
}

/** Writes a file that is not there yet, and its folder. @returns false when it is there. */
async function isCreated(path: string, bytes: Uint8Array): Promise<boolean> {
  try {
    await writeFile(path, bytes, { mode: 0o600, flag: "wx" });
    return true;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EEXIST") return false;
    if (code !== "ENOENT") throw error;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes, { mode: 0o600 });
    return true;
  }
}

function sizeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ size }) => size,
    () => undefined,
  );
}
