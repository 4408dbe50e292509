import { readFile } from "node:fs/promises";

/** A line of the kernel's list ends with the path of a socket that has one. */
const WITH_PATH = /(?:\S+\s+){7}(\/.*)$/;

/** Returns the paths of the sockets through which programs of this machine can be talked to, as far as they are known. Never rejects. */
export async function socketPaths(): Promise<string[]> {
  const list = await readFile("/proc/net/unix", "utf8").catch(() => "");
  return [...new Set(list.split("\n").flatMap((line) => WITH_PATH.exec(line)?.[1] ?? []))];
}
