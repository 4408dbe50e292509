import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir, uptime } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isSessionLocked, lockSession } from "../../agent/session/lock.ts";
import { readProcessStat } from "../../agent/util/process-stat.ts";

const HOLDER = fileURLToPath(new URL("../fixtures/hold-lock.ts", import.meta.url));

let folder: string;
let path: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tiller-lock-"));
  path = join(folder, "session.jsonl");
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a process that holds the lock, below one that never asks how its children ended. @returns its number. */
async function startHolder(): Promise<number> {
  const command = '"$@" & exec sleep 1000';
  const child = spawn("sh", ["-c", command, "sh", process.execPath, "--no-warnings", HOLDER, path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const [line]: unknown[] = await once(child.stdout, "data");
  return Number(String(line));
}

function writeLock(pid: number, startedAt: string | undefined): void {
  writeFileSync(`${path}.lock`, JSON.stringify({ pid, host: hostname(), token: "t", startedAt }));
}

describe("the lock of a session file", () => {
  it("holds while its process runs, and not when the process was killed and is a zombie", async () => {
    const pid = await startHolder();
    expect(isSessionLocked(path)).toBe(true);
    expect(() => lockSession(path)).toThrow(`Session is in use by process ${pid} on `);
    process.kill(pid, "SIGKILL");
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, "utf8")).toContain(") Z ");
    expect(isSessionLocked(path)).toBe(false);
    const lock = lockSession(path);
    expect(JSON.parse(readFileSync(`${path}.lock`, "utf8"))).toMatchObject({ pid: process.pid });
    lock.release();
  });

  it("does not hold when another process has the same id now", () => {
    const startedAt = readProcessStat(process.ppid)?.startedAt;
    writeLock(process.ppid, startedAt);
    expect(isSessionLocked(path)).toBe(true);
    writeLock(process.ppid, `${startedAt}0`);
    expect(isSessionLocked(path)).toBe(false);
  });

  it("holds for a running process with an unknown start time", () => {
    writeLock(process.ppid, undefined);
    expect(isSessionLocked(path)).toBe(true);
  });

  it("does not hold with an unknown start time if it was made before the machine started", () => {
    writeLock(process.ppid, undefined);
    const beforeStart = Date.now() / 1000 - uptime() - 3600;
    utimesSync(`${path}.lock`, beforeStart, beforeStart);
    expect(isSessionLocked(path)).toBe(false);
    lockSession(path).release();
  });
});
