import { createHash } from "node:crypto";
import type { ChangeLine } from "../../agent/changes/change-journal.ts";
import { ChangeRecord } from "../../agent/changes/change-record.ts";
import { type FileContent, isSameEntry, keepContent, toContent, toText } from "../../agent/changes/file-content.ts";

/** A record of changes whose files, contents and lines are all in memory. */
export class MemoryRecord {
  readonly files = new Map<string, string>();
  readonly record: ChangeRecord;
  readonly #lines: ChangeLine[] = [];
  readonly #contents = new Map<string, Buffer>();
  #now = 0;

  constructor() {
    this.record = new ChangeRecord({
      journal: { all: async () => this.#lines, add: async (line) => void this.#lines.push(line) },
      store: this.#store(),
      disk: {
        read: async (path) => this.#read(path),
        restore: async (entries) => {
          for (const { path, current, restored } of entries) {
            if (!isSameEntry(this.#read(path), current)) throw new Error(`${path} is not as it was planned.`);
            const text = toText(restored);
            if (text === undefined) throw new Error(`${path} is no text.`);
            if (text === null) this.files.delete(path);
            else this.files.set(path, text);
          }
          return new Map();
        },
      },
      now: () => this.#now,
    });
  }

  /** A call of the agent makes files hold these texts; null deletes one. */
  async call(toolCallId: string, changes: Readonly<Record<string, string | null>>): Promise<void> {
    this.#now += 10;
    for (const [path, text] of Object.entries(changes)) {
      const before = this.#read(path);
      this.byHand(path, text);
      const after = this.#read(path);
      if (isSameEntry(before, after)) continue;
      const sides = {
        before: await keepContent(before, this.#store()),
        after: await keepContent(after, this.#store()),
      };
      await this.record.add({ at: this.#now, session: "s", toolCallId, toolName: "bash", path, ...sides });
    }
  }

  /** The user makes a file hold a text; null deletes it. */
  byHand(path: string, text: string | null): void {
    if (text === null) this.files.delete(path);
    else this.files.set(path, text);
  }

  /** Time of the last call. */
  get now(): number {
    return this.#now;
  }

  #read(path: string): FileContent {
    return toContent(this.files.get(path) ?? null);
  }

  #store() {
    return {
      put: async (bytes: Uint8Array) => {
        const hash = createHash("sha256").update(bytes).digest("hex");
        this.#contents.set(hash, Buffer.from(bytes));
        return hash;
      },
      get: async (hash: string) => this.#contents.get(hash),
    };
  }
}
