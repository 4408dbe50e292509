import { readFileSync } from "node:fs";

/** Facts about a process from `/proc/<pid>/stat` of Linux. */
export interface ProcessStat {
  /** It has ended; a parent that never asks how keeps its number taken, as in containers without an init. */
  hasEnded: boolean;
  group: number;
  /** Its start, in ticks since the machine started: another process with the same ID has a different start. */
  startedAt: string;
}

/** Reads the text of `/proc/<pid>/stat`. @returns undefined for any other text. */
export function parseProcessStat(text: string): ProcessStat | undefined {
  // The second field is the name of the program in parentheses, and may hold anything.
  const [state, , group, ...rest] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const startedAt = rest[16];
  if (startedAt === undefined) return undefined;
  return { hasEnded: state === "Z" || state === "X", group: Number(group), startedAt };
}

/** Reads the state of a process. @returns undefined on systems other than Linux, and if the process does not exist. */
export function readProcessStat(pid: number): ProcessStat | undefined {
  try {
    return parseProcessStat(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return undefined; // the caller asks in another way
  }
}

/**
 * True while a process runs; not when it only waits for its parent to ask how it ended.
 * @param startedAt when it began, if that is known: a process with the same number that began at another time is another one.
 */
export function isProcessRunning(pid: number, startedAt?: string): boolean {
  const known = readProcessStat(pid);
  if (known !== undefined) return !known.hasEnded && (startedAt === undefined || startedAt === known.startedAt);
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
