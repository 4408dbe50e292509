import { join } from "node:path";
import type { EditorWindow } from "./editor-window.ts";

/** A generator of numbers from 0 to 1 that gives the same ones for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The initial text of a file. The agent replaces the lines with an `a`; the others stay. */
export const SHARED_LINES = Array.from({ length: 12 }, (_, index) => `${index % 2 === 0 ? "a" : "b"}${index} first`);

/** A file that a user and an agent change in turn, and how it would be without the agent. */
export class SharedFile {
  readonly name: string;
  readonly path: string;
  /** Its lines as the user alone would have them. */
  readonly #own = [...SHARED_LINES];
  readonly #opened: EditorWindow;
  isDirty = false;
  /** The user has said that the agent is to work on the unsaved text. */
  isLent = false;

  constructor(opened: EditorWindow, folder: string, name: string) {
    this.#opened = opened;
    this.name = name;
    this.path = join(folder, name);
  }

  /** The file as the user alone would have it. */
  get ownText(): string {
    return this.#own.map((line) => `${line}\n`).join("");
  }

  /** The user writes a line of theirs, at a place from 0 to 1. */
  async write(place: number, line: string): Promise<void> {
    const at = Math.floor(place * this.#own.length);
    this.#own.splice(at, 0, line);
    this.isDirty = true;
    await this.#opened.evaluate(
      async (vscode, wish) => {
        const document = await vscode.workspace.openTextDocument(vscode.Uri.file(wish?.path ?? ""));
        const edit = new vscode.WorkspaceEdit();
        edit.insert(document.uri, new vscode.Position(wish?.at ?? 0, 0), `${wish?.line}\n`);
        await vscode.workspace.applyEdit(edit);
      },
      { path: this.path, at, line },
    );
  }

  async save(): Promise<void> {
    this.isDirty = false;
    await this.#opened.evaluate(async (vscode, path) => {
      await (await vscode.workspace.openTextDocument(vscode.Uri.file(path ?? ""))).save();
    }, this.path);
  }

  /** Takes the first of the agent's changes back, if there is one. */
  async undoFirst(): Promise<void> {
    await this.#opened.evaluate(
      (vscode, path) => vscode.commands.executeCommand("tiller.undoChange", path, 0),
      this.path,
    );
  }

  async undoAll(): Promise<void> {
    await this.#opened.evaluate(
      (vscode, path) => vscode.commands.executeCommand("tiller.undoFileChanges", path),
      this.path,
    );
  }

  /** The lines in the editor, once that has what is on the disk, if nothing is unsaved. */
  async lines(): Promise<string[]> {
    const text = await this.#opened.evaluate(async (vscode, path) => {
      const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path ?? ""));
      const isCurrent = async () => {
        const bytes = await vscode.workspace.fs.readFile(document.uri);
        return document.isDirty || new TextDecoder().decode(bytes) === document.getText();
      };
      for (;;) {
        let subscription: { dispose(): void } | undefined;
        const changed = new Promise((resolve) => {
          subscription = vscode.workspace.onDidChangeTextDocument(resolve);
        });
        try {
          if (await isCurrent()) break;
          await changed;
        } finally {
          subscription?.dispose();
        }
      }
      return document.getText();
    }, this.path);
    return String(text).split("\n").slice(0, -1);
  }
}
