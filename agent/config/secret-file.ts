import * as z from "zod";
import { errorMessage } from "../protocol/errors.ts";
import { readTextSync } from "../util/read-text.ts";
import { realPath, writePrivately } from "./private-file.ts";

const VERSION = 1;
const Content = z.lazy(() => z.object({ version: z.literal(VERSION), secrets: z.record(z.string(), z.string()) }));

/**
 * Secrets by key, in a file that only the user may read. Other agents may use it, so each call reads it anew. A file that can't be
 * read is left as it is, and so is one that can't be written; secrets then last as long as this process.
 */
export class SecretFile {
  readonly #path: string;
  readonly #warn: (message: string) => void;
  readonly #unwritten = new Map<string, string | undefined>();

  constructor(path: string, warn: (message: string) => void) {
    this.#path = realPath(path);
    this.#warn = warn;
  }

  async read(key: string): Promise<string | undefined> {
    return this.#unwritten.has(key) ? this.#unwritten.get(key) : this.#readAll()?.[key];
  }

  async write(key: string, value: string): Promise<void> {
    this.#change(key, value);
  }

  async remove(key: string): Promise<void> {
    this.#change(key, undefined);
  }

  #change(key: string, value: string | undefined): void {
    const before = this.#readAll();
    const { [key]: _, ...others } = before ?? {};
    const secrets = value === undefined ? others : { ...others, [key]: value };
    const text = `${JSON.stringify({ version: VERSION, secrets }, undefined, 2)}\n`;
    if (before !== undefined && writePrivately(this.#path, text, this.#warn)) this.#unwritten.delete(key);
    else this.#unwritten.set(key, value);
  }

  /** @returns undefined when the file can't be read, after a warning. */
  #readAll(): Record<string, string> | undefined {
    try {
      return Content.parse(JSON.parse(readTextSync(this.#path))).secrets;
    } catch (error) {
      if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return {};
      // The error of a parser would repeat a piece of the file.
      const isUnreadable = error instanceof Error && "code" in error;
      this.#warn(`${this.#path} is skipped: ${isUnreadable ? errorMessage(error) : "it isn't a file of Tiller's."}`);
      return undefined;
    }
  }
}
