import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, realpath, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { AgentChanges } from "../../agent/changes/agent-changes.ts";
import { Change, ChangeJournal } from "../../agent/changes/change-journal.ts";
import { ChangeRecorder } from "../../agent/changes/change-recorder.ts";
import { ContentStore } from "../../agent/changes/content-store.ts";
import { readContent, readEntry } from "../../agent/changes/file-content.ts";
import { GitReader } from "../../agent/changes/git-reader.ts";
import { restoreEntries } from "../../agent/changes/restore-entries.ts";
import { ReviewBook } from "../../agent/changes/review-book.ts";
import { ShellBaselines } from "../../agent/changes/shell-baselines.ts";
import type { Row } from "./report.ts";
import { median } from "./samples.ts";

const FILES = 250_000;
const FILES_IN_FOLDER = 250;
const TURNS = 11;
/** Files that a turn changes by edits, and as many by one command. */
const CHANGED = 10;
const LINES = 60;
/** Linux counts the time of processes in hundredths of a second. */
const TICK_MS = 10;

const run = promisify(execFile);

/** Somebody who records: the extension, which the editor tells of changes, or the agent, which watches the folder itself. */
interface Recording {
  warmUp(): Promise<void>;
  before(call: RecordedCall): Promise<void>;
  after(call: RecordedCall): Promise<void>;
  touched(path: string): void;
  end(): Promise<void>;
}

interface RecordedCall {
  toolCallId: string;
  toolName: string;
  path?: string;
}

/** Measures the cost of recording a turn of the agent in a large Git working tree. */
export async function* changes(agentDir: string): AsyncGenerator<Row> {
  const folder = join(agentDir, "tree");
  await mkdir(folder);
  await makeTree(folder);
  const real = await realpath(folder);
  yield* measure("the extension", { folder: real, storage: join(agentDir, "storage"), firstTurn: 0 }, byExtension);
  yield* measure("the agent itself", { folder: real, storage: join(agentDir, "sessions"), firstTurn: TURNS }, byAgent);
}

async function* measure(
  who: string,
  { folder, storage, firstTurn }: { folder: string; storage: string; firstTurn: number },
  open: (folder: string, storage: string) => Promise<Recording>,
): AsyncGenerator<Row> {
  await mkdir(storage);
  const recording = await open(folder, storage);
  const lookedMs = await timed(() => recording.warmUp());
  const waited: number[] = [];
  let [changedBytes, cpuMs] = [0, 0];
  const childrenMs = await childrenCpuMs();
  for (let turn = firstTurn; turn < firstTurn + TURNS; turn += 1) {
    const cost = await runTurn(folder, turn, recording);
    waited.push(cost.waitedMs);
    cpuMs += cost.cpuMs;
    changedBytes += cost.bytes;
  }
  cpuMs += (await childrenCpuMs()) - childrenMs;
  await recording.end();
  const ms = { unit: "ms" } as const;
  yield* [
    { what: `${who}: 250,000 files in git, looked at once, while the model thinks`, ...ms, measured: lookedMs },
    { what: "  a turn that changes 20 files: what the agent waits for", ...ms, measured: median(waited), budget: 50 },
    { what: "  CPU of recording it, with that of git", ...ms, measured: cpuMs / TURNS, budget: 50 },
    {
      what: "  bytes kept, against those of the changed files",
      unit: "bytes",
      measured: await sizeOf(storage),
      floor: changedBytes,
      budget: 2,
    },
  ];
}

/** Recording by the agent, in the folder of a session file. */
async function byAgent(folder: string, storage: string): Promise<Recording> {
  const changes = new AgentChanges({
    folders: [folder],
    disk: { read: readEntry, restore: restoreEntries, isOpen: async () => false },
    session: () => ({ id: "s", file: join(storage, "s.jsonl"), parentFile: undefined, calls: () => [] }),
    emit: () => undefined,
    warn: (message) => console.error(message),
  });
  return {
    // It looks at everything before the first command.
    warmUp: async () => {
      const call = { toolCallId: "look", toolName: "bash" };
      await changes.before(call);
      await changes.after(call);
    },
    before: (call) => changes.before(call),
    after: (call) => changes.after(call),
    touched: () => undefined,
    end: () => changes.end(),
  };
}

/** Recording by the extension. */
async function byExtension(folder: string, storage: string): Promise<Recording> {
  const { recorder, shell, book } = await record(folder, storage);
  return {
    warmUp: () => recorder.warmUp(),
    before: (call) => recorder.before({ session: "s", ...call }),
    after: (call) => recorder.after({ session: "s", ...call }),
    touched: (path) => shell.touched(path),
    end: () => book.save(),
  };
}

