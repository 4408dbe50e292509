import { MAX_TOLD_PATHS } from "../protocol/changes.ts";
import type { AgentEvent } from "../protocol/events.ts";
import { atMost } from "../util/at-most.ts";
import type { Change } from "./change-journal.ts";
import { ChangeRecord, type Disk } from "./change-record.ts";
import { ChangeRecorder, type ChangingCall } from "./change-recorder.ts";
import { isSameEntry, readEntry } from "./file-content.ts";
import { filesOutside } from "./named-files.ts";
import { collectContents, copyRecord, openRecord, type RecordedSession, type RecordPlace } from "./record-place.ts";
import { RecordingTrouble } from "./recording-trouble.ts";
import { WatchedFolders } from "./watched-folder.ts";

/** The files as they are now, those that an editor holds included. */
export interface AgentDisk extends Disk {
  /** True for a file that an editor holds with unsaved changes. */
  isOpen(path: string): Promise<boolean>;
}

interface ChangesParts {
  /** The folders of the workspace. */
  readonly folders: readonly string[];
  readonly disk: AgentDisk;
  session(): RecordedSession;
  emit(event: Extract<AgentEvent, { type: "changes_update" }>): void;
  warn(message: string): void;
}

/** Everything about a session's changes that is open. */
interface OpenRecord {
  readonly key: string;
  readonly place: RecordPlace;
  readonly record: ChangeRecord;
}

/** Records what the agent changes, for the session that it has open. Reads and watches nothing before the first call. */
export class AgentChanges {
  readonly #parts: ChangesParts;
  readonly #folders: WatchedFolders;
  readonly #trouble: RecordingTrouble;
  #recorder: ChangeRecorder | undefined;
  #opened: Promise<OpenRecord> | undefined;
  #openedKey = "";
  /** Paths that the calls which are recorded now have changed. */
  #news = new Map<string, string[]>();

  constructor(parts: ChangesParts) {
    this.#parts = parts;
    this.#folders = new WatchedFolders(parts.folders);
    this.#trouble = new RecordingTrouble((reason, isNews) => {
      if (reason !== undefined && isNews) parts.warn(`Couldn't record the agent's changes: ${reason}`);
      parts.emit({
        type: "changes_update",
        reason: "trouble",
        paths: [],
        count: 0,
        ...(reason === undefined ? {} : { trouble: reason }),
      });
    });
  }

  /** The reason why changes cannot be recorded now; undefined when they can. */
  get trouble(): string | undefined {
    return this.#trouble.reason;
  }

  /** Must be called and awaited before a call that may change files. Never rejects. */
  before(call: Omit<ChangingCall, "session">): Promise<void> {
    const session = this.#parts.session().id;
    if (call.path !== undefined) this.#folders.prepare().catch(() => undefined); // a command usually comes later
    return this.#trouble.prepare(() => this.#record().before({ ...call, session }));
  }

  /** Must be called after the call. Resolves when its changes are recorded. Never rejects. */
  after(call: Omit<ChangingCall, "session">): Promise<void> {
    const session = this.#parts.session().id;
    return this.#trouble.record(async () => {
      await this.#recorder?.after({ ...call, session });
      this.#tell(call.toolCallId);
    });
  }

  /** Ends the calls of the run whose ends were never reported. Resolves when all is recorded. */
  async endRun(): Promise<void> {
    await this.#trouble.record(async () => {
      await this.#recorder?.endSession(this.#parts.session().id);
      for (const id of [...this.#news.keys()]) this.#tell(id);
    });
  }

  /** Resolves when all calls so far are recorded, or after a time; undefined when nothing was ever recorded. */
  idle(limitMs: number): Promise<void> | undefined {
    return this.#recorder === undefined ? undefined : atMost(this.#recorder.idle(), limitMs);
  }

  /** Returns the files outside the watched folders that a call names, and those in folders that it names. */
  async filesOutside(named: readonly { path: string; isFolder: boolean }[]): Promise<string[]> {
    return named.length === 0 ? [] : filesOutside(named, await this.#folders.watched());
  }

  /** Returns the record of the open session, once all calls so far are recorded. @throws Error of the file system. */
  async record(): Promise<ChangeRecord> {
    await this.#recorder?.idle();
    return (await this.#open()).record;
  }

  /** Tells that the user has judged changes. */
  judged(reason: "kept" | "undone", paths: readonly string[]): void {
    if (paths.length > 0) this.#emit({ reason, paths });
  }

  /** Must be called when the agent is about to exit. Resolves when everything is stored. Never rejects. */
  async end(): Promise<void> {
    await this.#trouble.record(async () => {
      await this.#recorder?.end();
      await this.#folders.close();
      await (await this.#opened)?.place.end();
    });
  }

  #record(): ChangeRecorder {
    const { disk } = this.#parts;
    this.#recorder ??= new ChangeRecorder({
      store: { put: async (bytes) => (await this.#open()).place.store.put(bytes) },
      journal: { add: async (change) => (await this.#open()).record.add(change) },
      shell: this.#folders,
      read: (path) => disk.read(path),
      readSaved: readEntry,
      isUnsaved: (path) => disk.isOpen(path),
      isSame: isSameEntry,
      settled: async () => undefined,
      now: Date.now,
      changed: async ({ change, before, after }) => {
        this.#note(change);
        await this.#folders.recorded({ path: change.path, before, after });
      },
    });
    return this.#recorder;
  }

  #note({ toolCallId, path, before, after }: Change): void {
    const isOfFolder = [before, after].every((side) => side === null || "folder" in side);
    if (isOfFolder) return;
    this.#news.set(toolCallId, [...(this.#news.get(toolCallId) ?? []), path]);
  }

  #tell(toolCallId: string): void {
    const paths = this.#news.get(toolCallId);
    this.#news.delete(toolCallId);
    if (paths !== undefined) this.#emit({ reason: "recorded", toolCallId, paths });
  }

  #emit({
    paths,
    ...event
  }: {
    reason: "recorded" | "kept" | "undone";
    toolCallId?: string;
    paths: readonly string[];
  }): void {
    const told = paths.slice(0, MAX_TOLD_PATHS);
    this.#parts.emit({ type: "changes_update", ...event, paths: told, count: paths.length });
  }

  #open(): Promise<OpenRecord> {
    const session = this.#parts.session();
    const key = `${session.id}\0${session.file ?? ""}`;
    if (this.#opened !== undefined && this.#openedKey === key) return this.#opened;
    const last = this.#opened;
    this.#openedKey = key;
    const opened = this.#openFor(session, key, last);
    this.#opened = opened;
    opened.catch(() => {
      if (this.#opened === opened) this.#opened = undefined;
    });
    return opened;
  }

  async #openFor(session: RecordedSession, key: string, last: Promise<OpenRecord> | undefined): Promise<OpenRecord> {
    const { file } = session;
    const place = await openRecord(session);
    const before = await last?.catch(() => undefined);
    if (before?.key.startsWith(`${session.id}\0`)) await copyRecord(before.place, place); // it was saved meanwhile
    await before?.place.end();
    if (file !== undefined) collectContents(file, place).catch(() => undefined); // the next start tries again
    const { journal, store } = place;
    return { key, place, record: new ChangeRecord({ journal, store, disk: this.#parts.disk, now: Date.now }) };
  }
}
