import { createHash, randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Larger contents are not taken, in bytes. */
export const MAX_CONTENT_BYTES = 4 * 1024 * 1024;

/** Contents of files by the SHA-256 of their bytes, packed, each once. Nothing that is there is ever written again. */
export class ContentStore {
  readonly #folder: string;
  /** Folders that were made, so that they are not made for each content. */
  readonly #made = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Keeps a content. @returns its name. @throws Error of the file system. */
  async put(bytes: Uint8Array): Promise<string> {
    const hash = createHash("sha256").update(bytes).digest("hex");
    const place = this.#placeOf(hash);
    if (await exists(place)) return hash;
    await this.#makeFolder(hash.slice(0, 2));
    const unfinished = `${place}.${randomBytes(4).toString("hex")}.tmp`;
    await writeFile(unfinished, await deflate(bytes, { level: 1 }), { mode: 0o600 });
    await rename(unfinished, place);
    return hash;
  }

  /** A content by its name; undefined when it is not kept any more, or was spoiled. */
  async get(hash: string): Promise<Buffer | undefined> {
    try {
      const bytes = await inflate(await readFile(this.#placeOf(hash)), { maxOutputLength: MAX_CONTENT_BYTES });
      return createHash("sha256").update(bytes).digest("hex") === hash ? bytes : undefined;
    } catch {
      return undefined; // gone or spoiled: for the caller both mean that the change cannot be undone
    }
  }

  /**
   * Throws away what is not wanted, and then, down to `maxBytes` on the disk, what is wanted least.
   * @param wanted names in the order of their worth, the most wanted first.
   */
  async collect(wanted: readonly string[], maxBytes: number): Promise<void> {
    const rank = new Map(wanted.map((hash, index) => [hash, index]));
    const files = await this.#list();
    const kept = files.filter(({ hash }) => rank.has(hash));
    kept.sort((a, b) => (rank.get(a.hash) ?? 0) - (rank.get(b.hash) ?? 0));
    let total = 0;
    const tooMuch = kept.filter(({ size }) => {
      total += size;
      return total > maxBytes;
    });
    const unwanted = files.filter(({ hash }) => !rank.has(hash));
    await Promise.all([...unwanted, ...tooMuch].map(({ place }) => rm(place, { force: true })));
  }

  async #makeFolder(name: string): Promise<void> {
    if (this.#made.has(name)) return;
    await mkdir(join(this.#folder, name), { recursive: true });
    this.#made.add(name);
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

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
