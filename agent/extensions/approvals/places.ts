import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { toSlashes } from "../../tools/paths.ts";

/** Where a path is: in the workspace, there but guarded, in the folder for temporary files, elsewhere, or a device that keeps nothing. */
export type PlaceKind = "inside" | "guarded" | "temporary" | "outside" | "device";

/** A path with what became of it. */
export interface Place {
  kind: PlaceKind;
  /** Absolute, without symbolic links; what does not exist yet is added to what does. */
  real: string;
}

/** Folders that decide what runs or who may do what. */
const GUARDED_FOLDERS = new Set([".git", ".tiller", ".pi", ".claude", ".vscode"]);
/** Files that shells run when they start, in any folder that may be a home. */
const STARTUP_FILES = new Set(
  ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc .login .inputrc config.fish".split(
    " ",
  ),
);
const SILENT_DEVICES = new Set(["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero"]);
const MAX_LINKS = 40;

/** The folders that paths are judged by. Absolute, without symbolic links. */
export class Places {
  readonly workspace: string;
  readonly home: string;
  readonly #guarded: readonly string[];
  readonly #temporary: readonly string[];

  constructor({ cwd, agentDir, home = homedir() }: { cwd: string; agentDir: string; home?: string }) {
    this.workspace = realPath(cwd);
    this.home = realPath(home);
    this.#guarded = [realPath(agentDir)];
    this.#temporary = [...new Set([tmpdir(), "/tmp", "/var/tmp"].map(realPath))];
  }

  /** Says where an absolute path is. */
  locate(path: string): Place {
    if (SILENT_DEVICES.has(path) || /^\/dev\/fd\/\d+$/.test(path)) return { kind: "device", real: path };
    const real = realPath(path);
    if (this.#isGuarded(path) || this.#isGuarded(real)) return { kind: "guarded", real };
    if (isWithin(this.workspace, real)) return { kind: "inside", real };
    const isTemporary = this.#temporary.some((folder) => isWithin(folder, real) && folder !== real);
    return { kind: isTemporary ? "temporary" : "outside", real };
  }

  /** How people read a place: relative in the workspace, else absolute. */
  show({ real }: Place): string {
    if (!isWithin(this.workspace, real)) return real;
    return toSlashes(relative(this.workspace, real)) || ".";
  }

  /** Whether taking this folder away would take the workspace, the home folder, or what they are in. */
  isVital(real: string): boolean {
    return isWithin(real, this.workspace) || isWithin(real, this.home);
  }

  #isGuarded(path: string): boolean {
    if (this.#guarded.some((folder) => isWithin(folder, path))) return true;
    const lower = path.toLowerCase(); // many disks do not tell cases apart
    const inWorkspace = isWithin(this.workspace, path) ? relative(this.workspace, path).toLowerCase() : undefined;
    if (STARTUP_FILES.has(basename(lower))) return true;
    if (inWorkspace === undefined) return false;
    return inWorkspace.split(sep).some((name) => GUARDED_FOLDERS.has(name) || name.startsWith(".env"));
  }
}

/** Whether a path is a folder or something in it. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** The real path of what may not exist yet: links are followed as far as there are any, also those that lead nowhere. */
export function realPath(path: string, links = 0): string {
  const absolute = resolve(path);
  try {
    return realpathSync.native(absolute);
  } catch {
    const folder = dirname(absolute);
    if (folder === absolute || links > MAX_LINKS) return absolute;
    const target = linkTarget(absolute);
    if (target !== undefined) return realPath(resolve(realPath(folder, links + 1), target), links + 1);
    return join(realPath(folder, links), basename(absolute));
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined; // nothing is there
  }
}
