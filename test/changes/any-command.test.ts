import { chmod, lstat, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { Change, ChangeJournal } from "../../agent/changes/change-journal.ts";
import { ContentStore } from "../../agent/changes/content-store.ts";
import { isBytes, modeOf, readContent } from "../../agent/changes/file-content.ts";
import { writeWithMode } from "../../agent/changes/file-mode.ts";
import { planRewind } from "../../agent/changes/rewind.ts";
import { RecordedWorkspace } from "../support/recorded-workspace.ts";

const NAMES = ["a.txt", "b b.txt", "dir/c.txt", "dir/sub/d.sh", "ü.txt", "dir/empty", "new", "dir/new", "x/y/new"];
const FOLDERS = ["dir", "dir/sub", "x", "x/y"];
const TEXTS = ["one\ntwo\n", "", "no end", "\uFEFFmark\n", "a\r\nb\r\n", "bin\0ary", "mixed\r\nends\n"];
const COMMANDS_A_CALL = 3;

/** Numbers below a limit that are always the same for a seed. */
function numbers(seed: number): (limit: number) => number {
  let state = seed * 7919 + 13;
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor(state / 256) % limit;
  };
}

/** One of what a command may do to files: write, add to, delete, rename, copy, make executable, commit. */
function anyCommand(next: (limit: number) => number): string {
  const pick = (some: readonly string[]) => some[next(some.length)] ?? "";
  const [one, other] = [pick(NAMES), pick(NAMES)];
  const text = Buffer.from(pick(TEXTS)).toString("base64");
  const folder = `mkdir -p '${dirname(other)}'`;
  const command = pick([
    `${folder}; echo ${text} | base64 -d > '${other}'`,
    `printf more >> '${one}'`,
    `rm '${one}'`,
    "rm -r dir",
    `${folder}; mv '${one}' '${other}'`,
    `${folder}; cp -p '${one}' '${other}'`,
    `chmod +x '${one}'`,
    `chmod -x '${one}'`,
    "git add -A && git -c user.name=T -c user.email=t@example.com commit -qm more",
  ]);
  return `{ ${command}; } > /dev/null 2>&1 || true`;
}

/** All files of a folder: permissions and bytes by name. */
async function filesIn(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of await readdir(folder, { recursive: true })) {
    const path = join(folder, name);
    const stats = await lstat(path);
    if (name.startsWith(".git") || !stats.isFile()) continue;
    found[name] = `${(stats.mode & 0o777).toString(8)} ${(await readFile(path)).toString("latin1")}`;
  }
  return found;
}

async function takeBack(work: RecordedWorkspace): Promise<void> {
  const changes = await new ChangeJournal(join(work.storage, "changes.jsonl"), Change).all();
  const store = new ContentStore(join(work.storage, "contents"));
  const plan = await planRewind(changes, { store, read: readContent });
  expect(plan.filter(({ lost, conflicts }) => lost + conflicts > 0)).toEqual([]);
  for (const { path, restored } of plan) if (restored === null) await rm(path);
  for (const { path, restored } of plan) {
    if (!isBytes(restored)) continue;
    await mkdir(dirname(path), { recursive: true });
    await writeWithMode(path, { mode: modeOf(restored), always: true }, () => writeFile(path, restored.bytes));
  }
}

it.each(Array.from({ length: 10 }, (_, seed) => seed))(
  "whatever a command does to files, the earlier state can be restored: order %i",
  async (seed) => {
    const next = numbers(seed);
    const files = Object.fromEntries(NAMES.slice(0, 6).map((name) => [name, TEXTS[next(TEXTS.length)] ?? ""]));
    const made = await RecordedWorkspace.make(files, { git: seed % 2 === 0 });
    await chmod(join(made.folder, "dir/sub/d.sh"), 0o755);
    const work = await RecordedWorkspace.open(made.folder);
    const before = await filesIn(work.folder);
    for (let call = 0; call < 5; call += 1) {
      const commands = Array.from({ length: COMMANDS_A_CALL }, () => anyCommand(next));
      await work.shell(commands.join("\n"), [...NAMES, ...FOLDERS]);
    }
    expect(work.seen).not.toEqual([]);
    await takeBack(work);
    expect(await filesIn(work.folder)).toEqual(before);
  },
);
