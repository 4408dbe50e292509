import { readdirSync } from "node:fs";
import { basename, join, relative } from "node:path";
import * as z from "zod";
import { toSlashes } from "../util/paths.ts";
import { readHeader, splitFrontMatter } from "./front-matter.ts";
import {
  type InstructionAccess,
  type InstructionFile,
  type InstructionKind,
  readInstructions,
} from "./instruction-file.ts";
import { anyGlob, splitGlobs } from "./instruction-globs.ts";
import { HeaderText } from "./resources.ts";

/** Instructions that apply to some files. */
export interface ScopedInstructions {
  file: InstructionFile;
  /** True for the absolute path of a file that they apply to. */
  isFor(path: string): boolean;
}

/** Instructions that the model reads when their description fits. */
export interface DescribedRule {
  path: string;
  description: string;
}

/** The instructions of a folder in the formats of Copilot and Cursor. */
export interface EditorRules {
  always: InstructionFile[];
  scoped: ScopedInstructions[];
  described: DescribedRule[];
}

const MAX_FILES = 100;
const MAX_DEPTH = 5;
const MAX_DESCRIPTION_LENGTH = 500;

const Globs = z.lazy(() =>
  z
    .union([z.string(), z.array(z.string())])
    .transform((value) => [value].flat().flatMap(splitGlobs))
    .catch([]),
);

const CopilotHeader = z.lazy(() => z.object({ applyTo: Globs }));
const CursorHeader = z.lazy(() =>
  z.object({
    description: HeaderText,
    globs: Globs,
    // A header that is not YAML is read line by line, as texts.
    alwaysApply: z.union([z.boolean(), z.literal("true").transform(() => true)]).catch(false),
  }),
);

/** Where the instructions of a folder are. */
interface RuleFolder {
  folder: string;
  /** As for `readInstructions`. */
  root: string;
  access: InstructionAccess;
}

/**
 * Reads `.github/copilot-instructions.md`, `.github/instructions/` and `.cursor/rules/` of a folder, as GitHub
 * (https://docs.github.com/copilot/how-tos/configure-custom-instructions) and Cursor (https://cursor.com/docs/context/rules) describe them.
 */
export async function readEditorRules(place: RuleFolder): Promise<EditorRules> {
  const rules: EditorRules = { always: [], scoped: [], described: [] };
  const { copilot, cursor } = place.access.kinds;
  if (copilot) await readCopilot(place, rules);
  if (cursor) await readCursor(place, rules);
  return rules;
}

async function readCopilot(place: RuleFolder, rules: EditorRules): Promise<void> {
  const path = join(place.folder, ".github/copilot-instructions.md");
  const text = readInstructions(path, place.root, place.access);
  if (text !== undefined) rules.always.push({ path, text, kind: "copilot" });
  for (const rule of await readRules(place, ".github/instructions", ".instructions.md")) {
    const { applyTo } = CopilotHeader.safeParse(rule.fields).data ?? { applyTo: [] };
    if (applyTo.length > 0) rules.scoped.push(scoped(place.folder, rule, "copilot", applyTo));
  }
}

async function readCursor(place: RuleFolder, rules: EditorRules): Promise<void> {
  for (const rule of await readRules(place, ".cursor/rules", ".mdc")) {
    const header = CursorHeader.safeParse(rule.fields).data;
    if (header === undefined) continue;
    const { alwaysApply, globs, description } = header;
    if (alwaysApply) rules.always.push({ path: rule.path, text: rule.text, kind: "cursor" });
    else if (globs.length > 0) rules.scoped.push(scoped(place.folder, rule, "cursor", globs));
    else if (description !== "")
      rules.described.push({ path: rule.path, description: description.slice(0, MAX_DESCRIPTION_LENGTH) });
  }
}

function scoped(
  folder: string,
  { path, text }: Rule,
  kind: InstructionKind,
  globs: readonly string[],
): ScopedInstructions {
  const matches = anyGlob(globs);
  return {
    file: { path, text, kind, globs },
    isFor(file) {
      const way = toSlashes(relative(folder, file));
      return way !== "" && !way.startsWith("../") && matches(way);
    },
  };
}

interface Rule {
  path: string;
  text: string;
  fields: unknown;
}

async function readRules({ folder, root, access }: RuleFolder, place: string, ending: string): Promise<Rule[]> {
  const rules: Rule[] = [];
  for (const path of findFiles(join(folder, place), ending)) {
    const whole = readInstructions(path, root, access);
    if (whole === undefined) continue;
    const { header, body } = splitFrontMatter(whole);
    const { fields } = await readHeader(header); // globs that begin with a star are no YAML, and usual
    if (body !== "") rules.push({ path, text: body, fields });
  }
  return rules;
}

/** Returns the files with an ending in a folder and those below it, by name. Links to folders are not followed. */
function findFiles(folder: string, ending: string): string[] {
  const found: string[] = [];
  const look = (place: string, depth: number): void => {
    for (const entry of entriesOf(place)) {
      if (found.length === MAX_FILES) return;
      const path = join(place, entry.name);
      if (entry.isDirectory() && depth < MAX_DEPTH) look(path, depth + 1);
      else if (!entry.isDirectory() && basename(path).endsWith(ending)) found.push(path);
    }
  };
  look(folder, 1);
  return found;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return []; // it is not there, or not to be read
  }
}
