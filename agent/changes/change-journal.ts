import { appendFile, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import * as z from "zod";
import { PERMISSIONS } from "./file-mode.ts";

/** Maximum number of changes kept; older ones can no longer be undone. */
const MAX_CHANGES = 5_000;

/** One side of a change: null for no file, the hash of a kept content and its mode if known, or the reason why there is none. */
export const ChangeSide = z.union([
  z.null(),
  z.object({
    hash: z.string().regex(/^[0-9a-f]{64}$/),
    mode: z.int().min(0).max(PERMISSIONS).optional(),
    mtimeMs: z.number().optional(),
  }),
  z.object({ link: z.string() }),
  z.object({ folder: z.int().min(0).max(PERMISSIONS) }),
  z.object({ unknown: z.enum(["tooLarge", "notSeen", "unreadable"]) }),
]);
export type ChangeSide = z.infer<typeof ChangeSide>;

/** A change of one file by one call. `at` is the start of the call, as Unix time in ms; `path` is absolute. */
export const Change = z.object({
  at: z.number(),
  session: z.string(),
  toolCallId: z.string(),
  toolName: z.string(),
  path: z.string(),
  before: ChangeSide,
  after: ChangeSide,
  /** True for a file that git ignores. */
  isIgnored: z.boolean().optional(),
});
export type Change = z.infer<typeof Change>;

/** A judgement of the user about a file: of all its changes so far, only the one from `before` to `after` is still to be judged. */
export const Judgement = z.object({
  at: z.number(),
  judged: z.literal(true),
  path: z.string(),
  before: ChangeSide,
  after: ChangeSide,
});
export type Judgement = z.infer<typeof Judgement>;

/** Changes of a session, and the judgements about them. */
export const ChangeLine = z.union([Change, Judgement]);
export type ChangeLine = z.infer<typeof ChangeLine>;

/** All changes that agents made in a workspace, as lines of JSON in order. */
export class ChangeJournal<Line extends ChangeLine = Change> {
  readonly #path: string;
  readonly #schema: z.ZodType<Line>;
  readonly #changes: Promise<Line[]>;
  /** True when the last line is incomplete, so that the next one must not be appended to it. */
  #isCutOff = false;
  /** Writes run one after another; lines that are added meanwhile go into one write. */
  #written: Promise<void> = Promise.resolve();
  #waiting: { lines: string; written: Promise<void> } | undefined;
  #hasFolder = false;

  constructor(path: string, schema: z.ZodType<Line>) {
    this.#path = path;
    this.#schema = schema;
    this.#changes = this.#read();
  }

  /** Returns all known changes, the oldest first. */
  async all(): Promise<readonly Line[]> {
    return this.#changes;
  }

  /** Adds a change. @throws Error of the file system; the change is kept in memory all the same. */
  async add(change: Line): Promise<void> {
    (await this.#changes).push(change);
    this.#waiting ??= this.#writeSoon();
    this.#waiting.lines += `${JSON.stringify(change)}\n`;
    await this.#waiting.written;
  }

  #writeSoon(): { lines: string; written: Promise<void> } {
    const written = this.#written.then(async () => {
      const lines = this.#waiting?.lines ?? "";
      this.#waiting = undefined;
      if (!this.#hasFolder) await mkdir(dirname(this.#path), { recursive: true });
      this.#hasFolder = true;
      const text = this.#isCutOff ? `\n${lines}` : lines;
      this.#isCutOff = true; // until the write succeeds: a full disk may hold a part of it
      await appendFile(this.#path, text, { mode: 0o600 });
      this.#isCutOff = false;
    });
    this.#written = written.catch(() => undefined);
    return { lines: "", written };
  }

  /** Drops the oldest changes when there are too many. @returns the hashes of the contents that are still needed, the newest first. */
  async collect(): Promise<string[]> {
    const changes = await this.#changes;
    if (changes.length > MAX_CHANGES) {
      changes.splice(0, changes.length - MAX_CHANGES);
      const lines = changes.map((change) => `${JSON.stringify(change)}\n`).join("");
      const rewrite = this.#written.then(async () => {
        await writeFile(`${this.#path}.tmp`, lines, { mode: 0o600 });
        await rename(`${this.#path}.tmp`, this.#path);
        this.#isCutOff = false;
      });
      this.#written = rewrite.catch(() => undefined);
      await rewrite;
    }
    const names = changes.toReversed().flatMap(({ before, after }) => [before, after].flatMap(nameOf));
    return [...new Set(names)];
  }

  async #read(): Promise<Line[]> {
    const text = await readFile(this.#path, "utf8").catch(() => "");
    this.#isCutOff = text !== "" && !text.endsWith("\n");
    return text.split("\n").flatMap((line) => {
      const read = readLine(line, this.#schema);
      return read === undefined ? [] : [read];
    });
  }
}

function nameOf(side: ChangeSide): string[] {
  return side !== null && "hash" in side ? [side.hash] : [];
}

/** Parses a line; one that was cut off by a crash is skipped. */
function readLine<Line>(line: string, schema: z.ZodType<Line>): Line | undefined {
  if (line === "") return undefined;
  try {
    return schema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