async function record(folder: string, storage: string) {
  const store = new ContentStore(join(storage, "contents"));
  const book = await ReviewBook.open({ path: join(storage, "book.json"), store, changed: () => undefined });
  const shell = new ShellBaselines({
    folder,
    git: await GitReader.open(folder),
    read: readContent,
    listFiles: async () => undefined,
  });
  const recorder = new ChangeRecorder({
    store,
    journal: new ChangeJournal(join(storage, "changes.jsonl"), Change),
    shell,
    read: readContent,
    readSaved: readContent,
    isUnsaved: () => false,
    settled: async () => undefined,
    now: Date.now,
    changed: async (change) => book.note(change),
  });
  return { recorder, shell, book };
}

async function runTurn(folder: string, turn: number, recorder: Recording) {
  const paths = Array.from({ length: 2 * CHANGED }, (_, index) =>
    join(folder, nameOf((turn * 2 * CHANGED + index) * 97)),
  );
  const cost = { waitedMs: 0, cpuMs: 0, bytes: 0 };
  const paid = async (work: () => Promise<void>, isWaitedFor = true) => {
    const [startedAt, { user, system }] = [performance.now(), process.cpuUsage()];
    await work();
    const used = process.cpuUsage({ user, system });
    cost.cpuMs += (used.user + used.system) / 1_000;
    if (isWaitedFor) cost.waitedMs += performance.now() - startedAt;
  };
  for (const path of paths.slice(0, CHANGED)) {
    const call = { toolCallId: path, toolName: "edit", path };
    await paid(() => recorder.before(call));
    cost.bytes += await change(path);
    recorder.touched(path); // as the editor tells of it
    await paid(() => recorder.after(call));
  }
  const command = { toolCallId: `command ${turn}`, toolName: "bash" };
  await paid(() => recorder.before(command));
  for (const path of paths.slice(CHANGED)) {
    cost.bytes += await change(path);
    recorder.touched(path);
  }
  await paid(() => recorder.after(command), false); // the agent does not wait for the changes of a command
  return cost;
}

/** CPU time of the processes that this one has started, whether they have ended or still run, in ms; 0 where the system does not tell. */
async function childrenCpuMs(): Promise<number> {
  const threads = await readdir("/proc/self/task").catch(() => []);
  const lists = threads.map((thread) => readFile(`/proc/self/task/${thread}/children`, "utf8").catch(() => ""));
  const living = (await Promise.all(lists)).flatMap((list) => list.split(" ").filter((id) => id.trim() !== ""));
  const [, , ...ended] = await ticksOf("self");
  const ticks = [...ended, ...(await Promise.all(living.map(ticksOf))).flat()];
  return ticks.reduce((sum, some) => sum + some, 0) * TICK_MS;
}

/** The CPU time of a process, user and system, including its children that have ended. */
async function ticksOf(id: string): Promise<number[]> {
  const line = await readFile(`/proc/${id}/stat`, "utf8").catch(() => "");
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).map(Number);
}

async function change(path: string): Promise<number> {
  const text = (await readFile(path, "utf8")).replace("line 7 ", "line seven ");
  await writeFile(path, text);
  return Buffer.byteLength(text);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const sizes = names.map(async (name) => {
    const stats = await stat(join(folder, name));
    return stats.isFile() ? stats.size : 0;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

function nameOf(index: number): string {
  const number = index % FILES;
  return `part-${Math.floor(number / FILES_IN_FOLDER)}/file-${number % FILES_IN_FOLDER}.ts`;
}

/** A repository whose files have few contents among them: git takes them in in seconds, and the disk has as many files as any. */
async function makeTree(folder: string): Promise<void> {
  await run("git", ["init", "-q"], { cwd: folder });
  const importing = spawn("git", ["fast-import", "--quiet"], { cwd: folder, stdio: ["pipe", "inherit", "inherit"] });
  const lines: string[] = [];
  for (let kind = 0; kind < FILES_IN_FOLDER; kind += 1) {
    const text = Array.from(
      { length: LINES },
      (_, line) => `const line${line} = "line ${line} of kind ${kind}";\n`,
    ).join("");
    lines.push(`blob\nmark :${kind + 1}\ndata ${Buffer.byteLength(text)}\n${text}`);
  }
  lines.push("commit refs/heads/main\ncommitter T <t@example.com> 0 +0000\ndata 1\nx");
  for (let index = 0; index < FILES; index += 1) {
    lines.push(`M 100644 :${(index % FILES_IN_FOLDER) + 1} ${nameOf(index)}`);
  }
  importing.stdin.end(`${lines.join("\n")}\n`);
  const [code] = await once(importing, "exit");
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
  await run("git", ["symbolic-ref", "HEAD", "refs/heads/main"], { cwd: folder });
  await run("git", ["reset", "-q", "--hard"], { cwd: folder });
}
