import { type EditFiles, localEditFiles } from "../../tools/editable-file.ts";
import { lineWindowOf } from "../../tools/line-window.ts";
import { type OpenFile, openLocalFile, type ReadableFile } from "../../tools/readable-file.ts";
import { stampOfText } from "../../tools/seen-files.ts";
import { type SaveFile, saveLocalFile } from "../../tools/write.ts";
import { resolveExistingPath } from "../../util/existing-path.ts";
import { looksLikeAddress } from "../../util/paths.ts";
import type { EditorAddresses } from "./editor-addresses.ts";
import type { EditorLink, OpenDocument } from "./editor-link.ts";

/** Opens a file from the editor, or else from the disk; opens a document without a file by its address. */
export function openThrough(link: EditorLink, addresses: EditorAddresses): OpenFile {
  return async (cwd, shownPath) => {
    const address = await addresses.find(cwd, shownPath);
    if (address !== undefined) {
      const text = await addresses.read(address);
      return { ...readable(address, text), shown: (lines) => addresses.shown(address, text, lines) };
    }
    const path = await resolveExistingPath(cwd, shownPath);
    const open = await link.openText(path);
    return open === undefined ? openLocalFile(cwd, shownPath) : readable(path, open.text);
  };
}

function readable(path: string, text: string): ReadableFile {
  const bytes = Buffer.from(text);
  return {
    path,
    stamp: stampOfText(text),
    sizeBytes: bytes.length,
    kind: { kind: "text" },
    readAll: async () => bytes,
    readLines: async (options) => lineWindowOf(bytes, options),
  };
}

/**
 * Edits a file in the editor if the editor offers it, or else on the disk. Edits a document without a file in the
 * editor.
 */
export function editThrough(link: EditorLink, addresses: EditorAddresses): EditFiles {
  /** Texts of the editor that were read and not written yet. */
  const loaded = new Map<string, OpenDocument>();
  return {
    locate: async (cwd, shownPath) =>
      (await addresses.find(cwd, shownPath)) ?? (await localEditFiles.locate(cwd, shownPath)),
    addressOf: (cwd, shownPath) => addresses.find(cwd, shownPath),
    async load(path, shownPath) {
      const open = await (looksLikeAddress(path) ? addresses.load(path) : link.openText(path));
      if (open === undefined) {
        loaded.delete(path);
        return localEditFiles.load(path, shownPath);
      }
      loaded.set(path, open);
      // The editor compares versions when it is written.
      return { text: open.text, stamp: stampOfText(open.text), isUnchanged: async () => true };
    },
    async save(path, content, shownPath) {
      const open = loaded.get(path);
      loaded.delete(path);
      if (open === undefined) return localEditFiles.save(path, content, shownPath);
      if (looksLikeAddress(path)) return addresses.replace(path, open, content);
      return link.replaceOpenText(path, content, open.version);
    },
  };
}

/**
 * Writes a file in the editor if the editor offers it, or else on the disk. Writes a document without a file in the
 * editor.
 */
export function saveThrough(link: EditorLink, addresses: EditorAddresses): SaveFile {
  return async (path, content, shownPath) => {
    if (looksLikeAddress(path)) return addresses.write(path, content);
    const open = await link.openText(path);
    if (open === undefined) return saveLocalFile(path, content, shownPath);
    return link.replaceOpenText(path, content, open.version);
  };
}
