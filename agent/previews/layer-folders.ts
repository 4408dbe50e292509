import { chmod, lstat, mkdtemp, readdir, readlink, rm } from "node:fs/promises";
import { join } from "node:path";
import { isSystemError } from "../util/paths.ts";

/** The names of these folders say which agent they belong to: the process, and the namespace in which that has its number. */
const NAME = /^tiller-preview-(\d+)-(\d+)-\w+$/;

/** Makes a folder for the layers of a preview, and removes those that agents left which were killed. */
export async function makeLayerFolder(parent: string): Promise<string> {
  const namespace = /\d+/.exec(await readlink("/proc/self/ns/pid"))?.[0] ?? "0";
  await removeLeft(parent, namespace).catch(() => undefined); // they only take room
  return mkdtemp(join(parent, `tiller-preview-${namespace}-${process.pid}-`));
}

/** Deletes a folder with layers. */
export async function removeLayerFolder(folder: string): Promise<void> {
  // The kernel leaves a folder in each layer that nobody may read.
  for (const layer of await readdir(folder).catch(() => [])) {
    await chmod(join(folder, layer, "work/work"), 0o700).catch(() => undefined);
  }
  await rm(folder, { recursive: true, force: true });
}

async function removeLeft(parent: string, namespace: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const [, place, owner] = NAME.exec(name) ?? [];
    if (place !== namespace || owner === undefined || isAlive(Number(owner))) continue;
    const folder = join(parent, name);
    const stats = await lstat(folder).catch(() => undefined);
    if (stats?.isDirectory() === true && stats.uid === process.getuid?.()) {
      await removeLayerFolder(folder).catch(() => undefined);
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !isSystemError(error) || error.code !== "ESRCH";
  }
}
