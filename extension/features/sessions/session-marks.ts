import * as z from "zod";
import type { Store } from "../../window/draft.ts";

const KEY = "tiller.sessionMarks";
/** Maximum number of sessions for each mark; the ones marked first are dropped first. */
const MAX_MARKED = 500;

/** The mark of a session. */
export type SessionMark = "pinned" | "archived";

const Kept = z
  .object({ pinned: z.array(z.string()), archived: z.array(z.string()) })
  .catch({ pinned: [], archived: [] });

/** The pinned and archived sessions of this workspace, by their files, which are not changed. */
export class SessionMarks {
  readonly #store: Store;
  #marks: z.infer<typeof Kept>;

  constructor(store: Store) {
    this.#store = store;
    this.#marks = Kept.parse(store.get(KEY));
  }

  /** The files of the pinned sessions. */
  get pinned(): readonly string[] {
    return this.#marks.pinned;
  }

  of(path: string): SessionMark | undefined {
    if (this.#marks.pinned.includes(path)) return "pinned";
    return this.#marks.archived.includes(path) ? "archived" : undefined;
  }

  /** @param mark undefined removes the mark. */
  set(path: string, mark: SessionMark | undefined): void {
    const without = (paths: readonly string[]) => paths.filter((one) => one !== path);
    const [pinned, archived] = [without(this.#marks.pinned), without(this.#marks.archived)];
    if (mark === "pinned") pinned.push(path);
    if (mark === "archived") archived.push(path);
    this.#marks = { pinned: pinned.slice(-MAX_MARKED), archived: archived.slice(-MAX_MARKED) };
    void this.#store.update(KEY, this.#marks);
  }
}
