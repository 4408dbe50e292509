import { chmod, stat } from "node:fs/promises";

/** The bits of what `stat` says of a file that are permissions. */
export const PERMISSIONS = 0o777;

const READABLE = 0o444;
const EXECUTABLE = 0o111;
const OWNER_EXECUTABLE = 0o100;

/** Permissions of which only is known whether the file can be executed: all that git keeps. No file that was read has these. */
export function modeInGit(isExecutable: boolean): number {
  return isExecutable ? EXECUTABLE : 0;
}

/** Whether one of two files can be executed and the other cannot; no other difference counts, as in git, nor what is not known. */
export function differInMode(a: number | undefined, b: number | undefined): boolean {
  return a !== undefined && b !== undefined && isExecutable(a) !== isExecutable(b);
}

/** Whether whoever owns a file may execute it. */
export function isExecutable(mode: number): boolean {
  return (mode & OWNER_EXECUTABLE) !== 0;
}

/** Permissions that a file is to have. */
export interface WantedMode {
  readonly mode: number | undefined;
  /** Whether a file that is there is to be executable, or not, as these say. */
  readonly always: boolean;
}

/**
 * Writes a file and gives it the permissions that it had: all of them when it was gone. One that is there keeps its own, but for being
 * executable when that is to be put back, too.
 * @throws what `write` throws, and Error of the file system.
 */
export async function writeWithMode(path: string, wanted: WantedMode, write: () => Promise<void>): Promise<void> {
  const { mode, always } = wanted;
  if (mode === undefined || process.platform === "win32") return write();
  const isNew = (await modeAt(path)) === undefined;
  await write();
  const made = await modeAt(path); // undefined while it is only in the editor
  if (made === undefined || !(isNew || always)) return;
  const all = isNew && (mode & READABLE) !== 0 ? mode : withExecutable(made, isExecutable(mode));
  if (all !== made) await chmod(path, all);
}

/** Who may read a file may execute it, or nobody may. */
function withExecutable(mode: number, isWanted: boolean): number {
  if (isWanted === isExecutable(mode)) return mode;
  return isWanted ? mode | ((mode & READABLE) >> 2) : mode & ~EXECUTABLE;
}

function modeAt(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ mode }) => mode & PERMISSIONS,
    () => undefined,
  );
}
