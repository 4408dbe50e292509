import type { Change, ChangeJournal } from "./change-journal.ts";
import type { ContentStore } from "./content-store.ts";
import { type FileContent, isSameContent, keepContent } from "./file-content.ts";
import { inPieces } from "./pieces.ts";
import type { ChangedFile, ShellBaselines } from "./shell-baselines.ts";

/** Tools that have the editor change and save files. While others run, what the editor saves is the user's. */
const EDITOR_TOOL = /^(?:vscode|lm)_/;

/** Changed files that are kept at a time. */
const FILES_AT_ONCE = 10;

/** A call of the agent's that may change files; `path` is the absolute path of the one file that it names. */
export interface ChangingCall {
  readonly session: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly path?: string | undefined;
}

/** A change with both contents at hand. */
export interface SeenChange {
  readonly change: Change;
  readonly before: FileContent;
  readonly after: FileContent;
}

interface RecorderPorts {
  readonly store: ContentStore;
  readonly journal: ChangeJournal;
  readonly shell: ShellBaselines;
  /** The content of a file, as the editor has it when it is open with changes. */
  read(path: string): Promise<FileContent>;
  /** The same as it lies on the disk. */
  readSaved(path: string): Promise<FileContent>;
  /** Whether a file is open with changes. */
  isUnsaved(path: string): boolean;
  /** Resolves when changes of the disk so far have been told to `shell`. */
  settled(): Promise<void>;
  now(): number;
  /** Told of each change, in order. What it rejects with is the recording's failure. */
  changed(change: SeenChange): Promise<void>;
}

interface OpenCall {
  readonly call: ChangingCall;
  /** When it began, as Unix time in ms: what a command changed is known after the user may have said the next thing. */
  readonly at: number;
  readonly before: Before;
}

type Before =
  /** What was unsaved was changed where it is open; else the disk was, whatever the user has typed since. */
  | { readonly content: FileContent; readonly isUnsaved: boolean }
  | { readonly run: Awaited<ReturnType<ShellBaselines["begin"]>> };

/** Records what each call changed. A call that names its file costs that file; any other costs what it changed. */
export class ChangeRecorder {
  readonly #ports: RecorderPorts;
  readonly #open = new Map<string, OpenCall>();
  /** Changes are recorded one call after the other. */
  #last: Promise<void> = Promise.resolve();

  constructor(ports: RecorderPorts) {
    this.#ports = ports;
  }

  /** Looks beforehand at what a command could destroy. */
  warmUp(): Promise<void> {
    return this.#ports.shell.prepare();
  }

  /** Call it before the call runs, and wait. @throws Error of the file system. */
  async before(call: ChangingCall): Promise<void> {
    const at = this.#ports.now();
    await this.#last; // what an earlier command changed has to be known first: it may have changed this file
    const { path } = call;
    const before =
      path === undefined
        ? { run: await this.#ports.shell.begin(EDITOR_TOOL.test(call.toolName)) }
        : { isUnsaved: this.#ports.isUnsaved(path), content: await this.#ports.read(path) };
    this.#open.set(keyOf(call), { call, at, before });
  }

  /** Call it after the call, whether it failed or not; a call that was not told before is left out. */
  after(call: ChangingCall): Promise<void> {
    const open = this.#open.get(keyOf(call));
    if (open === undefined) return Promise.resolve();
    this.#open.delete(keyOf(call));
    const recorded = this.#last.then(() => this.#record({ ...open, call }));
    this.#last = recorded.catch(() => undefined);
    return recorded;
  }

  /** No call of a session runs any more: those whose end nobody told, as after an abort or a crash, end now. */
  async endSession(session: string): Promise<void> {
    await this.#end(({ call }) => call.session === session);
  }

  /** No call runs any more. Resolves when everything is recorded. */
  async end(): Promise<void> {
    await this.#end(() => true);
    await this.#last;
  }

  /** Resolves when everything that was told is recorded. */
  idle(): Promise<void> {
    return this.#last;
  }

  async #end(isOver: (open: OpenCall) => boolean): Promise<void> {
    const left = [...this.#open.values()].filter(isOver);
    await Promise.all(left.map(({ call }) => this.after(call)));
  }

  async #record(open: OpenCall): Promise<void> {
    const { before } = open;
    if ("run" in before) {
      await this.#ports.settled();
      const changes = await this.#ports.shell.end(before.run);
      for (const some of inPieces(changes, FILES_AT_ONCE)) await this.#add(open, some);
      return;
    }
    const { path } = open.call;
    if (path === undefined) return;
    const { read, readSaved } = this.#ports;
    const after = await (before.isUnsaved ? read : readSaved)(path);
    await this.#add(open, [{ path, before: before.content, after }]);
  }

  async #add({ call, at }: OpenCall, files: readonly ChangedFile[]): Promise<void> {
    const { store, journal } = this.#ports;
    const { session, toolCallId, toolName } = call;
    const changed = files.filter(({ before, after }) => !isSameContent(before, after));
    const seen = await Promise.all(
      changed.map(async ({ path, ...sides }): Promise<SeenChange> => {
        const [before, after] = await Promise.all([keepContent(sides.before, store), keepContent(sides.after, store)]);
        return { change: { at, session, toolCallId, toolName, path, before, after }, ...sides };
      }),
    );
    await Promise.all(seen.map(({ change }) => journal.add(change)));
    await Promise.all(seen.map((change) => this.#ports.changed(change)));
  }
}

/** Models that count their calls give those of two conversations the same id. */
function keyOf({ session, toolCallId }: ChangingCall): string {
  return `${session}\0${toolCallId}`;
}
