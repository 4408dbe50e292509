import { join } from "node:path";
import * as vscode from "vscode";
import { Change, ChangeJournal } from "../../../agent/changes/change-journal.ts";
import { ChangeRecorder, type ChangingCall } from "../../../agent/changes/change-recorder.ts";
import { ContentStore } from "../../../agent/changes/content-store.ts";
import { type FileContent, readContent, toContent } from "../../../agent/changes/file-content.ts";
import { GitReader } from "../../../agent/changes/git-reader.ts";
import { RecordingTrouble } from "../../../agent/changes/recording-trouble.ts";
import { ReviewBook } from "../../../agent/changes/review-book.ts";
import { ShellBaselines } from "../../../agent/changes/shell-baselines.ts";
import { holdsHome } from "../../../agent/changes/within.ts";
import { FolderWatch } from "./folder-watch.ts";

/** Maximum size of the kept contents of a workspace on the disk, in bytes. */
const MAX_STORED_BYTES = 200 * 1024 * 1024;
/** Delay between a change of the review book and its saving, in milliseconds. */
const SAVE_DELAY_MS = 500;

interface Opened {
  readonly store: ContentStore;
  readonly journal: ChangeJournal;
  readonly book: ReviewBook;
}

/** Tracks what agents change in the files of a window. Reads and watches nothing before the first run. */
export class ChangeTracker implements vscode.Disposable {
  readonly #storage: string;
  readonly #log: vscode.LogOutputChannel;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #recorders = new Map<string, Promise<ChangeRecorder>>();
  readonly #shells: ShellBaselines[] = [];
  readonly #subscriptions: vscode.Disposable[] = [];
  readonly #trouble = new RecordingTrouble((reason, isNews) => {
    if (reason !== undefined && isNews) this.#log.warn(`Couldn't record the agent's changes: ${reason}`);
    this.#changed.fire();
  });
  #opened: Promise<Opened> | undefined;
  #book: ReviewBook | undefined;
  #saving: NodeJS.Timeout | undefined;

  /** @param storage the folder in which previous contents are kept. */
  constructor(storage: string, log: vscode.LogOutputChannel) {
    this.#storage = storage;
    this.#log = log;
  }

  /** Fires when the changes to be reviewed have changed. */
  get onDidChange(): vscode.Event<void> {
    return this.#changed.event;
  }

  /** The changes to be reviewed; undefined before they are read from the disk. */
  get book(): ReviewBook | undefined {
    return this.#book;
  }

  /** The reason why the agent's changes cannot be recorded now; undefined when they can. */
  get trouble(): string | undefined {
    return this.#trouble.reason;
  }

  /** Reads the data of earlier windows, once. @throws Error of the file system, the same one each time. */
  open(): Promise<Opened> {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  /** Reads the files in `folder` that a command could destroy, while the model still thinks. Failures show at the first call. */
  warmUp(folder: string): void {
    this.#recorder(folder)
      .then((recorder) => recorder.warmUp())
      .catch(() => undefined);
  }

  /** Must be called and awaited before a call of the agent that may change files in `folder`. Never rejects; failures are in `trouble`. */
  before(folder: string, call: ChangingCall): Promise<void> {
    return this.#trouble.prepare(async () => (await this.#recorder(folder)).before(call));
  }

  /** Must be called after the call. Resolves when its changes are recorded, which takes a moment after a command. Never rejects. */
  after(folder: string, call: ChangingCall): Promise<void> {
    return this.#trouble.record(async () => (await this.#recorder(folder)).after(call));
  }

  /** Ends all calls of a session, including those whose end was never reported. */
  async endSession(session: string): Promise<void> {
    for (const recorder of this.#recorders.values()) await (await recorder).endSession(session);
  }

  /** Resolves when all calls so far are recorded. */
  async idle(): Promise<void> {
    for (const recorder of this.#recorders.values()) await (await recorder).idle();
  }

  /** Must be called when all agents have exited. Resolves when all their changes are saved. @throws Error of the file system. */
  async end(): Promise<void> {
    await Promise.all([...this.#recorders.values()].map(async (recorder) => (await recorder).end()));
    await this.#book?.save();
  }

  /** Reads the content of a file, as the editor has it when it has unsaved changes. */
  async read(path: string): Promise<FileContent> {
    const open = unsaved(path);
    return open === undefined ? readContent(path) : toContent(open.getText());
  }

  dispose(): void {
    clearTimeout(this.#saving);
    this.#save();
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#changed.dispose();
  }

  async #open(): Promise<Opened> {
    const store = new ContentStore(join(this.#storage, "contents"));
    const journal = new ChangeJournal(join(this.#storage, "changes.jsonl"), Change);
    const book = await ReviewBook.open({
      path: join(this.#storage, "book.json"),
      store,
      changed: () => this.#bookChanged(),
    });
    this.#book = book;
    void journal
      .collect()
      .then((wanted) => store.collect(wanted, MAX_STORED_BYTES))
      .catch((error: unknown) => this.#log.warn(`Couldn't delete old file contents: ${String(error)}`));
    this.#changed.fire();
    return { store, journal, book };
  }

  #recorder(folder: string): Promise<ChangeRecorder> {
    const known = this.#recorders.get(folder) ?? this.#createRecorder(folder);
    this.#recorders.set(folder, known);
    return known;
  }

  async #createRecorder(folder: string): Promise<ChangeRecorder> {
    const { store, journal, book } = await this.open();
    const isTooWide = await holdsHome(folder);
    const shell = new ShellBaselines({
      folder,
      git: isTooWide ? undefined : await GitReader.open(folder),
      read: (path) => this.read(path),
      listFiles: (limit) => (isTooWide ? Promise.resolve(undefined) : listFiles(folder, limit)),
    });
    this.#shells.push(shell);
    // The editor watches the folders of its window anyway; a home folder is not watched for us.
    const isWatched = !isTooWide || vscode.workspace.getWorkspaceFolder(vscode.Uri.file(folder)) !== undefined;
    const watch = isWatched
      ? new FolderWatch(folder, {
          touched: (path) => shell.touched(path),
          saved: (path) => void this.#trouble.prepare(() => shell.saved(path)),
        })
      : undefined;
    if (watch !== undefined) this.#subscriptions.push(watch);
    return new ChangeRecorder({
      store,
      journal,
      shell,
      read: (path) => this.read(path),
      readSaved: readContent,
      isUnsaved: (path) => unsaved(path) !== undefined,
      settled: async () => watch?.settled(),
      now: Date.now,
      changed: async (seen) => {
        book.note(seen);
        await Promise.all(this.#shells.map((other) => other.recorded({ ...seen, path: seen.change.path })));
      },
    });
  }

  #bookChanged(): void {
    clearTimeout(this.#saving);
    this.#saving = setTimeout(() => this.#save(), SAVE_DELAY_MS);
    this.#changed.fire();
  }

  #save(): void {
    this.#book?.save().catch((error: unknown) => this.#log.warn(`Couldn't store the changes: ${String(error)}`));
  }
}

/** Finds a document with unsaved changes. */
function unsaved(path: string): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find(
    ({ uri, isDirty }) => isDirty && uri.scheme === "file" && uri.fsPath === path,
  );
}

async function listFiles(folder: string, limit: number): Promise<string[] | undefined> {
  const pattern = new vscode.RelativePattern(vscode.Uri.file(folder), "**");
  const found = await vscode.workspace.findFiles(pattern, "**/{node_modules,.git}/**", limit + 1);
  return found.length > limit ? undefined : found.map(({ fsPath }) => fsPath);
}
