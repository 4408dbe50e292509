import { spawn } from "node:child_process";
import { readdir, readFile, readlink } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseProcessStat } from "./process-stat.ts";

/** The time that a process tree has to end after it was asked to. */
const KILL_GRACE_MS = 2000;

const POLL_MS = 25;

/**
 * Ends a process and everything it started: SIGTERM to its group, and SIGKILL to what is left after `graceMs`. Resolves when the group is
 * gone or has been killed. On Windows the tree is ended at once.
 * @param pid of a process that leads its own group.
 */
export async function killTree(pid: number, graceMs = KILL_GRACE_MS): Promise<void> {
  if (process.platform === "win32") return killWindowsTree(pid);
  if (!signalGroup(pid, "SIGTERM")) return;
  const deadline = performance.now() + graceMs;
  while (performance.now() < deadline) {
    await delay(POLL_MS);
    if (!(await hasLivingMember(pid))) return;
  }
  signalGroup(pid, "SIGKILL");
}

/** @returns whether the group still has a member. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false; // no such group: everybody has left it
  }
}

/** A process that runs, in a group. */
export interface GroupMember {
  pid: number;
  /** Its command line. */
  command: string;
  /** The file that its output goes to; undefined when that is no file, or cannot be told. */
  outputPath?: string | undefined;
}

/**
 * Returns the process of a group that began first and still runs; undefined when none does. Without `/proc` it has only the number of the
 * group. On Windows there are no groups.
 */
export async function firstMember(group: number): Promise<GroupMember | undefined> {
  if (process.platform === "win32" || !signalGroup(group, 0)) return undefined;
  if (process.platform !== "linux") return { pid: group, command: "" };
  const pid = await firstLiving(group);
  if (pid === undefined) return undefined;
  const words = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  const output = await readlink(`/proc/${pid}/fd/1`).catch(() => "");
  const isFile = output.startsWith("/") && !output.startsWith("/dev/") && !output.endsWith(" (deleted)");
  return { pid, command: words.split("\0").join(" ").trim(), ...(isFile ? { outputPath: output } : {}) };
}

async function hasLivingMember(group: number): Promise<boolean> {
  if (!signalGroup(group, 0)) return false;
  return process.platform !== "linux" || (await firstLiving(group)) !== undefined;
}

/** A dead process stays in its group until its parent collects it, which never happens in many containers; dead members do not count. */
async function firstLiving(group: number): Promise<number | undefined> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  for (const pid of pids.toSorted((one, other) => one - other)) {
    // A process that ended since the listing has no file any more.
    const stat = parseProcessStat(await readFile(`/proc/${pid}/stat`, "latin1").catch(() => ""));
    if (stat?.group === group && !stat.hasEnded) return pid;
  }
  return undefined;
}

function killWindowsTree(pid: number): Promise<void> {
  return new Promise((resolve) => {
    // Programs are looked for in the working directory first, which may be the workspace.
    const cwd = dirname(process.execPath);
    const killer = spawn("taskkill", ["/PID", String(pid), "/T", "/F"], { cwd, stdio: "ignore", windowsHide: true });
    killer.once("error", () => resolve());
    killer.once("exit", () => resolve());
  });
}
