import { existsSync } from "node:fs";
import { join } from "node:path";
import type { EditorRules } from "./editor-rules.ts";
import {
  type InstructionAccess,
  type InstructionFile,
  type InstructionKind,
  readInstructions,
} from "./instruction-file.ts";
import { readImports } from "./instruction-imports.ts";

interface NamedInstructions {
  name: string;
  kind: InstructionKind;
}

/** The files that are also read in a project that the user declined. They are text, and other programs read them too. */
const PLAIN: readonly NamedInstructions[] = [
  { name: "AGENTS.md", kind: "agents" },
  { name: "CLAUDE.md", kind: "claude" },
];
/** In a folder only the first counts that is there and not empty. */
const NAMED: readonly NamedInstructions[] = [{ name: "AGENTS.override.md", kind: "agents" }, ...PLAIN];

/** A folder that may hold instructions. */
interface InstructionFolder {
  folder: string;
  /** As for `readInstructions`. */
  root: string | undefined;
  access: InstructionAccess;
}

/** Reads the instructions of a folder without overrides and imports. */
export function readPlainInstructions(place: InstructionFolder): InstructionFile[] {
  return [readFirst(place, PLAIN) ?? []].flat();
}

/** Reads the instructions of a folder with what they import; the file that imports comes first. */
export function readFolderInstructions(place: InstructionFolder): InstructionFile[] {
  const file = readFirst(place, NAMED);
  if (file === undefined) return [];
  return file.kind === "claude" ? [file, ...readImports(file, place.root, place.access)] : [file];
}

/** Reads the rules of Copilot and Cursor in a folder. Costs next to nothing where there are none. */
export async function readRulesOf(folder: string, root: string, access: InstructionAccess): Promise<EditorRules> {
  const isThere =
    (access.kinds.copilot && existsSync(join(folder, ".github"))) ||
    (access.kinds.cursor && existsSync(join(folder, ".cursor")));
  if (!isThere) return { always: [], scoped: [], described: [] };
  const { readEditorRules } = await import("./editor-rules.ts");
  return readEditorRules({ folder, root, access });
}

function readFirst(
  { folder, root, access }: InstructionFolder,
  names: readonly NamedInstructions[],
): InstructionFile | undefined {
  for (const { name, kind } of names) {
    if (!access.kinds[kind]) continue;
    const path = join(folder, name);
    const text = readInstructions(path, root, access);
    if (text !== undefined) return { path, text, kind };
  }
  return undefined;
}
