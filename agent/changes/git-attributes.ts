import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, posix } from "node:path";
import { type FileContent, isBytes, readContent } from "./file-content.ts";

const ATTRIBUTES = ".gitattributes";

/** True for a file of git attributes, which say how other files are checked out. */
export function saysAttributes(path: string): boolean {
  return basename(path) === ATTRIBUTES;
}

/**
 * Writes the attributes of files, as they were before some were changed, to a temporary folder that exists while `work` runs.
 * @param names the files, relative to `root`, with slashes.
 * @param changed the earlier contents of changed attributes files, by name.
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

/** Returns all folders of the files, up to their root, which is ".". */
function foldersOf(names: readonly string[]): Set<string> {
  const folders = new Set(["."]);
  for (const name of names) {
    for (let folder = posix.dirname(name); !folders.has(folder); folder = posix.dirname(folder)) folders.add(folder);
  }
  return folders;
}
