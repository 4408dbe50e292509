import type { Change, ChangeJournal } from "./change-journal.ts";
import type { ContentStore } from "./content-store.ts";
import { type FileContent, isSameContent, keepContent } from "./file-content.ts";
import { inPieces } from "./pieces.ts";
import type { ChangedFile, ShellBaselines } from "./shell-baselines.ts";

/** Tools that make the editor change and save files. While other tools run, a save in the editor is the user's. */
const EDITOR_TOOL = /^(?:vscode|lm)_/;

/** Maximum number of changed files stored at a time. */
const FILES_AT_ONCE = 10;

/**
 * A call of the agent that may change files. `path` is the absolute path of the only file that it changes, if that is known; `named` are files
 * outside the folder that it may change, too.
 */
export interface ChangingCall {
  readonly session: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly path?: string | undefined;
  readonly named?: readonly string[] | undefined;
}

/** A change with both contents. */
export interface SeenChange {
  readonly change: Change;
  readonly before: FileContent;
  readonly after: FileContent;
}

interface RecorderPorts {
  readonly store: Pick<ContentStore, "put">;
  readonly journal: Pick<ChangeJournal, "add">;
  readonly shell: Pick<ShellBaselines, "prepare" | "watch">;
  /** Reads the content of a file, as the editor has it when it has unsaved changes. */
  read(path: string): Promise<FileContent>;
  /** Reads the content of a file on the disk. */
  readSaved(path: string): Promise<FileContent>;
  /** True when a file has unsaved changes. */
  isUnsaved(path: string): boolean | Promise<boolean>;
  /** Compares contents; by default whether their bytes are equal, and both executable or not. */
  isSame?(a: FileContent, b: FileContent): boolean;
  /** Resolves when all changes on the disk so far have been reported to `shell`. */
  settled(): Promise<void>;
  now(): number;
  /** Called for each change, in order. A rejection counts as a failure of the recording. */
  changed(change: SeenChange): Promise<void>;
}

interface OpenCall {
  readonly call: ChangingCall;
  /** The start of the call, as Unix time in ms: a command's changes are known only after the user may have sent the next message. */
  readonly at: number;
  readonly before: Before;
}

type Before =
  /** A file with unsaved changes was changed in the editor; any other on the disk, whatever the user has typed since. */
  | { readonly content: FileContent; readonly isUnsaved: boolean }
  | { readonly end: () => Promise<ChangedFile[]>; readonly named: readonly NamedFile[] };

interface NamedFile {
  readonly path: string;
  readonly before: FileContent;
}

/** Records what each call changed. A call that names its file costs one read; any other costs in proportion to its changes. */
export class ChangeRecorder {
  readonly #ports: RecorderPorts;
  readonly #open = new Map<string, OpenCall>();
  /** Changes are recorded one call after another. */
  #last: Promise<void> = Promise.resolve();

  constructor(ports: RecorderPorts) {
    this.#ports = ports;
  }

  /** Reads the files that a command could destroy, ahead of time. */
  warmUp(): Promise<void> {
    return this.#ports.shell.prepare();
  }

  /** Must be called and awaited before the call runs. @throws Error of the file system. */
  async before(call: ChangingCall): Promise<void> {
    const at = this.#ports.now();
    await this.#last; // the changes of an earlier command must be known first: it may have changed this file
    const { path } = call;
    const before =
      path === undefined
        ? {
            named: await this.#readAll(call.named ?? []),
            end: await this.#ports.shell.watch(EDITOR_TOOL.test(call.toolName)),
          }
        : { isUnsaved: await this.#ports.isUnsaved(path), content: await this.#ports.read(path) };
    this.#open.set(keyOf(call), { call, at, before });
  }

  /** Must be called after the call, even if it failed; ignored without an earlier `before`. */
  after(call: ChangingCall): Promise<void> {
    const open = this.#open.get(keyOf(call));
    if (open === undefined) return Promise.resolve();
    this.#open.delete(keyOf(call));
    const recorded = this.#last.then(() => this.#record({ ...open, call }));
    this.#last = recorded.catch(() => undefined);
    return recorded;
  }

  /** Ends the calls of a session whose end was never reported, as after an abort or a crash. */
  async endSession(session: string): Promise<void> {
    await this.#end(({ call }) => call.session === session);
  }

  /** Ends all calls. Resolves when everything is recorded. */
  async end(): Promise<void> {
    await this.#end(() => true);
    await this.#last;
  }

  /** Resolves when all calls so far are recorded. */
  idle(): Promise<void> {
    return this.#last;
  }

  async #end(isOver: (open: OpenCall) => boolean): Promise<void> {
    const left = [...this.#open.values()].filter(isOver);
    await Promise.all(left.map(({ call }) => this.after(call)));
  }

  async #record(open: OpenCall): Promise<void> {
    const { before } = open;
    if ("end" in before) {
      await this.#ports.settled();
      const changes = await before.end();
      const seen = new Set(changes.map((change) => change.path));
      const named = before.named.filter((file) => !seen.has(file.path));
      const after = await this.#readAll(named.map((file) => file.path));
      const others = named.map((file, index) => ({ ...file, after: after[index]?.before ?? null }));
      for (const some of inPieces([...changes, ...others], FILES_AT_ONCE)) await this.#add(open, some);
      return;
    }
    const { path } = open.call;
    if (path === undefined) return;
    const { read, readSaved } = this.#ports;
    const after = await (before.isUnsaved ? read : readSaved)(path);
    await this.#add(open, [{ path, before: before.content, after }]);
  }

  async #readAll(paths: readonly string[]): Promise<NamedFile[]> {
    const read: NamedFile[] = [];
    for (const path of paths) read.push({ path, before: await this.#ports.readSaved(path) });
    return read;
  }

  async #add({ call, at }: OpenCall, files: readonly ChangedFile[]): Promise<void> {
    const { store, journal, isSame = isSameContent } = this.#ports;
    const { session, toolCallId, toolName } = call;
    const changed = files.filter(({ before, after }) => !isSame(before, after));
    const seen = await Promise.all(
      changed.map(async ({ path, isIgnored, ...sides }): Promise<SeenChange> => {
        const [before, after] = await Promise.all([keepContent(sides.before, store), keepContent(sides.after, store)]);
        const change = { at, session, toolCallId, toolName, path, before, after };
        return { change: isIgnored === true ? { ...change, isIgnored } : change, ...sides };
      }),
    );
    await Promise.all(seen.map(({ change }) => journal.add(change)));
    await Promise.all(seen.map((change) => this.#ports.changed(change)));
  }
}

/** Identifies a call; models that number their calls use the same id in two conversations. */
function keyOf({ session, toolCallId }: ChangingCall): string {
  return `${session}\0${toolCallId}`;
}
