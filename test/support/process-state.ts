import { readFileSync } from "node:fs";

/** True when a process still runs; a zombie does not. */
export function isRunning(pid: number): boolean {
  try {
    const [, state = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
    return !state.startsWith("Z");
  } catch {
    return false; // no such process
  }
}
