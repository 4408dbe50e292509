import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join, parse, relative, resolve, sep } from "node:path";
import { toSlashes } from "../../tools/paths.ts";

/** Where a path is: in the workspace, there but guarded, in the folder for temporary files, elsewhere, or a device that keeps nothing. */
export type PlaceKind = "inside" | "guarded" | "temporary" | "outside" | "device";

/** A path with what became of it. */
export interface Place {
  kind: PlaceKind;
  /** Absolute, without symbolic links; what does not exist yet is added to what does. */
  real: string;
}

/** Folders and files of a project that decide what runs or who may do what. */
const GUARDED_NAMES = new Set([".git", ".tiller", ".pi", ".claude", ".vscode", ".husky", ".mcp.json"]);
/** Files that shells run when they start, in any folder that may be a home. */
const STARTUP_FILES = new Set(
  ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc .login .inputrc config.fish".split(
    " ",
  ),
);
/** Folders that are not for work, also where the workspace is the whole disk. */
const SYSTEM =
  /^\/(etc|usr|bin|sbin|lib\w*|boot|dev|proc|sys|var|root|opt|run|srv|System|Library|Applications|private)(\/|$)/;
const SILENT_DEVICES = new Set(["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero"]);
const MAX_LINKS = 40;
const SEPARATORS = sep === "/" ? "/" : /[\\/]/;

const TEMPORARY = [tmpdir(), "/tmp", "/var/tmp"];

interface PlacesOptions {
  cwd: string;
  /** More folders that are worked in. */
  others?: readonly string[];
  agentDir: string;
  home?: string;
  /** Folders for files that nobody keeps. */
  temporary?: readonly string[];
}

/** The folders that paths are judged by. Absolute, without symbolic links. */
export class Places {
  /** The folder that relative paths begin at. */
  readonly workspace: string;
  readonly home: string;
  /** All folders that are worked in. */
  readonly #roots: readonly string[];
  readonly #guarded: readonly string[];
  readonly #temporary: readonly string[];

  constructor({ cwd, others = [], agentDir, home = homedir(), temporary = TEMPORARY }: PlacesOptions) {
    this.workspace = realPath(cwd);
    this.#roots = [this.workspace, ...others.map(realPath)];
    this.home = realPath(home);
    this.#guarded = [realPath(agentDir)];
    this.#temporary = [...new Set(temporary.map(realPath))];
  }

  /** Says where an absolute path is. */
  locate(path: string): Place {
    if (SILENT_DEVICES.has(path) || /^\/dev\/fd\/\d+$/.test(path)) return { kind: "device", real: path };
    return this.#placeOf(path, realPath(path));
  }

  /** The same for what stands at a path itself: the link, not what it leads to. */
  locateEntry(path: string): Place {
    return this.#placeOf(path, join(realPath(dirname(path)), basename(path)));
  }

  /** The folder that is worked in and that a path without symbolic links is in, if any; the one of relative paths first. */
  rootOf(real: string): string | undefined {
    return this.#roots.find((root) => isWithin(root, real));
  }

  /** Whether a path without symbolic links is in one of the folders that are worked in. */
  isWorkspace(real: string): boolean {
    return this.rootOf(real) !== undefined;
  }

  /** How people and rules write a place: relative in the folder that relative paths begin at, else absolute. */
  show({ real }: Place): string {
    if (!isWithin(this.workspace, real)) return toSlashes(real);
    return toSlashes(relative(this.workspace, real)) || ".";
  }

  /** Whether taking this folder away would take the workspace, the home folder, the agent's own, or what they are in. */
  isVital(real: string): boolean {
    return [...this.#roots, this.home, ...this.#guarded].some((folder) => isWithin(real, folder));
  }

  #placeOf(path: string, real: string): Place {
    if (this.#isGuarded(path) || this.#isGuarded(real)) return { kind: "guarded", real };
    const isSystem = SYSTEM.test(real) && !isWithin(this.home, real);
    const roots = this.#roots.filter((root) => isWithin(root, real));
    if (roots.some((root) => !isSystem || dirname(root) !== root)) return { kind: "inside", real };
    const isTemporary = this.#temporary.some((folder) => isWithin(folder, real) && folder !== real);
    return { kind: isTemporary ? "temporary" : "outside", real };
  }

  #isGuarded(path: string): boolean {
    if (this.#guarded.some((folder) => isWithin(folder, path))) return true;
    if (STARTUP_FILES.has(basename(path.toLowerCase()))) return true; // many disks do not tell cases apart
    return this.#roots.some((root) => isWithin(root, path) && this.#isGuardedIn(root, path));
  }

  #isGuardedIn(root: string, path: string): boolean {
    // A home folder as the workspace: its hidden files are settings of programs.
    if (isWithin(root, this.home) && path !== this.home && isWithin(this.home, path)) {
      if (/^(\.|library$)/i.test(relative(this.home, path).split(sep)[0] ?? "")) return true;
    }
    return relative(root, path).toLowerCase().split(sep).map(plainName).some(isGuardedName);
  }
}

function isGuardedName(name: string): boolean {
  return GUARDED_NAMES.has(name) || name.startsWith(".env") || name.endsWith(".code-workspace");
}

/** Some systems leave out characters at the end of a name, and those that cannot be seen. */
function plainName(name: string): string {
  return name.replace(/\p{Default_Ignorable_Code_Point}/gu, "").replace(/(:.*|[. ]+)$/s, "");
}

/** Whether a path is a folder or something in it. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/**
 * The real path of what may not exist yet: links are followed as far as there are any, also those that lead nowhere, and `..` leaves the
 * folder that a link led to.
 */
export function realPath(path: string): string {
  const { root } = parse(resolve(path));
  const waiting = (isAbsolute(path) ? path : `${process.cwd()}/${path}`).slice(root.length).split(SEPARATORS).reverse();
  let current = root;
  let links = 0;
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      current = dirname(current);
      continue;
    }
    const next = join(current, name);
    const target = links < MAX_LINKS ? linkTarget(next) : undefined;
    if (target === undefined) {
      current = next;
      continue;
    }
    links++;
    if (isAbsolute(target)) current = parse(target).root;
    waiting.push(
      ...target
        .slice(isAbsolute(target) ? current.length : 0)
        .split(SEPARATORS)
        .reverse(),
    );
  }
  return asOnDisk(current);
}

/** On disks that do not tell cases apart, the way the name is written there. */
function asOnDisk(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path; // it does not exist yet
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined; // nothing is there
  }
}
