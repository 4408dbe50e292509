import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join, parse, relative, resolve, sep } from "node:path";
import type { LeftOut } from "../../tools/tool.ts";
import { DeniedPaths } from "../../util/denied-paths.ts";
import { toSlashes } from "../../util/paths.ts";
import { looksSecret } from "../../util/secret-files.ts";
import { isNeverChanged, runsLater } from "./guarded-names.ts";
import { WARNINGS } from "./warnings.ts";

/** The place of a path: in the workspace, protected, in the directory for temporary files, elsewhere, or a device that stores nothing. */
export type PlaceKind = "inside" | "guarded" | "temporary" | "outside" | "device";

/** A resolved path. */
export interface Place {
  kind: PlaceKind;
  /** Absolute, without symbolic links; parts that don't exist yet are appended unchanged. */
  real: string;
  /** True when other tools run or obey the file by themselves; only in the workspace. */
  runsLater?: boolean;
}

/** Files that shells run when they start, in any folder that may be a home. */
const STARTUP_FILES = new Set(
  ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc .login .inputrc config.fish".split(
    " ",
  ),
);
/** System folders, which don't belong to the workspace even if it is the whole disk. */
const SYSTEM =
  /^[a-z]:\\(windows|program files( \(x86\))?|programdata|users|\$recycle\.bin|system volume information)(\\|$)|^\/(etc|usr|bin|sbin|lib\w*|boot|dev|proc|sys|var|root|opt|run|srv|System|Library|Applications|private)(\/|$)/i;
/** Devices that discard their input. A terminal is not one of them: a person reads it. */
const SILENT_DEVICES = new Set(["/dev/null", "/dev/zero", "/dev/full"]);
/** Paths that mean something else for each process that opens them. */
const OF_A_PROCESS = /^\/(dev\/(stdin|stdout|stderr|fd)|proc\/(self|thread-self|\d+))$/;
/** The start of a reason that no answer can override. */
export const FORBIDS_READING = "a rule forbids reading it";
const MAX_LINKS = 40;
const SEPARATORS = sep === "/" ? "/" : /[\\/]/;

/** On Windows, `/tmp` would be a folder of whichever drive. */
const TEMPORARY = sep === "/" ? [tmpdir(), "/tmp", "/var/tmp"] : [tmpdir()];

interface PlacesOptions {
  cwd: string;
  /** More folders of the workspace. */
  others?: readonly string[];
  agentDir: string;
  home?: string;
  /** Folders for temporary files. */
  temporary?: readonly string[];
  /** Globs of files that may never be read. */
  denyRead?: readonly string[];
  /** Files and folders, absolute, that the model was told to read, wherever they are. */
  advertised?(): readonly string[];
}

/** The folders that decide where a path is. All are absolute, without symbolic links. */
export class Places {
  /** The base of relative paths. */
  readonly workspace: string;
  readonly home: string;
  /** All folders of the workspace. */
  readonly roots: readonly string[];
  readonly #guarded: readonly string[];
  readonly #temporary: readonly string[];
  readonly #denied: DeniedPaths;
  readonly #advertised: () => readonly string[];

  constructor(options: PlacesOptions) {
    const { cwd, others = [], agentDir, home = homedir(), temporary = TEMPORARY, denyRead = [] } = options;
    this.workspace = realPath(cwd);
    this.roots = [this.workspace, ...others.map(realPath)];
    this.home = realPath(home);
    this.#guarded = [realPath(agentDir)];
    this.#temporary = [...new Set(temporary.map(realPath))];
    this.#denied = new DeniedPaths(denyRead, { home: this.home, roots: this.roots });
    this.#advertised = options.advertised ?? (() => []);
  }

  /** Returns the place of an absolute path. */
  locate(path: string): Place {
    if (SILENT_DEVICES.has(path)) return { kind: "device", real: path };
    return this.#placeOf(path, realPath(path));
  }

  /** Returns the place of the entry at a path: the link itself, not its target. */
  locateEntry(path: string): Place {
    return this.#placeOf(path, join(realPath(dirname(path)), basename(path)));
  }

  /**
   * Returns the workspace folder that contains a path without symbolic links, if any; prefers the base of relative
   * paths.
   */
  rootOf(real: string): string | undefined {
    return this.roots.find((root) => isWithin(root, real));
  }

  /** True when a path without symbolic links is in the workspace. */
  isWorkspace(real: string): boolean {
    return this.rootOf(real) !== undefined;
  }

  /** Returns a path as people and rules write it: relative within the working directory, otherwise absolute. */
  show({ real }: Place): string {
    if (!isWithin(this.workspace, real)) return toSlashes(real);
    return toSlashes(relative(this.workspace, real)) || ".";
  }

