import * as vscode from "vscode";

/** The scheme of documents of proposed changes; the editable side is saved only in memory. */
export const PROPOSAL_SCHEME = "tiller-proposal";

interface ProposalFile {
  readonly bytes: Uint8Array;
  readonly isReadOnly: boolean;
  readonly changedAt: number;
}

/** Files in memory: the two sides of proposed changes. */
export class ProposalFiles implements vscode.FileSystemProvider {
  readonly #files = new Map<string, ProposalFile>();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;

  put(uri: vscode.Uri, text: string, isReadOnly: boolean): void {
    this.#files.set(uri.toString(), { bytes: Buffer.from(text), isReadOnly, changedAt: Date.now() });
  }

  /** Returns the last saved text; undefined if the file does not exist. */
  textOf(uri: vscode.Uri): string | undefined {
    const file = this.#files.get(uri.toString());
    return file && Buffer.from(file.bytes).toString("utf8");
  }

  remove(uri: vscode.Uri): void {
    this.#files.delete(uri.toString());
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { bytes, isReadOnly, changedAt } = this.#find(uri);
    const stat = { type: vscode.FileType.File, ctime: changedAt, mtime: changedAt, size: bytes.length };
    return isReadOnly ? { ...stat, permissions: vscode.FilePermission.Readonly } : stat;
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.#find(uri).bytes;
  }

  writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    const file = this.#files.get(uri.toString());
    if (file === undefined) return; // left over from an earlier window: accepted and dropped, so that it closes without a question
    if (file.isReadOnly) throw vscode.FileSystemError.NoPermissions(uri);
    this.#files.set(uri.toString(), { bytes, isReadOnly: false, changedAt: Date.now() });
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined); // only the editor changes these files
  }

  readDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  createDirectory(): void {
    // There are no folders. The editor creates them before it saves leftover files.
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  #find(uri: vscode.Uri): ProposalFile {
    const file = this.#files.get(uri.toString());
    if (file === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    return file;
  }
}
