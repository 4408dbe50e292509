import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import * as z from "zod";
import { ChangeSide } from "./change-journal.ts";
import type { SeenChange } from "./change-recorder.ts";
import type { ContentStore } from "./content-store.ts";
import { type FileContent, findContent, isSameContent, keepContent, toText } from "./file-content.ts";
import { catchUp, type FileReview, type FileText, noteChange } from "./file-review.ts";

/** Files that wait for judgement; of more, the ones changed longest ago count as kept. */
const MAX_FILES = 500;

/** A file that the agent changed and nobody has judged yet. `review` is absent for what is no text; then only `before` is known. */
export interface PendingFile {
  readonly path: string;
  /** Ids of the sessions that changed it. */
  readonly sessions: readonly string[];
  readonly before: FileContent;
  readonly review: FileReview | undefined;
}

const SavedFile = z.object({
  path: z.string(),
  sessions: z.array(z.string()),
  baseline: ChangeSide,
  known: ChangeSide,
});
const Saved = z.object({ version: z.literal(1), files: z.array(SavedFile) });

interface BookPorts {
  /** Where the book is kept from one window to the next. */
  readonly path: string;
  readonly store: ContentStore;
  changed(): void;
}

/** What the agent did to files and nobody has judged yet, by path. */
export class ReviewBook {
  readonly #ports: BookPorts;
  readonly #files = new Map<string, PendingFile>();
  #saved: Promise<void> = Promise.resolve();

  private constructor(ports: BookPorts) {
    this.#ports = ports;
  }

  /** Opens the book as it was left; one that cannot be read is empty. */
  static async open(ports: BookPorts): Promise<ReviewBook> {
    const book = new ReviewBook(ports);
    for (const saved of await readSaved(ports.path)) {
      const before = await findContent(saved.baseline, ports.store);
      const known = await findContent(saved.known, ports.store);
      if (before === undefined || known === undefined) continue; // collected: it cannot be judged any more
      book.#files.set(saved.path, { ...pendingOf(saved.path, before, known), sessions: saved.sessions });
    }
    return book;
  }

  get files(): readonly PendingFile[] {
    return [...this.#files.values()];
  }

  get(path: string): PendingFile | undefined {
    return this.#files.get(path);
  }

  /** Takes what the agent changed. */
  note({ change, before, after }: SeenChange): void {
    const { path, session } = change;
    const file = this.#files.get(path);
    const sessions = [...new Set([...(file?.sessions ?? []), session])];
    const [old, made] = [toText(before), toText(after)];
    if (old === undefined || made === undefined || (file !== undefined && file.review === undefined)) {
      const first = file?.before ?? before;
      this.#put(path, isSameContent(first, after) ? undefined : { path, sessions, before: first, review: undefined });
      return;
    }
    this.#putReview(path, sessions, noteChange(file?.review, old, made));
  }

  /** Brings a file up to what it holds now. @returns it, or undefined when nothing of it is left to judge. */
  catchUp(path: string, current: FileText): PendingFile | undefined {
    const file = this.#files.get(path);
    if (file?.review === undefined || file.review.known === current) return file;
    this.#putReview(path, file.sessions, catchUp(file.review, current));
    return this.#files.get(path);
  }

  /** Puts what is left to judge of a file in place of what there was; undefined when it is all judged. */
  judged(path: string, left: FileReview | undefined): void {
    const file = this.#files.get(path);
    if (file !== undefined) this.#putReview(path, file.sessions, left);
  }

  /** Writes the book down. @throws Error of the file system. */
  save(): Promise<void> {
    const write = this.#saved.then(() => this.#write());
    this.#saved = write.catch(() => undefined);
    return write;
  }

  #putReview(path: string, sessions: readonly string[], review: FileReview | undefined): void {
    this.#put(path, review && { path, sessions, before: bytesOf(review.baseline), review });
  }

  #put(path: string, file: PendingFile | undefined): void {
    this.#files.delete(path);
    if (file !== undefined) this.#files.set(path, file);
    for (const oldest of this.#files.keys()) {
      if (this.#files.size <= MAX_FILES) break;
      this.#files.delete(oldest);
    }
    this.#ports.changed();
  }

  async #write(): Promise<void> {
    const { path, store } = this.#ports;
    const files = await Promise.all(
      this.files.map(async ({ path: file, sessions, before, review }) => ({
        path: file,
        sessions,
        baseline: await keepContent(before, store),
        known: await keepContent(review === undefined ? { unknown: "notSeen" as const } : bytesOf(review.known), store),
      })),
    );
    await mkdir(dirname(path), { recursive: true });
    await writeFile(`${path}.tmp`, JSON.stringify({ version: 1, files }), { mode: 0o600 });
    await rename(`${path}.tmp`, path);
  }
}

function pendingOf(path: string, before: FileContent, known: FileContent): Omit<PendingFile, "sessions"> {
  const [old, made] = [toText(before), toText(known)];
  const isText = old !== undefined && made !== undefined;
  return { path, before, review: isText ? { baseline: old, known: made } : undefined };
}

function bytesOf(text: FileText): FileContent {
  return text === null ? null : Buffer.from(text);
}

async function readSaved(path: string): Promise<z.infer<typeof SavedFile>[]> {
  try {
    return Saved.parse(JSON.parse(await readFile(path, "utf8"))).files;
  } catch {
    return []; // there is none yet, or it was spoiled: nothing waits for judgement
  }
}
