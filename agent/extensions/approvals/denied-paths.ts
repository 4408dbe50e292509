import { dirname, isAbsolute } from "node:path";
import picomatch from "picomatch";
import { toSlashes } from "../../tools/paths.ts";

/** What globs of paths begin at. */
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
  readonly #matches: ((path: string) => boolean) | undefined;

  constructor(globs: readonly string[], { home, roots }: Bases) {
    const whole = globs.flatMap((glob) => {
      const plain = glob.trim().replace(/\/$/, "");
      if (plain === "") return [];
      if (plain.startsWith("~/")) return [`${escaped(home)}/${plain.slice(2)}`];
      if (isAbsolute(plain)) return [plain];
      if (!plain.includes("/")) return [`/**/${plain}`];
      return roots.map((root) => `${escaped(root)}/${plain.replace(/^\.\//, "")}`);
    });
    if (whole.length > 0) this.#matches = picomatch(whole, { dot: true, nocase: true, nonegate: true, windows: false });
  }

  /** True when a glob names an absolute path, or a folder that it is in. */
  has(path: string): boolean {
    if (this.#matches === undefined) return false;
    for (let here = path; ; here = dirname(here)) {
      if (this.#matches(toSlashes(here))) return true;
      if (dirname(here) === here) return false;
    }
  }
}

function escaped(folder: string): string {
  return toSlashes(folder).replace(/[\\*?[\]{}()!+@|^$]/g, "\\$&");
}
