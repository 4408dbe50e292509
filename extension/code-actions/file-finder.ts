import * as vscode from "vscode";
import { workspaceFolders } from "../host-tools/workspace-files.ts";
import { possiblePaths } from "../host-tools/workspace-path.ts";

/** Answers are asked for again after this long: files come and go. */
const MAX_AGE_MS = 30_000;
/** Most answers that are remembered. */
const MAX_ANSWERS = 2_000;
/** Longest time that a search by name may take. */
const SEARCH_LIMIT_MS = 3_000;

interface Answer {
  readonly uri: Promise<vscode.Uri | undefined>;
  readonly at: number;
}

/** Finds the files that a conversation names, from the folder of the session or, by the end of their path, anywhere in the workspace. */
export class FileFinder {
  readonly #answers = new Map<string, Answer>();

  /** @returns undefined when there is no such file, or more than one that is meant equally. Never rejects. */
  find(path: string): Promise<vscode.Uri | undefined> {
    // To look at a share of another computer is to log in there.
    if (/^[\\/]{2}/.test(path)) return Promise.resolve(undefined);
    const known = this.#answers.get(path);
    if (known !== undefined && Date.now() - known.at < MAX_AGE_MS) return known.uri;
    const uri = look(path).catch(() => undefined); // out of reach is not there
    this.#answers.delete(path);
    this.#answers.set(path, { uri, at: Date.now() });
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > MAX_ANSWERS && oldest !== undefined) this.#answers.delete(oldest);
    return uri;
  }
}

async function look(path: string): Promise<vscode.Uri | undefined> {
  for (const place of possiblePaths(path, workspaceFolders())) {
    const uri = vscode.Uri.file(place);
    if (await isFile(uri)) return uri;
  }
  if (!/^[\w@.+-]+(?:[\\/][\w@.+-]+)*$/.test(path)) return undefined;
  const cancel = new vscode.CancellationTokenSource();
  const timer = setTimeout(() => cancel.cancel(), SEARCH_LIMIT_MS);
  try {
    const pattern = `**/${path.replaceAll("\\", "/").replace(/^(?:\.{1,2}\/)+/, "")}`;
    // Undefined: what the user's settings leave out of searches stays out.
    const found = await vscode.workspace.findFiles(pattern, undefined, 2, cancel.token);
    return found.length === 1 ? found[0] : undefined;
  } finally {
    clearTimeout(timer);
    cancel.dispose();
  }
}

async function isFile(uri: vscode.Uri): Promise<boolean> {
  try {
    return ((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.File) !== 0;
  } catch {
    return false; // not there
  }
}
