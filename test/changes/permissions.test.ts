import { chmod, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Change, ChangeJournal } from "../../agent/changes/change-journal.ts";
import { ContentStore } from "../../agent/changes/content-store.ts";
import { isBytes, modeOf, readContent } from "../../agent/changes/file-content.ts";
import { writeWithMode } from "../../agent/changes/file-mode.ts";
import { isModePending, modeUndone, ReviewBook } from "../../agent/changes/review-book.ts";
import { planRewind } from "../../agent/changes/rewind.ts";
import { RecordedWorkspace, runGit } from "../support/recorded-workspace.ts";
import { temporaryFolder } from "../support/run-tool.ts";

const SCRIPT = "#!/bin/sh\necho hello\n";

async function modeAt(work: RecordedWorkspace, name: string): Promise<string | undefined> {
  const stats = await stat(join(work.folder, name)).catch(() => undefined);
  return stats && (stats.mode & 0o777).toString(8);
}

async function withScript(options: { git: boolean }, mode: number): Promise<RecordedWorkspace> {
  const made = await RecordedWorkspace.make({ "run.sh": SCRIPT }, options);
  await chmod(join(made.folder, "run.sh"), mode);
  if (options.git) runGit(made.folder, "commit", "-qam", "second", "--allow-empty");
  return RecordedWorkspace.open(made.folder);
}

/** Takes all that was recorded back, as a later window does: with the journal and the contents as they lie on the disk. */
async function takeBack(work: RecordedWorkspace): Promise<void> {
  const changes = await new ChangeJournal(join(work.storage, "changes.jsonl"), Change).all();
  const store = new ContentStore(join(work.storage, "contents"));
  for (const { path, restored } of await planRewind(changes, { store, read: readContent })) {
    await writeWithMode(path, { mode: modeOf(restored), always: true }, async () => {
      if (isBytes(restored)) await writeFile(path, restored.bytes);
      else await rm(path);
    });
  }
}

describe.each([{ git: true }, { git: false }])("file permissions with git: $git", (options) => {
  it("of a deleted script are restored to executable", async () => {
    const work = await withScript(options, 0o755);
    await work.shell("rm run.sh", ["run.sh"]);
    await takeBack(work);
    expect(await modeAt(work, "run.sh")).toBe("755");
    expect(await readFile(join(work.folder, "run.sh"), "utf8")).toBe(SCRIPT);
  });

  it("of a script that a command makes executable or not are restored, with its content", async () => {
    const work = await withScript(options, 0o644);
    await work.shell("chmod +x run.sh", ["run.sh"]);
    expect(work.told()).toEqual([["run.sh", SCRIPT, SCRIPT]]);
    await takeBack(work);
    expect(await modeAt(work, "run.sh")).toBe("644");
    const other = await withScript(options, 0o755);
    await other.shell("echo changed > new && mv new run.sh", ["run.sh"]);
    expect(await modeAt(other, "run.sh")).toBe("644");
    await takeBack(other);
    expect(await modeAt(other, "run.sh")).toBe("755");
    expect(await readFile(join(other.folder, "run.sh"), "utf8")).toBe(SCRIPT);
  });

  it("of a script that is made executable before and after a write are restored in one step", async () => {
    const work = await withScript(options, 0o644);
    await work.shell("chmod +x run.sh", ["run.sh"]);
    await work.call("run.sh", () => writeFile(join(work.folder, "run.sh"), "echo other\n"));
    await takeBack(work);
    expect(await modeAt(work, "run.sh")).toBe("644");
    expect(await readFile(join(work.folder, "run.sh"), "utf8")).toBe(SCRIPT);
  });

  it("do not make a file recorded that a command only touches, or whose other permissions it changes", async () => {
    const work = await withScript(options, 0o755);
    await work.shell("touch run.sh; chmod 700 run.sh", ["run.sh"]);
    expect(work.told()).toEqual([]);
  });
});

it("permissions of scripts in Git are restored to executable, whatever their names", async () => {
  const names = ["run it.sh", "my dir/run.sh", "\tdir/run.sh", "dir\r/run.sh", "line\n.sh", "dir/plain.txt"];
  const made = await RecordedWorkspace.make(Object.fromEntries(names.map((name) => [name, SCRIPT])), { git: true });
  for (const name of names.slice(0, -1)) await chmod(join(made.folder, name), 0o755);
  runGit(made.folder, "commit", "-qam", "second");
  const work = await RecordedWorkspace.open(made.folder);
  await work.shell("find . -name .git -prune -o -type f -exec rm {} +", names);
  expect(work.seen).toHaveLength(names.length);
  await takeBack(work);
  const modes = await Promise.all(names.map((name) => modeAt(work, name)));
  expect(modes).toEqual(["755", "755", "755", "755", "755", "644"]);
});

it("permissions of a private file are restored, and an existing file keeps its readers", async () => {
  const work = await RecordedWorkspace.make({ "run.sh": SCRIPT }, { git: false });
  await chmod(join(work.folder, "run.sh"), 0o700);
  await work.shell("rm run.sh", ["run.sh"]);
  await takeBack(work);
  expect(await modeAt(work, "run.sh")).toBe("700");
  const other = await withScript({ git: true }, 0o755);
  await other.shell("chmod 640 run.sh", ["run.sh"]);
  await takeBack(other);
  expect(await modeAt(other, "run.sh")).toBe("750");
});

