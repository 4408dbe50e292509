import { isAscii } from "node:buffer";
import { readFile, stat } from "node:fs/promises";
import * as vscode from "vscode";

/** A larger file is no text that somebody wrote. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** Files as the editor has them: with changes that are not saved, and decoded as it would. */
export class EditorTexts {
  readonly #unsaved = new Map(
    vscode.workspace.textDocuments
      .filter(({ isDirty }) => isDirty)
      .map((document) => [document.uri.toString(), document]),
  );

  /** How many files were not read because they have more than 4 MiB. */
  tooLarge = 0;

  /**
   * @param mayMatter tells from the bytes of a file whether its text can be of interest.
   * @returns undefined when it is not, and for what cannot be read as text.
   */
  async read(uri: vscode.Uri, mayMatter: (bytes: Uint8Array) => boolean): Promise<string | undefined> {
    const unsaved = this.#unsaved.get(uri.toString());
    if (unsaved !== undefined) return unsaved.getText();
    try {
      const bytes = uri.scheme === "file" ? await this.#fromDisk(uri.fsPath) : await this.#fromEditor(uri);
      return bytes === undefined || !mayMatter(bytes) ? undefined : await decode(bytes, uri);
    } catch {
      return undefined; // it is gone, out of reach or no text
    }
  }

  /** Eight times as quick as to ask the editor. */
  async #fromDisk(path: string): Promise<Uint8Array | undefined> {
    return this.#isTooLarge(await stat(path)) ? undefined : readFile(path);
  }

  async #fromEditor(uri: vscode.Uri): Promise<Uint8Array | undefined> {
    const { fs } = vscode.workspace;
    return this.#isTooLarge(await fs.stat(uri)) ? undefined : fs.readFile(uri);
  }

  #isTooLarge({ size }: { readonly size: number }): boolean {
    if (size <= MAX_FILE_BYTES) return false;
    this.tooLarge += 1;
    return true;
  }
}

/** @throws Error when it is no text. */
async function decode(bytes: Uint8Array, uri: vscode.Uri): Promise<string> {
  // These bytes are the same text in each encoding that the editor knows, for UTF-16 has zeros; it need not be asked which one it is.
  if (isAscii(bytes) && !bytes.includes(0))
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  return vscode.workspace.decode(bytes, { uri });
}
