import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";

const LEVELS = 8;
const WAYS = 12;

/** Makes a folder of few entries through which so many paths lead that nobody who follows links comes to an end: each level leads to the next in many ways. */
export async function makeMaze(folder: string): Promise<void> {
  for (let level = 0; level < LEVELS; level++) {
    await mkdir(join(folder, `level${level}`), { recursive: true });
    if (level === 0) continue;
    const ways = Array.from({ length: WAYS }, (_, way) => join(folder, `level${level - 1}/way${way}`));
    await Promise.all(ways.map((way) => symlink(`../level${level}`, way)));
  }
}