it("permissions changed by the user since are kept", async () => {
  const work = await withScript({ git: true }, 0o644);
  await work.shell("chmod +x run.sh; echo more >> run.sh", ["run.sh"]);
  await chmod(join(work.folder, "run.sh"), 0o600);
  await takeBack(work);
  expect(await modeAt(work, "run.sh")).toBe("600");
});

it("permissions are not compared with Git on a disk for which Git does not keep them", async () => {
  const made = await withScript({ git: true }, 0o644);
  runGit(made.folder, "config", "core.fileMode", "false");
  await chmod(join(made.folder, "run.sh"), 0o777); // as such disks show every file
  const work = await RecordedWorkspace.open(made.folder);
  await work.shell("touch run.sh", ["run.sh"]);
  expect(work.told()).toEqual([]);
});

it("permissions are left alone by a journal from before they were recorded", async () => {
  const work = await withScript({ git: true }, 0o755);
  await work.shell("echo changed > run.sh", ["run.sh"]);
  const journal = join(work.storage, "changes.jsonl");
  const text = await readFile(journal, "utf8");
  await writeFile(journal, text.replace(/,"mode":\d+/g, ""));
  await takeBack(work);
  expect(await modeAt(work, "run.sh")).toBe("755");
  expect(await readFile(join(work.folder, "run.sh"), "utf8")).toBe(SCRIPT);
});

describe("file permissions in the list of pending changes", () => {
  async function bookOf(work: RecordedWorkspace) {
    const folder = await temporaryFolder();
    const ports = { path: join(folder, "b"), store: new ContentStore(join(folder, "c")), changed: () => undefined };
    const book = await ReviewBook.open(ports);
    for (const change of work.seen) book.note(change);
    await book.save();
    return ReviewBook.open(ports);
  }

  it("keep a script pending that was made executable, until that is judged, even when all its text is", async () => {
    const work = await withScript({ git: true }, 0o644);
    const path = join(work.folder, "run.sh");
    await work.shell("chmod +x run.sh; echo more >> run.sh", ["run.sh"]);
    const book = await bookOf(work);
    book.judged(path, undefined);
    const [file] = book.files;
    expect(file && isModePending(file)).toBe(true);
    expect(file?.before).toEqual({ bytes: Buffer.from(`${SCRIPT}more\n`), mode: 0 });
    book.catchUp(path, "mine\n");
    expect(book.get(path)?.before).toEqual({ bytes: Buffer.from("mine\n"), mode: 0 });
    book.close(path);
    expect(book.files).toEqual([]);
  });

  it("keep no script pending that the agent made executable and back, or the user since", async () => {
    const work = await withScript({ git: true }, 0o644);
    await work.shell("chmod +x run.sh", ["run.sh"]);
    await work.shell("chmod -x run.sh", ["run.sh"]);
    expect((await bookOf(work)).files).toEqual([]);
    const other = await withScript({ git: true }, 0o644);
    await other.shell("chmod +x run.sh", ["run.sh"]);
    await other.shell("rm run.sh", ["run.sh"]);
    const [file] = (await bookOf(other)).files;
    expect(file?.before).toEqual({ bytes: Buffer.from(SCRIPT), mode: 0 });
    expect(file && isModePending(file)).toBe(false);
  });

  it("do not matter for a script that is changed in the editor, which stays pending", async () => {
    const work = await withScript({ git: true }, 0o644);
    const path = join(work.folder, "run.sh");
    const inEditor = (text: string) =>
      work.call("run.sh", async () => {
        work.typed.set(path, text);
      });
    work.typed.set(path, SCRIPT);
    await inEditor("by the agent\n");
    work.typed.delete(path);
    await work.shell("chmod +x run.sh", ["run.sh"]);
    work.typed.set(path, SCRIPT);
    await inEditor("again\n");
    const [file] = (await bookOf(work)).files;
    expect(file && isModePending(file)).toBe(true);
  });

  it("changed by the user are kept when a file is undone, and those changed by the agent are restored", async () => {
    const work = await withScript({ git: true }, 0o644);
    const path = join(work.folder, "run.sh");
    async function undo(): Promise<void> {
      const [file] = (await bookOf(work)).files;
      if (file === undefined) throw new Error("Nothing waits.");
      await writeWithMode(path, modeUndone(file), () => writeFile(path, SCRIPT));
    }
    await work.shell("echo more >> run.sh", ["run.sh"]);
    await chmod(path, 0o755);
    await undo();
    expect(await modeAt(work, "run.sh")).toBe("755");
    await chmod(path, 0o644);
    await work.shell("chmod +x run.sh", ["run.sh"]);
    await undo();
    expect(await modeAt(work, "run.sh")).toBe("644");
    await work.shell("rm run.sh", ["run.sh"]);
    await undo();
    expect(await modeAt(work, "run.sh")).toBe("644");
  });

  it("do not keep an undone file pending, not even an image that the agent created", async () => {
    const work = await RecordedWorkspace.make({ "a.txt": "1\n" }, { git: true });
    await work.shell("printf 'a\\0b' > p.png; chmod +x a.txt", ["p.png", "a.txt"]);
    const book = await bookOf(work);
    expect(book.files).toHaveLength(2);
    for (const { change, before } of work.seen) book.restored(change.path, before);
    expect(book.files).toEqual([]);
  });
});
