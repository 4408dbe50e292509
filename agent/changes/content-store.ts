import { createHash, randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { inflateRaw } from "node:zlib";
import { packBytes } from "./packing.ts";

const inflate = promisify(inflateRaw);

/** Maximum size of a kept content, in bytes. */
export const MAX_CONTENT_BYTES = 4 * 1024 * 1024;

/** Stores contents of files by their SHA-256, compressed, each once. An existing one is not written again, unless a crash cut it off. */
export class ContentStore {
  readonly #folder: string;
  /** By hash, contents that are on the disk or being written. */
  readonly #kept = new Map<string, Promise<void>>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Stores a content. @returns its hash. @throws Error of the file system. */
  async put(bytes: Uint8Array): Promise<string> {
    const hash = hashOf(bytes);
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

  /** Returns a content by its hash; undefined when it was deleted or is corrupt. */
  async get(hash: string): Promise<Buffer | undefined> {
    const bytes = await this.#read(hash);
    if (bytes === undefined) this.#kept.delete(hash);
    else this.#kept.set(hash, Promise.resolve());
    return bytes;
  }

  /**
   * Deletes contents that are not in `wanted`, then the least wanted ones until the rest takes at most `maxBytes`. Contents stored or read by this
   * instance count as most wanted.
   * @param wanted hashes, the most wanted first.
   * @param minAgeMs contents that were stored later stay: another process may be about to refer to them.
   */
  async collect(wanted: readonly string[], maxBytes: number, minAgeMs = 0): Promise<void> {
    const rank = new Map(wanted.map((hash, index) => [hash, index]));
    const newest = Date.now() - minAgeMs;
    const files = (await this.#list()).filter(({ storedAt }) => minAgeMs === 0 || storedAt < newest);
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
      return hashOf(bytes) === hash ? bytes : undefined;
    } catch {
      return undefined; // deleted or corrupt: either way the change cannot be undone
    }
  }

  async #list(): Promise<{ hash: string; place: string; size: number; storedAt: number }[]> {
    const names = await readdir(this.#folder, { recursive: true }).catch(() => []);
    const files = names.filter((name) => name.includes("/") || name.includes("\\"));
    const found = files.map(async (name) => {
      const place = join(this.#folder, name);
      const stats = await stat(place).catch(() => undefined);
      return stats?.isFile() === true
        ? [{ hash: name.slice(3), place, size: stats.size, storedAt: stats.mtimeMs }]
        : [];
    });
    return (await Promise.all(found)).flat();
  }

  #placeOf(hash: string): string {
    return join(this.#folder, hash.slice(0, 2), hash);
  }
}

/** Returns the name under which a content is stored. */
export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Writes a file that does not exist yet, and its folder. @returns false when it exists. */
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
