import { closeSync, mkdirSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { hostname, uptime } from "node:os";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod";
import { AgentError } from "../protocol/errors.ts";
import { uuidv7 } from "../util/ids.ts";
import { isProcessRunning, readProcessStat } from "../util/process-stat.ts";
import { readTextSync } from "../util/read-text.ts";

const PATIENCE_MS = 3000;
const RETRY_MS = 50;
/** Clocks are set after a start. */
const CLOCK_SLACK_MS = 10 * 60_000;

const LockOwner = z.lazy(() =>
  z.object({
    pid: z.int(),
    host: z.string(),
    token: z.string(),
    /** The start of the process from `ProcessStat`; absent if unknown. */
    startedAt: z.string().optional(),
  }),
);
type LockOwner = z.infer<typeof LockOwner>;

/** The right to write one session file, until it is released. */
export interface SessionLock {
  release(): void;
}

/**
 * Acquires the right to write a session file. Takes over a lock whose process has exited.
 * @throws AgentError session_locked while another process writes the file.
 */
export function lockSession(sessionPath: string): SessionLock {
  const path = lockPath(sessionPath);
  const token = uuidv7();
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (!create(path, token)) {
    const owner = readOwner(path);
    if (owner !== undefined && isHeld(owner, path)) throw inUse(sessionPath, owner);
    rmSync(path, { force: true });
    if (!create(path, token)) throw inUse(sessionPath, readOwner(path));
  }
  return {
    release() {
      if (readOwner(path)?.token === token) rmSync(path, { force: true });
    },
  };
}

/**
 * Opens a session. While another process writes it, retries for a while: an agent that is exiting soon releases it.
 * @throws AgentError session_locked when the time is up.
 */
export async function openWhenFree<T>(open: () => T, patienceMs = PATIENCE_MS): Promise<T> {
  for (const end = performance.now() + patienceMs; ; ) {
    try {
      return open();
    } catch (error) {
      const isLocked = error instanceof AgentError && error.code === "session_locked";
      if (!isLocked || performance.now() > end) throw error;
    }
    await delay(RETRY_MS);
  }
}

/** True when another process currently has the right to write the session file. */
export function isSessionLocked(sessionPath: string): boolean {
  const owner = readOwner(lockPath(sessionPath));
  return owner !== undefined && isHeld(owner, lockPath(sessionPath));
}

/** True when this process currently has the right to write the session file. */
export function isLockedHere(sessionPath: string): boolean {
  const owner = readOwner(lockPath(sessionPath));
  return owner?.pid === process.pid && owner.host === hostname();
}

function lockPath(sessionPath: string): string {
  return `${sessionPath}.lock`;
}

function create(path: string, token: string): boolean {
  try {
    const fd = openSync(path, "wx", 0o600);
    const { pid } = process;
    const owner: LockOwner = { pid, host: hostname(), token, startedAt: readProcessStat(pid)?.startedAt };
    writeSync(fd, JSON.stringify(owner));
    closeSync(fd);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

function readOwner(path: string): LockOwner | undefined {
  try {
    return LockOwner.safeParse(JSON.parse(readTextSync(path))).data;
  } catch {
    return undefined; // no lock, or one that was never finished: nobody holds it
  }
}

function isHeld({ pid, host, startedAt }: LockOwner, path: string): boolean {
  if (host !== hostname()) return true;
  // Where a process can't be told from a later one with its number, one from before the machine's start can.
  if (startedAt === undefined && isOlderThanMachine(path)) return false;
  return pid !== process.pid && isProcessRunning(pid, startedAt);
}

function isOlderThanMachine(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && stats.mtimeMs + CLOCK_SLACK_MS < Date.now() - uptime() * 1000;
}

function inUse(sessionPath: string, owner: LockOwner | undefined): AgentError {
  const who = owner === undefined ? "another process" : `process ${owner.pid} on ${owner.host}`;
  return new AgentError(
    "session_locked",
    `Session is in use by ${who}: ${sessionPath}. Close it there, or open another session.`,
  );
}
