import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";
import type { TranscriptItem } from "../../../webview/protocol/items.ts";

const SCHEME = "tiller-image";

interface ToolImage {
  readonly bytes: Uint8Array;
  readonly extension: string;
}

/** Opens and saves images of the conversation; the editor reads them from memory. */
export class ToolImages implements vscode.Disposable {
  readonly #itemOf: (id: string) => TranscriptItem | undefined;
  readonly #provider: vscode.Disposable;
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();

  constructor(itemOf: (id: string) => TranscriptItem | undefined) {
    this.#itemOf = itemOf;
    const read = (uri: vscode.Uri) => {
      const image = this.#read(uri.query);
      if (image === undefined) throw vscode.FileSystemError.FileNotFound(uri);
      return image.bytes;
    };
    const refuse = () => {
      throw vscode.FileSystemError.NoPermissions(t("Images in the chat are read-only."));
    };
    const files: vscode.FileSystemProvider = {
      onDidChangeFile: this.#changed.event,
      watch: () => new vscode.Disposable(() => {}),
      stat: (uri) => ({ type: vscode.FileType.File, ctime: 0, mtime: 0, size: read(uri).length }),
      readFile: read,
      readDirectory: () => [],
      createDirectory: refuse,
      writeFile: refuse,
      delete: refuse,
      rename: refuse,
    };
    this.#provider = vscode.workspace.registerFileSystemProvider(SCHEME, files, { isReadonly: true });
  }

  async open(id: string, index: number): Promise<void> {
    const query = JSON.stringify([id, index]);
    const image = this.#read(query);
    if (image === undefined) return;
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/image-${index + 1}.${image.extension}`, query });
    await vscode.commands.executeCommand("vscode.open", uri);
  }

  async save(id: string, index: number): Promise<void> {
    const image = this.#read(JSON.stringify([id, index]));
    if (image === undefined) return;
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    const name = `image-${index + 1}.${image.extension}`;
    const target = await vscode.window.showSaveDialog({
      ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder.uri, name) }),
      filters: { Image: [image.extension] },
    });
    if (target !== undefined) await vscode.workspace.fs.writeFile(target, image.bytes);
  }

  dispose(): void {
    this.#provider.dispose();
    this.#changed.dispose();
  }

  #read(query: string): ToolImage | undefined {
    const place: unknown = JSON.parse(query);
    if (!Array.isArray(place)) return undefined;
    const item = this.#itemOf(String(place[0]));
    const images = item?.kind === "tool" || item?.kind === "prompt" ? item.images : [];
    const [, type, data] = /^data:image\/([a-z]+);base64,(.*)$/s.exec(images[Number(place[1])]?.src ?? "") ?? [];
    if (type === undefined || data === undefined) return undefined;
    return { bytes: Buffer.from(data, "base64"), extension: type === "jpeg" ? "jpg" : type };
  }
}
