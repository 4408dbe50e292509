import type { Extension, ExtensionFunction } from "./registrations.ts";

/**
 * Selects handlers: of bundled extensions, of installed ones, or of both, with bundled ones last. Bundled extensions that may change calls
 * count as the last of the installed ones.
 */
export type HandlersOf = "bundled" | "installed" | "all";

/** The extensions of the process, in the order in which they are asked. */
export class ExtensionList {
  #installed: Extension[] = [];
  /** The extensions that will replace the installed ones. */
  #coming: Extension[] | undefined;
  readonly #bundled: Extension[] = [];
  /** Bundled extensions that may change calls. */
  readonly #changing: Extension[] = [];
  readonly #paths = new Set<string>();

  /** Of everything that was ever installed: code of an earlier extension may fail late. */
  get paths(): readonly string[] {
    return [...this.#paths];
  }

  /** True if nothing is installed. */
  get isEmpty(): boolean {
    return this.#installed.length === 0;
  }

  /** @param changesCalls true for a bundled extension that is asked before calls are judged. */
  add(extension: Extension, changesCalls = false): void {
    if (extension.scope === "bundled") (changesCalls ? this.#changing : this.#bundled).push(extension);
    else (this.#coming ?? this.#installed).push(extension);
  }

  /** Sorts the added extensions in the order of these paths. */
  arrange(paths: readonly string[]): void {
    const places = new Map(paths.map((path, place) => [path, place]));
    const placeOf = ({ path }: Extension) => places.get(path) ?? paths.length;
    (this.#coming ?? this.#installed).sort((one, other) => placeOf(one) - placeOf(other));
  }

  /** Records the path of an extension that is about to load. */
  expect(path: string): void {
    this.#paths.add(path);
  }

  of(whose: HandlersOf = "all"): readonly Extension[] {
    if (whose === "bundled") return this.#bundled;
    const installed = this.#changing.length === 0 ? this.#installed : [...this.#installed, ...this.#changing];
    if (whose === "installed" || this.#bundled.length === 0) return installed;
    return [...installed, ...this.#bundled];
  }

  handlers(event: string, whose?: HandlersOf): { extension: Extension; handler: ExtensionFunction }[] {
    return this.of(whose).flatMap((extension) =>
      (extension.handlers.get(event) ?? []).map((handler) => ({ extension, handler })),
    );
  }

  /** True if the extension is asked. */
  has(extension: Extension): boolean {
    return this.of().includes(extension);
  }

  /** Puts extensions that are added from now on on stand-by until `takeOver`. @returns the extensions that stay in use until then. */
  standBy(): readonly Extension[] {
    const present = [...this.#installed, ...(this.#coming ?? [])];
    this.#coming = [];
    return present;
  }

  /**
   * Replaces the extensions with those added since `standBy`. @returns the earlier ones, which are no longer called.
   */
  takeOver(): readonly Extension[] {
    if (this.#coming === undefined) return [];
    const left = this.#installed;
    this.#installed = this.#coming;
    this.#coming = undefined;
    return left;
  }
}
