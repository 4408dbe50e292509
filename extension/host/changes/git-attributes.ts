import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, posix } from "node:path";
import { type FileContent, isBytes, readContent } from "./file-content.ts";

const ATTRIBUTES = ".gitattributes";

/** Whether a file says how git lays others out on the disk. */
export function saysAttributes(path: string): boolean {
  return basename(path) === ATTRIBUTES;
}

/**
 * Lays the attributes of files out in a folder of their own, as they were before somebody changed some; that folder is there while `work` runs.
 * @param names the files, relative to `root`, with slashes.
 * @param changed what the changed files of attributes held, by name.
 */
export async function withAttributes<T>(
  root: string,
  names: readonly string[],
  changed: ReadonlyMap<string, FileContent>,
  work: (place: string) => Promise<T>,
): Promise<T> {
  const place = await mkdtemp(join(tmpdir(), "tiller-attributes-"));
  try {
    for (const folder of foldersOf(names)) {
      const name = posix.join(folder, ATTRIBUTES);
      const content = changed.has(name) ? changed.get(name) : await readContent(join(root, name));
      if (!isBytes(content)) continue;
      await mkdir(join(place, folder), { recursive: true });
      await writeFile(join(place, name), content.bytes);
    }
    return await work(place);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** All folders that files are in, up to the one that all are in, which is ".". */
function foldersOf(names: readonly string[]): Set<string> {
  const folders = new Set(["."]);
  for (const name of names) {
    for (let folder = posix.dirname(name); !folders.has(folder); folder = posix.dirname(folder)) folders.add(folder);
  }
  return folders;
}
