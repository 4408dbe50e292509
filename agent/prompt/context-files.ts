import { dirname, join } from "node:path";
import { readTextSync } from "../util/read-text.ts";
import { repositoryFolders, whyNotOfProject } from "./project-files.ts";

/** A file of instructions for the model. */
export interface ContextFile {
  path: string;
  text: string;
}

const NAMES = ["AGENTS.md", "CLAUDE.md"];

/** Instructions longer than this, in UTF-16 units, are cut: they would push the conversation out of the window. */
const MAX_FILE_LENGTH = 200_000;

/** The places that are searched for instructions. */
interface ContextPlaces {
  agentDir: string;
  cwd: string;
  home: string;
  /** Hears of a file that is left out. */
  warn(message: string): void;
}

/**
 * Finds instructions for the model: the user's own, then those of every folder from the root down to `cwd`, so that the nearest comes
 * last. In one folder `AGENTS.md` goes before `CLAUDE.md`, and only the first is read. One that is a link has to stay in its repository, or
 * outside of a repository in its folder; only the user's own, in their home and the agent's folder, may lead anywhere.
 */
export function findContextFiles({ agentDir, cwd, home, warn }: ContextPlaces): ContextFile[] {
  const own = [agentDir, home];
  const repository = repositoryFolders(cwd);
  const folders = ancestors(cwd).reverse();
  return [agentDir, ...folders.filter((folder) => folder !== agentDir)].flatMap((folder) => {
    const root = own.includes(folder) ? undefined : repository.includes(folder) ? repository.at(-1) : folder;
    return firstContextFile(folder, root, warn) ?? [];
  });
}

/** @param root where the file has to be once links are followed; undefined means anywhere. */
function firstContextFile(
  folder: string,
  root: string | undefined,
  warn: (message: string) => void,
): ContextFile | undefined {
  for (const name of NAMES) {
    const path = join(folder, name);
    const problem = root === undefined ? undefined : whyNotOfProject(path, root);
    if (problem !== undefined) warn(problem);
    const text = problem === undefined ? readText(path) : undefined;
    if (text !== undefined) return { path, text };
  }
  return undefined;
}

function readText(path: string): string | undefined {
  try {
    const text = readTextSync(path);
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
