import { randomUUID } from "node:crypto";
import {
  access,
  chmod,
  constants,
  copyFile,
  lstat,
  mkdir,
  rename,
  rm,
  rmdir,
  symlink,
  unlink,
  utimes,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorMessage } from "../protocol/errors.ts";
import type { ChangedPath } from "./changed-paths.ts";
import { isUntouched, pathState } from "./path-state.ts";

/**
 * Makes the changes on the disk: what is deleted goes first, then folders come before what is in them.
 * @throws Error before the first change when the disk isn't as it was; Error that says how far it came when a change fails.
 */
export async function applyChanges(changed: readonly ChangedPath[]): Promise<void> {
  await check(changed);
  const going = changed.filter(({ before, after }) => before !== undefined && before.kind !== after?.kind);
  const coming = changed.filter(({ after }) => after !== undefined);
  const steps = [
    ...going.toSorted(deepestFirst).map((one) => () => remove(one)),
    ...coming.toSorted((one, other) => deepestFirst(other, one)).map((one) => () => make(one)),
  ];
  let done = 0;
  try {
    for (const step of steps) {
      await step();
      done += 1;
    }
  } catch (error) {
    throw new Error(`${done} of ${steps.length} changes were applied, then one failed: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

async function check(changed: readonly ChangedPath[]): Promise<void> {
  const made = new Set(changed.filter(({ after }) => after?.kind === "folder").map(({ path }) => path));
  const checked = new Set<string>();
  for (const { path, source, before, after } of changed) {
    if (!isUntouched(before, await pathState(path))) {
      throw new Error(`${path} has changed since the preview. Nothing was applied.`);
    }
    if (after?.kind === "file" && !(await isReadable(source))) {
      throw new Error(`Nobody may read ${path} as the command left it. Nothing was applied.`);
    }
    const folder = dirname(path);
    if (checked.has(folder) || made.has(folder)) continue;
    checked.add(folder);
    if (!(await lstat(folder)).isDirectory())
      throw new Error(`${folder} is no longer a directory. Nothing was applied.`);
  }
}

async function isReadable(path: string): Promise<boolean> {
  return access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
}

async function remove({ path, before }: ChangedPath): Promise<void> {
  if (before?.kind === "folder") await rmdir(path);
  else await unlink(path);
}

async function make({ path, source, before, after }: ChangedPath): Promise<void> {
  if (after?.kind === "folder") {
    if (before?.kind !== "folder") await mkdir(path);
    await chmod(path, after.mode);
  } else if (after?.kind === "link") {
    await replace(path, (place) => symlink(after.target ?? "", place));
  } else if (after !== undefined) {
    await replace(path, async (place) => {
      await copyFile(source, place, constants.COPYFILE_EXCL);
      await chmod(place, after.mode);
      await utimes(place, after.mtimeMs / 1000, after.mtimeMs / 1000);
    });
  }
}

/** Puts something in the place of what is at a path, at once. */
async function replace(path: string, write: (place: string) => Promise<void>): Promise<void> {
  const place = join(dirname(path), `.tiller-${randomUUID()}`);
  try {
    await write(place);
    await rename(place, path);
  } catch (error) {
    await rm(place, { force: true });
    throw error;
  }
}

function deepestFirst(one: ChangedPath, other: ChangedPath): number {
  return other.path.split("/").length - one.path.split("/").length;
}
