import { spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
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

/** A dead process stays in its group until its parent collects it, which never happens in many containers; dead members do not count. */
async function hasLivingMember(pid: number): Promise<boolean> {
  if (!signalGroup(pid, 0)) return false;
  if (process.platform !== "linux") return true;
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    // A process that ended since the listing has no file any more.
    const stat = parseProcessStat(await readFile(`/proc/${name}/stat`, "latin1").catch(() => ""));
    if (stat?.group === pid && !stat.hasEnded) return true;
  }
  return false;
}

function killWindowsTree(pid: number): Promise<void> {
  return new Promise((resolve) => {
    const killer = spawn("taskkill", ["/PID", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true });
    killer.once("error", () => resolve());
    killer.once("exit", () => resolve());
  });
}
