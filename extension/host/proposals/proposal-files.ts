import * as vscode from "vscode";

/** Documents of proposed changes; the side that may be edited is saved here and nowhere else. */
export const PROPOSAL_SCHEME = "tiller-proposal";

interface ProposalFile {
  readonly bytes: Uint8Array;
  readonly isReadOnly: boolean;
  readonly changedAt: number;
}

/** Files that live in memory: what proposed changes start from and lead to. */
export class ProposalFiles implements vscode.FileSystemProvider {
  readonly #files = new Map<string, ProposalFile>();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;

  put(uri: vscode.Uri, text: string, isReadOnly: boolean): void {
    this.#files.set(uri.toString(), { bytes: Buffer.from(text), isReadOnly, changedAt: Date.now() });
  }

  /** What was last saved; undefined when there is no such file. */
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
    if (file === undefined) return; // left over from a window before: saved nowhere, so that it closes without a question
    if (file.isReadOnly) throw vscode.FileSystemError.NoPermissions(uri);
    this.#files.set(uri.toString(), { bytes, isReadOnly: false, changedAt: Date.now() });
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined); // nobody but the editor changes what is here
  }

  readDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  createDirectory(): void {
    // Folders are nothing here. The editor makes them before it saves what is left over.
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
