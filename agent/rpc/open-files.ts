import { type EditFiles, localEditFiles } from "../tools/editable-file.ts";
import { lineWindowOf } from "../tools/line-window.ts";
import { resolveExistingPath } from "../tools/paths.ts";
import { type OpenFile, openLocalFile } from "../tools/readable-file.ts";
import { type SaveFile, saveLocalFile } from "../tools/write.ts";
import type { EditorLink } from "./editor-link.ts";

/** Opens a file as the editor has it, else from the disk. */
export function openThrough(link: EditorLink): OpenFile {
  return async (cwd, shownPath) => {
    const open = await link.openText(await resolveExistingPath(cwd, shownPath));
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