  /** True when the workspace, the home folder or the agent's own folder is this folder or in it. */
  isVital(real: string): boolean {
    return [...this.roots, this.home, ...this.#guarded].some((folder) => isWithin(real, folder));
  }

  /**
   * Returns why reading an absolute path needs a question.
   * @returns undefined when it needs none.
   */
  judgeReading(path: string): string | undefined {
    const place = this.locate(path);
    if (!this.readable(path)) return `${FORBIDS_READING}: ${this.show(place)}`;
    if (place.kind === "device") return undefined;
    const reason = this.#whyAsk(path, place.real);
    return reason === undefined || this.#isAdvertised(place.real) ? undefined : `${reason}: ${this.show(place)}`;
  }

  /** True if no rule forbids reading an absolute path. These rules apply in every mode, without a question. */
  readable(path: string): boolean {
    return this.#denied.isEmpty || (!this.#denied.has(path) && !this.#denied.has(realPath(path)));
  }

  /**
   * Returns the files that a search of a folder leaves out. @param areSecretsFree true when files that may hold secrets
   * are searched too.
   */
  leftOutOf(folder: string, areSecretsFree: boolean): LeftOut {
    const name = basename(folder); // it may be one in which everything is secret
    return (path) => (!areSecretsFree && looksSecret(`${name}/${path}`)) || !this.readable(join(folder, path));
  }

  #whyAsk(path: string, real: string): string | undefined {
    const isOwn = this.#guarded.some((folder) => isWithin(folder, real));
    const base = this.#rootOfWork(real) ?? this.#temporary.find((folder) => isWithin(folder, real));
    if (base === undefined || isOwn) return "reads outside the workspace";
    const below = isWithin(base, path) ? relative(base, path) : basename(path);
    return [relative(base, real), below].some(looksSecret) ? WARNINGS.secretFile : undefined;
  }

  #isAdvertised(real: string): boolean {
    return this.#advertised().some((path) => {
      const folder = realPath(path);
      return (
        real === folder || (isWithin(folder, real) && !this.isVital(folder) && !looksSecret(relative(folder, real)))
      );
    });
  }

  #placeOf(path: string, real: string): Place {
    if (this.#isGuarded(path) || this.#isGuarded(real)) return { kind: "guarded", real };
    const root = this.#rootOfWork(real);
    if (root !== undefined) {
      const names = isWithin(root, path) ? [real, path] : [real];
      return { kind: "inside", real, runsLater: names.some((name) => runsLater(relative(root, name))) };
    }
    const isTemporary = this.#temporary.some((folder) => isWithin(folder, real) && folder !== real);
    return { kind: isTemporary ? "temporary" : "outside", real };
  }

  /**
   * Returns the workspace folder that a path belongs to, unless the folder is the whole disk and the path is in a
   * system folder.
   */
  #rootOfWork(real: string): string | undefined {
    const isSystem = SYSTEM.test(real) && !isWithin(this.home, real);
    return this.roots.find((root) => isWithin(root, real) && (!isSystem || dirname(root) !== root));
  }

  #isGuarded(path: string): boolean {
    if (this.#guarded.some((folder) => isWithin(folder, path))) return true;
    if (STARTUP_FILES.has(basename(path.toLowerCase()))) return true; // many disks do not tell cases apart
    return this.roots.some((root) => isWithin(root, path) && this.#isGuardedIn(root, path));
  }

  #isGuardedIn(root: string, path: string): boolean {
    // A home folder as the workspace: its hidden files are settings of programs.
    if (isWithin(root, this.home) && path !== this.home && isWithin(this.home, path)) {
      if (/^(\.|library$)/i.test(relative(this.home, path).split(sep)[0] ?? "")) return true;
    }
    return isNeverChanged(relative(root, path));
  }
}

/** True when a path is the folder or in it. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/**
 * Returns the real path of a file that may not exist yet. Follows all links, even those without a target; `..` leaves
 * the folder that a link led to. Doesn't follow paths that depend on the process that opens them, such as `/dev/fd/3`.
 */
export function realPath(path: string): string {
  const { root, names: waiting } = fromRoot(isAbsolute(path) ? path : `${process.cwd()}/${path}`);
  let current = root;
  let links = 0;
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      current = dirname(current);
      continue;
    }
    const next = join(current, name);
    if (OF_A_PROCESS.test(next)) return join(next, ...waiting.reverse().filter((rest) => rest !== ".."));
    const target = links < MAX_LINKS ? linkTarget(next) : undefined;
    if (target === undefined) {
      current = next;
      continue;
    }
    links++;
    if (isAbsolute(target)) {
      const absolute = fromRoot(target);
      current = absolute.root;
      waiting.push(...absolute.names);
    } else waiting.push(...target.split(SEPARATORS).reverse());
  }
  return asOnDisk(current);
}

/** Returns the root of an absolute path, and the names behind it, the last one first. A path without a drive is on the current one. */
function fromRoot(path: string): { root: string; names: string[] } {
  const names = path.slice(parse(path).root.length).split(SEPARATORS).reverse();
  return { root: parse(resolve(path)).root, names };
}

/** Returns the name as the disk spells it, on disks that ignore case. */
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
