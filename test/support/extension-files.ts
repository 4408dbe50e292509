import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A new AGENT_DIR whose extensions are these files, by name below `extensions/`. */
export function agentDirWith(extensions: Record<string, string>): { agentDir: string; remove(): void } {
  const agentDir = mkdtempSync(join(tmpdir(), "tiller-extensions-"));
  writeFiles(join(agentDir, "extensions"), extensions);
  return { agentDir, remove: () => rmSync(agentDir, { recursive: true, force: true }) };
}

/** Writes files, by their path below a folder. */
export function writeFiles(folder: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
