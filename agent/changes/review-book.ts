import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import * as z from "zod";
import { ChangeSide } from "./change-journal.ts";
import type { SeenChange } from "./change-recorder.ts";
import type { ContentStore } from "./content-store.ts";
import {
  type FileContent,
  findContent,
  isSameContent,
  keepContent,
  modeOf,
  toContent,
  toText,
} from "./file-content.ts";
import { differInMode, type WantedMode } from "./file-mode.ts";
import { catchUp, type FileReview, type FileText, noteChange } from "./file-review.ts";

/** Maximum number of files to be reviewed; beyond it, the ones changed longest ago count as kept. */
const MAX_FILES = 500;

/** The permissions of a file without the agent's changes, and those when that was last computed. */
interface Modes {
  readonly before: number | undefined;
  readonly known: number | undefined;
}

/** A file with unreviewed changes of the agent. `review` is absent when it is not text; then only `before` is known. */
export interface PendingFile {
  readonly path: string;
  /** Ids of the sessions that changed it. */
  readonly sessions: readonly string[];
  readonly before: FileContent;
  readonly review: FileReview | undefined;
  /** A file whose executable bits the agent changed stays pending after its text is reviewed. */
  readonly modes: Modes;
}

const SavedFile = z.object({
  path: z.string(),
  sessions: z.array(z.string()),
  baseline: ChangeSide,
  known: ChangeSide,
});
const Saved = z.object({ version: z.literal(1), files: z.array(SavedFile) });

interface BookPorts {
  /** The file in which the book is saved. */
  readonly path: string;
  readonly store: ContentStore;
  changed(): void;
}

/** The agent's changes that are not reviewed yet, by path. */
export class ReviewBook {
  readonly #ports: BookPorts;
  readonly #files = new Map<string, PendingFile>();
  #saved: Promise<void> = Promise.resolve();

  private constructor(ports: BookPorts) {
    this.#ports = ports;
  }

  /** Loads the saved book; one that cannot be read counts as empty. */
  static async open(ports: BookPorts): Promise<ReviewBook> {
    const book = new ReviewBook(ports);
    for (const saved of await readSaved(ports.path)) {
      const before = await findContent(saved.baseline, ports.store);
      const known = await findContent(saved.known, ports.store);
      if (before === undefined || known === undefined) continue; // its contents were deleted: it can no longer be reviewed
      const { path, sessions } = saved;
      const [baseline, made] = [toText(before), toText(known)];
      const review = baseline === undefined || made === undefined ? undefined : { baseline, known: made };
      const modes = { before: modeOf(before), known: modeOf(known) };
      book.#files.set(path, { path, sessions, before, review, modes });
    }
    return book;
  }

  get files(): readonly PendingFile[] {
    return [...this.#files.values()];
  }

  get(path: string): PendingFile | undefined {
    return this.#files.get(path);
  }

  /** Adds a change of the agent. */
  note({ change, before, after }: SeenChange): void {
    const { path, session } = change;
    const file = this.#files.get(path);
    const sessions = [...new Set([...(file?.sessions ?? []), session])];
    const [old, made] = [toText(before), toText(after)];
    const modes = { before: modeBefore(file, before), known: modeAfter(file, after) };
    if (old === undefined || made === undefined || (file !== undefined && file.review === undefined)) {
      const first = file === undefined ? before : file.before;
      const isBack = isSameContent(first, after);
      this.#put(path, isBack ? undefined : { path, sessions, before: first, review: undefined, modes });
      return;
    }
    this.#putReview({ path, sessions, modes }, noteChange(file?.review, old, made) ?? { baseline: made, known: made });
  }

  /** Updates a file to its current text. @returns the file, or undefined when nothing of it is left to review. */
  catchUp(path: string, current: FileText): PendingFile | undefined {
    const file = this.#files.get(path);
    if (file?.review === undefined || file.review.known === current) return file;
    this.#putReview(file, catchUp(file.review, current) ?? { baseline: current, known: current });
    return this.#files.get(path);
  }

  /** Replaces the review of a file's text; undefined when all of it is reviewed. */
  judged(path: string, left: FileReview | undefined): void {
    const file = this.#files.get(path);
    const known = file?.review?.known ?? null;
    if (file !== undefined) this.#putReview(file, left ?? { baseline: known, known });
  }

  /** Notes that a file was restored to its content before some of the agent's changes. */
  restored(path: string, content: FileContent): void {
    const file = this.#files.get(path);
    if (file === undefined) return;
    const text = toText(content);
    const modes = { before: file.modes.before, known: modeOf(content) ?? file.modes.known };
    if (file.review !== undefined && text !== undefined) {
      this.#putReview({ ...file, modes }, catchUp(file.review, text) ?? { baseline: text, known: text });
      return;
    }
    this.#put(path, isSameContent(file.before, content) ? undefined : { ...file, review: undefined, modes });
  }

  /** Removes a file that is completely reviewed. */
  close(path: string): void {
    if (this.#files.has(path)) this.#put(path, undefined);
  }

  /** Saves the book. @throws Error of the file system. */
  save(): Promise<void> {
    const write = this.#saved.then(() => this.#write());
    this.#saved = write.catch(() => undefined);
    return write;
  }

  #putReview({ path, sessions, modes }: Omit<PendingFile, "before" | "review">, review: FileReview): void {
    const before = toContent(review.baseline, modes.before);
    const file = { path, sessions, before, review, modes };
    this.#put(path, review.baseline === review.known && !isModePending(file) ? undefined : file);
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
      this.files.map(async ({ path: file, sessions, before, review, modes }) => {
        const known = review === undefined ? { unknown: "notSeen" as const } : toContent(review.known, modes.known);
        const [baseline, made] = [await keepContent(before, store), await keepContent(known, store)];
        return { path: file, sessions, baseline, known: made };
      }),
    );
    await mkdir(dirname(path), { recursive: true });
    await writeFile(`${path}.tmp`, JSON.stringify({ version: 1, files }), { mode: 0o600 });
    await rename(`${path}.tmp`, path);
  }
}

/** True when the agent changed whether a file is executable. */
export function isModePending({ modes, review }: Pick<PendingFile, "modes" | "review">): boolean {
  return review?.known !== null && differInMode(modes.before, modes.known);
}

/** Returns the permissions to restore when a whole file is undone: all when it was deleted, else what the agent changed of them. */
export function modeUndone(file: PendingFile): WantedMode {
  return { mode: modeOf(file.before), always: isModePending(file) };
}

/** Returns the permissions before the agent's changes; changes of the user since are not the agent's. */
function modeBefore(file: PendingFile | undefined, before: FileContent): number | undefined {
  const mode = modeOf(before);
  if (file === undefined || differInMode(file.modes.known, mode)) return mode;
  return file.before === null ? undefined : (file.modes.before ?? mode);
}

/** Returns the permissions after a change; unsaved text in the editor has none. */
function modeAfter(file: PendingFile | undefined, after: FileContent): number | undefined {
  return after === null ? undefined : (modeOf(after) ?? file?.modes.known);
}

async function readSaved(path: string): Promise<z.infer<typeof SavedFile>[]> {
  try {
    return Saved.parse(JSON.parse(await readFile(path, "utf8"))).files;
  } catch {
    return []; // none yet, or it is corrupt: nothing is pending
  }
}
