import * as z from "zod";
import type { Store } from "./draft.ts";

const KEY = "tiller.openSessions";
/** Maximum number of sessions; the least recently used are dropped first. */
const MAX_SESSIONS = 50;

const Remembered = z.object({
  key: z.string(),
  file: z.string().optional(),
  folder: z.string().optional(),
  isRunning: z.boolean(),
});
type Remembered = z.infer<typeof Remembered>;
const Kept = z.object({ side: z.string().optional(), sessions: z.array(Remembered) }).catch({ sessions: [] });

/** The session files of this workspace's chats, and which of them were running; kept when the window is reloaded. */
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

  /** The key of the chat in the side bar. */
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

  /** Returns the folder of a session's agent. */
  folder(key: string): string | undefined {
    return this.#sessions.get(key)?.folder;
  }

  remember(key: string, file: string | undefined, folder?: string): void {
    this.#change(key, { file, folder });
  }

  /** True when the session was running when its agent last reported. */
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
