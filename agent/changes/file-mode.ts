import { chmod, stat } from "node:fs/promises";

/** The permission bits of the mode that `stat` returns. */
export const PERMISSIONS = 0o777;

const READABLE = 0o444;
const EXECUTABLE = 0o111;
const OWNER_EXECUTABLE = 0o100;

/**
 * Returns a mode that says only whether the file is executable, which is all that git records. No file on the disk has
 * this mode.
 */
export function modeInGit(isExecutable: boolean): number {
  return isExecutable ? EXECUTABLE : 0;
}

/** True when one of two files is executable and the other is not. As in git, other differences do not count, nor do unknown modes. */
export function differInMode(a: number | undefined, b: number | undefined): boolean {
  return a !== undefined && b !== undefined && isExecutable(a) !== isExecutable(b);
}

/** True when two permissions differ in any bit. Those of git, which are only about executables, are compared as such. */
export function differExactly(a: number | undefined, b: number | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return isOfGit(a) || isOfGit(b) ? differInMode(a, b) : a !== b;
}

/** True for a mode that says only whether the file is executable. */
export function isOfGit(mode: number): boolean {
  return mode === 0 || mode === EXECUTABLE;
}

/** True when the owner may execute the file. */
export function isExecutable(mode: number): boolean {
  return (mode & OWNER_EXECUTABLE) !== 0;
}

/** The permissions that a file should have. */
export interface WantedMode {
  readonly mode: number | undefined;
  /** True to also set or clear the executable bits of an existing file. */
  readonly always: boolean;
}

/**
 * Writes a file with its earlier permissions: all of them when it was deleted. An existing file keeps its own, except for the executable bits when
 * those are restored, too.
 * @throws what `write` throws, and Error of the file system.
 */
export async function writeWithMode(path: string, wanted: WantedMode, write: () => Promise<void>): Promise<void> {
  const { mode, always } = wanted;
  if (mode === undefined || process.platform === "win32") return write();
  const isNew = (await modeAt(path)) === undefined;
  await write();
  const made = await modeAt(path); // undefined while it exists only in the editor
  if (made === undefined || !(isNew || always)) return;
  const all = isNew && (mode & READABLE) !== 0 ? mode : withExecutable(made, isExecutable(mode));
  if (all !== made) await chmod(path, all);
}

/** Sets the executable bit for everyone who may read the file, or clears it for all. */
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
