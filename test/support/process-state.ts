import { readFileSync } from "node:fs";

/** Whether a process still runs; one that only waits to be buried does not. */
export function isRunning(pid: number): boolean {
  try {
    const [, state = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
    return !state.startsWith("Z");
  } catch {
    return false; // no such process
  }
}
