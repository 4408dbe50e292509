import * as vscode from "vscode";
import { workspaceFolders } from "../../editor/workspace-files.ts";
import { possiblePaths } from "../../editor/workspace-path.ts";
import { endsWithPath, searchPattern } from "./file-search.ts";

/** Maximum age of an answer, in milliseconds, since files come and go. */
const MAX_AGE_MS = 30_000;
/** Maximum number of cached answers. */
const MAX_ANSWERS = 2_000;
/** Maximum duration of a search by name, in milliseconds, and maximum number of its results. */
const SEARCH_LIMIT_MS = 3_000;
const MAX_FOUND = 1_000;

interface Answer {
  readonly uri: vscode.Uri | undefined;
  readonly at: number;
}

/** Finds the files that a conversation names, from the session's folder or, by the end of their path, anywhere in the workspace. */
export class FileFinder {
  readonly #answers = new Map<string, Answer>();

  /** @returns undefined when there is no such file, or several match equally. Never rejects. */
  async find(path: string, folder: string): Promise<vscode.Uri | undefined> {
    return (await this.findAll([path], folder)).get(path);
  }

  /** Finds many files at once, from the session's folder: those that are not at their stated place share one search. Never rejects. */
  async findAll(paths: readonly string[], folder: string): Promise<ReadonlyMap<string, vscode.Uri | undefined>> {
    const now = Date.now();
    const keyOf = (path: string) => `${folder}\n${path}`;
    const unknown = [...new Set(paths)].filter((path) => now - (this.#answers.get(keyOf(path))?.at ?? 0) >= MAX_AGE_MS);
    const placed = new Map<string, vscode.Uri | undefined>();
    await Promise.all(unknown.map(async (path) => placed.set(path, await inPlace(path, folder))));
    const missing = unknown.filter((path) => placed.get(path) === undefined);
    const found = await search(missing).catch(() => new Map<string, vscode.Uri>()); // without a search there are no links
    for (const path of unknown) this.#remember(keyOf(path), placed.get(path) ?? found.get(path), now);
    const answers = paths.map((path) => [path, this.#answers.get(keyOf(path))?.uri ?? placed.get(path)] as const);
    return new Map(answers);
  }

  #remember(key: string, uri: vscode.Uri | undefined, at: number): void {
    this.#answers.delete(key);
    this.#answers.set(key, { uri, at });
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > MAX_ANSWERS && oldest !== undefined) this.#answers.delete(oldest);
  }
}

async function inPlace(path: string, folder: string): Promise<vscode.Uri | undefined> {
  // To look at a network share is to log in there.
  if (/^[\\/]{2}/.test(path)) return undefined;
  for (const place of possiblePaths(path, workspaceFolders(folder))) {
    const uri = vscode.Uri.file(place);
    if (await isFile(uri)) return uri;
  }
  return undefined;
}

async function search(paths: readonly string[]): Promise<Map<string, vscode.Uri>> {
  const pattern = searchPattern(paths);
  if (pattern === undefined || workspaceFolders().length === 0) return new Map();
  const cancel = new vscode.CancellationTokenSource();
  const timer = setTimeout(() => cancel.cancel(), SEARCH_LIMIT_MS);
  try {
    // Undefined: files that the user's settings exclude from searches stay excluded.
    const uris = await vscode.workspace.findFiles(pattern, undefined, MAX_FOUND, cancel.token);
    const found = new Map<string, vscode.Uri>();
    for (const path of paths) {
      const [first, ...others] = uris.filter((uri) => endsWithPath(uri.path, path));
      if (first !== undefined && others.length === 0) found.set(path, first);
    }
    return found;
  } finally {
    clearTimeout(timer);
    cancel.dispose();
  }
}

async function isFile(uri: vscode.Uri): Promise<boolean> {
  try {
    return ((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.File) !== 0;
  } catch {
    return false; // it does not exist
  }
}
