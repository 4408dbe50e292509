import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A file of instructions for the model. */
export interface ContextFile {
  path: string;
  text: string;
}

const NAMES = ["AGENTS.md", "CLAUDE.md"];

/** Instructions longer than this, in UTF-16 units, are cut: they would push the conversation out of the window. */
const MAX_FILE_LENGTH = 200_000;

/**
 * Finds instructions for the model: the user's own, then those of every folder from the root down to `cwd`, so that the nearest comes
 * last. In one folder `AGENTS.md` goes before `CLAUDE.md`, and only the first is read.
 */
export function findContextFiles(agentDir: string, cwd: string): ContextFile[] {
  const folders = ancestors(cwd).reverse();
  return [agentDir, ...folders.filter((folder) => folder !== agentDir)]
    .map(firstContextFile)
    .filter((file) => file !== undefined);
}

function firstContextFile(folder: string): ContextFile | undefined {
  for (const name of NAMES) {
    const path = join(folder, name);
    const text = readText(path);
    if (text !== undefined) return { path, text };
  }
  return undefined;
}

function readText(path: string): string | undefined {
  try {
    const text = readFileSync(path, "utf8");
    return text.length > MAX_FILE_LENGTH ? `${text.slice(0, MAX_FILE_LENGTH)}\n[cut]` : text;
  } catch {
    return undefined; // most folders have none, and one that cannot be read is no reason not to start
  }
}

function ancestors(folder: string): string[] {
  const all = [folder];
  for (let parent = dirname(folder); parent !== all.at(-1); parent = dirname(parent)) all.push(parent);
  return all;
}
