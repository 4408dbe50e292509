import * as z from "zod";
import type { Store } from "./draft.ts";

const KEY = "tiller.openSessions";
/** Most sessions that are remembered; those touched longest ago go first. */
const MAX_SESSIONS = 50;

const Remembered = z.object({
  key: z.string(),
  file: z.string().optional(),
  folder: z.string().optional(),
  isRunning: z.boolean(),
});
type Remembered = z.infer<typeof Remembered>;
const Kept = z.object({ side: z.string().optional(), sessions: z.array(Remembered) }).catch({ sessions: [] });

/** Which session files the chats of this workspace have, and which of them were at work; kept over reloads of the window. */
export class OpenSessions {
  readonly #store: Store;
  readonly #sessions: Map<string, Remembered>;
  #side: string | undefined;

  constructor(store: Store) {
    this.#store = store;
    const kept = Kept.parse(store.get(KEY) ?? { sessions: [] });
    this.#side = kept.side;
    this.#sessions = new Map(kept.sessions.map((session) => [session.key, session]));
  }

  /** The key of the chat that the side bar shows. */
  get side(): string | undefined {
    return this.#side;
  }

  showAtSide(side: string): void {
    if (side === this.#side) return;
    this.#side = side;
    this.#keep();
  }

  file(key: string): string | undefined {
    return this.#sessions.get(key)?.file;
  }

  /** The folder that the agent of a session works in. */
  folder(key: string): string | undefined {
    return this.#sessions.get(key)?.folder;
  }

  remember(key: string, file: string | undefined, folder?: string): void {
    this.#change(key, { file, folder });
  }

  /** Whether the session was at work when its agent was last heard of. */
  wasRunning(key: string): boolean {
    return this.#sessions.get(key)?.isRunning ?? false;
  }

  setRunning(key: string, isRunning: boolean): void {
    if (this.wasRunning(key) !== isRunning) this.#change(key, { isRunning });
  }

  #change(key: string, change: Partial<Remembered>): void {
    const session = { isRunning: false, ...this.#sessions.get(key), ...change, key };
    this.#sessions.delete(key);
    this.#sessions.set(key, session);
    for (const oldest of this.#sessions.keys()) {
      if (this.#sessions.size <= MAX_SESSIONS) break;
      if (oldest !== this.#side) this.#sessions.delete(oldest);
    }
    this.#keep();
  }

  #keep(): void {
    void this.#store.update(KEY, { side: this.#side, sessions: [...this.#sessions.values()] });
  }
}
