import type { BigIntStats, Stats } from "node:fs";
import { crypto } from "../util/late-node.ts";

/** The files of a session that the model has seen, by absolute path. */
export class SeenFiles {
  /** The stamp of the file when it was read last; undefined after the model changed it. */
  readonly #stamps = new Map<string, string | undefined>();

  /** The model reads a file. @param stamp differs for every state of the file. */
  noteRead(path: string, stamp: string): void {
    this.#stamps.set(path, stamp);
  }

  /** The model changes a file. */
  noteChange(path: string): void {
    this.#stamps.set(path, undefined);
  }

  /** Returns words for the model whether a file is as it was when it was read. @param stamp of the present state. */
  describe(path: string, stamp: string): string {
    if (!this.#stamps.has(path)) return "You have not read this file in this session.";
    const known = this.#stamps.get(path);
    if (known === undefined) return "You have changed this file since you last read it.";
    return known === stamp
      ? "The file has not changed since you read it."
      : "The file has changed since you read it, not by your edits. Read it again.";
  }
}

/** Returns the stamp of a file on the disk. */
export function stampOfStats({ mtimeMs, size }: Stats | BigIntStats): string {
  return `${Math.trunc(Number(mtimeMs))} ${size}`;
}

/** Returns the stamp of a text that an editor holds. */
export function stampOfText(text: string): string {
  return crypto().createHash("sha256").update(text).digest("base64");
}
