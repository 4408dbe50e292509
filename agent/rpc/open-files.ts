import { existsSync } from "node:fs";
import { type EditFiles, localEditFiles } from "../tools/editable-file.ts";
import { lineWindowOf } from "../tools/line-window.ts";
import { resolveExistingPath } from "../tools/paths.ts";
import { type OpenFile, openLocalFile } from "../tools/readable-file.ts";
import { type SaveFile, saveLocalFile } from "../tools/write.ts";
import type { EditorLink } from "./editor-link.ts";

/** What only an editor opens, such as `untitled:Untitled-1`. A drive has one letter. */
const EDITOR_URI = /^(?!file:|https?:)[a-z][a-z0-9+.-]+:[^\s]/i;

/** Opens a file as the editor has it, else from the disk; also what has no file, by its URI. */
export function openThrough(link: EditorLink): OpenFile {
  return async (cwd, shownPath) => {
    const path = await resolveExistingPath(cwd, shownPath);
    const isUri = EDITOR_URI.test(shownPath) && !existsSync(path);
    const open = await (isUri ? link.openUri(shownPath) : link.openText(path));
    if (open === undefined) return openLocalFile(cwd, shownPath);
    const bytes = Buffer.from(open.text);
    return {
      sizeBytes: bytes.length,
      kind: { kind: "text" },
      readAll: async () => bytes,
      readLines: async (options) => lineWindowOf(bytes, options),
    };
  };
}

/** Edits a file where it is: in the editor when that wants so, else on the disk. */
export function editThrough(link: EditorLink): EditFiles {
  /** Versions of the texts that were read and not written yet. */
  const versions = new Map<string, number>();
  return {
    locate: localEditFiles.locate,
    async load(path, shownPath) {
      const open = await link.openText(path);
      if (open === undefined) {
        versions.delete(path);
        return localEditFiles.load(path, shownPath);
      }
      versions.set(path, open.version);
      return { text: open.text, isUnchanged: async () => true }; // the editor compares versions when it is written
    },
    async save(path, content, shownPath) {
      const version = versions.get(path);
      versions.delete(path);
      if (version === undefined) return localEditFiles.save(path, content, shownPath);
      return link.replaceOpenText(path, content, version);
    },
  };
}

/** Writes a file where it is: in the editor when that wants so, else on the disk. */
export function saveThrough(link: EditorLink): SaveFile {
  return async (path, content, shownPath) => {
    const open = await link.openText(path);
    if (open === undefined) return saveLocalFile(path, content, shownPath);
    return link.replaceOpenText(path, content, open.version);
  };
}
