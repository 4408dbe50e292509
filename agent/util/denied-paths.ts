import { dirname, isAbsolute, sep } from "node:path";
import { pathGlob } from "./path-glob.ts";

/** Folders that globs of paths begin at. */
interface Bases {
  home: string;
  /** The folders of the workspace. */
  roots: readonly string[];
}

/**
 * Paths that globs forbid, with all that is in them. A glob without a slash is a name anywhere; one that begins with `/`, `~/` or a drive
 * is a path; any other is a path in each folder of the workspace. Cases make no difference: to some disks they make none either.
 */
export class DeniedPaths {
  readonly #tests: readonly ((path: string) => boolean)[];

  constructor(globs: readonly string[], { home, roots }: Bases) {
    this.#tests = globs.flatMap((given) => {
      const glob = given.trim();
      if (glob === "") return [];
      const plain = glob.replace(/\/(\*\*)?$/, ""); // a folder is denied with all that is in it
      if (plain === "~" || plain.startsWith("~/")) return [testOf(home, plain.slice(1))];
      if (isAbsolute(glob)) return [testOf("", plain)];
      if (!glob.includes("/")) return [testOf("", `**/${plain}`)];
      return roots.map((root) => testOf(root, `/${plain}`.replace(/^\/\.(?=\/|$)/, "")));
    });
  }

  /** True when no path is denied. */
  get isEmpty(): boolean {
    return this.#tests.length === 0;
  }

  /** True when a glob names an absolute path, or a folder that it is in. */
  has(path: string): boolean {
    for (let here = path; ; here = dirname(here)) {
      const shown = plainPath(here);
      if (this.#tests.some((test) => test(shown))) return true;
      if (dirname(here) === here) return false;
    }
  }
}

function testOf(base: string, below: string): (path: string) => boolean {
  return pathGlob(plainPath(base) + plainPath(below));
}

/** Returns a path with slashes and without the one at its end, which only the root of a disk has. */
function plainPath(path: string): string {
  return path.toLowerCase().split(sep).join("/").replace(/\/$/, "");
}
