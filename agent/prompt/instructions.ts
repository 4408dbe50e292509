import { dirname, isAbsolute, join, relative, sep } from "node:path";
import type { DescribedRule, EditorRules, ScopedInstructions } from "./editor-rules.ts";
import { readFolderInstructions, readPlainInstructions, readRulesOf } from "./folder-instructions.ts";
import { type InstructionAccess, type InstructionFile, type InstructionKind, realPathOf } from "./instruction-file.ts";
import { repositoryFolders } from "./project-files.ts";

/** Which instructions are read: those in the format of a program, and those of folders that the agent comes to. */
export type InstructionChoice = Readonly<Record<InstructionKind | "nested", boolean>>;

/** The places and rights of a session. */
export interface InstructionOptions extends Omit<InstructionAccess, "kinds"> {
  agentDir: string;
  cwd: string;
  /** Folders that count as the workspace beside the working directory. */
  otherFolders: readonly string[];
  choice: InstructionChoice;
  /** True if the user said no to the project: then only its plain files are read, at and above the working directory. */
  isProjectDeclined: boolean;
}

/** The instructions for the model: those for the system prompt, and those that apply once the agent comes to a file. */
export interface Instructions {
  /** The user's own, then those of every folder from the root down to the working directory, so that the nearest comes last. */
  readonly always: readonly InstructionFile[];
  /** Those that apply to some files of the project. */
  readonly scoped: readonly ScopedInstructions[];
  /** Those that the model reads if a task needs them. */
  readonly described: readonly DescribedRule[];
  /** Returns those that apply to a file or folder beside `always`, the nearest last. */
  forPath(path: string, isFolder: boolean): Promise<InstructionFile[]>;
}

/** No instructions. */
export const NO_INSTRUCTIONS: Instructions = { always: [], scoped: [], described: [], forPath: async () => [] };

/** The instructions of the working directory that all together are longer than this, in UTF-16 units, are left out from the end. */
const MAX_RULES_LENGTH = 200_000;
const MAX_DESCRIBED = 100;

/** Code of others, whose instructions are not the project's. */
const FOREIGN_FOLDERS: ReadonlySet<string> = new Set(["node_modules", ".git"]);

/**
 * Finds the instructions of a session. A link has to stay in its repository, or outside of a repository in its folder; only the user's own, in
 * their home and the agent's folder, may lead anywhere.
 */
export async function findInstructions(options: InstructionOptions): Promise<Instructions> {
  const access: InstructionAccess = { ...options, kinds: options.choice };
  const repository = repositoryFolders(options.cwd);
  const root = repository.at(-1) ?? options.cwd;
  const rules = options.isProjectDeclined ? [] : await rulesOf(repository, root, access);
  const always = atStart(options, access, repository);
  return {
    always: withoutRepetition([...always, ...cutRules(rules.flatMap((rule) => rule.always))]),
    scoped: rules.flatMap((rule) => rule.scoped),
    described: rules.flatMap((rule) => rule.described).slice(0, MAX_DESCRIBED),
    forPath: options.isProjectDeclined
      ? NO_INSTRUCTIONS.forPath
      : createSearch({
          access,
          roots: [root, ...options.otherFolders],
          known: new Set([...ancestors(options.cwd), options.agentDir]),
          scoped: rules.flatMap((rule) => rule.scoped),
          isNested: options.choice.nested,
        }),
  };
}

function atStart(
  { agentDir, cwd, home, isProjectDeclined }: InstructionOptions,
  access: InstructionAccess,
  repository: readonly string[],
): InstructionFile[] {
  const own = [agentDir, home];
  const folders = ancestors(cwd).reverse();
  return [agentDir, ...folders.filter((folder) => folder !== agentDir)].flatMap((folder) => {
    const isOwn = own.includes(folder);
    const root = isOwn ? undefined : repository.includes(folder) ? repository.at(-1) : folder;
    const place = { folder, root, access };
    return isProjectDeclined && !isOwn ? readPlainInstructions(place) : readFolderInstructions(place);
  });
}

async function rulesOf(repository: readonly string[], root: string, access: InstructionAccess): Promise<EditorRules[]> {
  const all: EditorRules[] = [];
  for (const folder of [...repository].reverse()) all.push(await readRulesOf(folder, root, access));
  return all;
}

interface SearchOptions {
  access: InstructionAccess;
  roots: readonly string[];
  /** Folders whose instructions are in the system prompt. */
  known: ReadonlySet<string>;
  scoped: readonly ScopedInstructions[];
  isNested: boolean;
}

/** Searches the folders on the way to a path; each is read once. */
function createSearch({ access, roots, known, scoped, isNested }: SearchOptions): Instructions["forPath"] {
  const read = new Map<string, Promise<EditorRules>>();
  const readFolder = async (folder: string, root: string): Promise<EditorRules> => {
    const rules = await readRulesOf(folder, root, access);
    return { ...rules, always: [...readFolderInstructions({ folder, root, access }), ...rules.always] };
  };
  return async (path, isFolder) => {
    const root = roots.find((folder) => isWithin(folder, path));
    if (root === undefined || isForeign(root, path)) return [];
    const found: InstructionFile[] = [];
    const add = ({ always, scoped: nested }: Pick<EditorRules, "always" | "scoped">) => {
      found.push(...always);
      if (!isFolder) found.push(...nested.filter(({ isFor }) => isFor(path)).map(({ file }) => file));
    };
    add({ always: [], scoped: [...scoped] });
    if (!isNested) return found;
    for (const folder of foldersTo(isFolder ? path : dirname(path), root)) {
      if (known.has(folder)) continue;
      const reading = read.get(folder) ?? readFolder(folder, root);
      read.set(folder, reading);
      add(await reading);
    }
    return found;
  };
}

/** Leaves out what comes after too much. */
function cutRules(files: readonly InstructionFile[]): InstructionFile[] {
  let length = 0;
  return files.filter(({ text }) => {
    length += text.length;
    return length <= MAX_RULES_LENGTH;
  });
}

/** Leaves out a file that is there by another path, or with the same text: projects keep copies for several programs. */
function withoutRepetition(files: readonly InstructionFile[]): InstructionFile[] {
  const seen = new Set<string>();
  return files.filter(({ path, text }) => {
    const marks = [`path ${realPathOf(path)}`, `text ${text.trim()}`];
    const isNew = marks.every((mark) => !seen.has(mark));
    for (const mark of marks) seen.add(mark);
    return isNew;
  });
}

function ancestors(folder: string): string[] {
  const all = [folder];
  for (let parent = dirname(folder); parent !== all.at(-1); parent = dirname(parent)) all.push(parent);
  return all;
}

/** Returns the folders from `root` down to `folder`. */
function foldersTo(folder: string, root: string): string[] {
  const names = relative(root, folder).split(sep).filter(Boolean);
  return [root, ...names.map((_, index) => join(root, ...names.slice(0, index + 1)))];
}

function isForeign(root: string, path: string): boolean {
  return relative(root, path)
    .split(sep)
    .some((name) => FOREIGN_FOLDERS.has(name));
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
