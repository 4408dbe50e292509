import type { AgentDisk } from "../../changes/agent-changes.ts";
import { type FileContent, readEntry, toContent, toText } from "../../changes/file-content.ts";
import { restoreEntries } from "../../changes/restore-entries.ts";
import type { EditorLink } from "./editor-link.ts";

/** Reads and restores files as the editor has them, or else on the disk, for the record of changes. */
export function diskThrough(link: EditorLink): AgentDisk {
  const read = async (path: string) => {
    const open = await link.openText(path);
    return open === undefined ? readEntry(path) : toContent(open.text);
  };
  return {
    isOpen: async (path) => (await link.openText(path)) !== undefined,
    read,
    restore: (entries) =>
      restoreEntries(entries, { read, writeOpen: (path, content) => writeOpen(link, path, content) }),
  };
}

/** Writes a text to a file that the editor holds. @returns false when it holds none, or the content is no text. */
async function writeOpen(link: EditorLink, path: string, content: FileContent): Promise<boolean> {
  const open = await link.openText(path);
  const text = open && toText(content);
  if (open === undefined || typeof text !== "string") return false;
  await link.replaceOpenText(path, text, open.version);
  return true;
}
