import { execFileSync } from "node:child_process";
import { mkdir, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Change, ChangeJournal } from "../../agent/changes/change-journal.ts";
import { ChangeRecorder, type SeenChange } from "../../agent/changes/change-recorder.ts";
import { ContentStore } from "../../agent/changes/content-store.ts";
import { type FileContent, isBytes, readContent, toContent } from "../../agent/changes/file-content.ts";
import { GitReader } from "../../agent/changes/git-reader.ts";
import { ShellBaselines } from "../../agent/changes/shell-baselines.ts";
import { temporaryFolder } from "./run-tool.ts";

/** A folder with files whose changes are recorded; it does itself what an editor's watcher does. */
export class RecordedWorkspace {
  readonly folder: string;
  readonly storage: string;
  readonly seen: SeenChange[] = [];
  /** Unsaved contents of files in the editor, by path. */
  readonly typed = new Map<string, string>();
  /** Why what was recorded cannot be remembered. */
  forgets: Error | undefined;
  readonly recorder: ChangeRecorder;
  readonly #shell: ShellBaselines;
  #calls = 0;
  #now = 1_000;

  private constructor(folder: string, storage: string, git: GitReader | undefined) {
    this.folder = folder;
    this.storage = storage;
    this.#shell = new ShellBaselines({
      folder,
      git,
      read: readContent,
      listFiles: async (limit) => {
        const names = await readdir(folder, { recursive: true });
        return names.length > limit ? undefined : names.map((name) => join(folder, name));
      },
    });
    this.recorder = new ChangeRecorder({
      store: new ContentStore(join(storage, "contents")),
      journal: new ChangeJournal(join(storage, "changes.jsonl"), Change),
      shell: this.#shell,
      read: async (path) => (this.typed.has(path) ? toContent(this.typed.get(path) ?? "") : readContent(path)),
      readSaved: readContent,
      isUnsaved: (path) => this.typed.has(path),
      settled: async () => undefined,
      now: () => this.#now,
      changed: async (seen) => {
        this.seen.push(seen);
        if (this.forgets !== undefined) throw this.forgets;
        await this.#shell.recorded({ ...seen, path: seen.change.path });
      },
    });
  }

  /** A folder with files, in a repository of its own or in none. */
  static async make(files: Record<string, string>, options: { git: boolean }): Promise<RecordedWorkspace> {
    const folder = await realpath(await temporaryFolder());
    await putFiles(folder, files);
    if (options.git) {
      runGit(folder, "init", "-q");
      runGit(folder, "add", ".");
      runGit(folder, "commit", "-qm", "first");
    }
    return RecordedWorkspace.open(folder);
  }

  /** A folder that is there. @param home the user's home folder. */
  static async open(folder: string, home?: string): Promise<RecordedWorkspace> {
    return new RecordedWorkspace(folder, await temporaryFolder(), await GitReader.open(folder, home));
  }

  /** Somebody who is not the agent changes files. */
  async byHand(files: Record<string, string | null>): Promise<void> {
    await putFiles(this.folder, files);
    for (const name of Object.keys(files)) this.#shell.touched(join(this.folder, name));
  }

  /** Time goes by. */
  wait(ms: number): void {
    this.#now += ms;
  }

  /** The user saves a file in the editor. */
  async save(name: string, text: string): Promise<void> {
    await putFiles(this.folder, { [name]: text });
    await this.#shell.saved(join(this.folder, name));
    this.#shell.touched(join(this.folder, name)); // the watcher tells of it later
  }

  /** Runs a call of the agent's from beginning to end; without `path` it is a command. */
  async call(path: string | undefined, work: () => Promise<void>): Promise<void> {
    const call = {
      session: "s",
      toolCallId: `c${++this.#calls}`,
      toolName: path === undefined ? "bash" : "edit",
      path: path && join(this.folder, path),
    };
    await this.recorder.before(call);
    await work();
    await this.recorder.after(call);
  }

  /** Runs a command as `bash` does; `changes` are the files that the watcher tells of. */
  shell(command: string, changes: readonly string[]): Promise<void> {
    return this.call(undefined, async () => {
      execFileSync("bash", ["-c", command], { cwd: this.folder });
      for (const name of changes) this.#shell.touched(join(this.folder, name));
    });
  }

  /** Returns the recorded changes: name, before, after. */
  told(): [string, unknown, unknown][] {
    return this.seen.map(({ change, before, after }) => [
      change.path.slice(this.folder.length + 1),
      show(before),
      show(after),
    ]);
  }
}

function show(content: FileContent): unknown {
  return isBytes(content) ? Buffer.from(content.bytes).toString() : content;
}

/** Writes files, and their folders; null deletes one. */
export async function putFiles(folder: string, files: Record<string, string | null>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    if (text === null) await rm(join(folder, name));
    else await writeFile(join(folder, name), text);
  }
}

/** Runs git. @returns what it prints. */
export function runGit(cwd: string, ...args: string[]): string {
  const who = ["-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"];
  return execFileSync("git", [...who, ...args], { cwd, encoding: "utf8" });
}

/** Commits all that is there. */
export function commitAll(folder: string): void {
  runGit(folder, "add", ".");
  runGit(folder, "commit", "-qm", "more");
}
