import { looksSecret } from "../../../util/secret-files.ts";
import type { Place, Places } from "../places.ts";
import { deletesFolder, WARNINGS } from "../warnings.ts";
import { type Folders, pathsOf } from "./folders.ts";
import type { Found } from "./secret-search.ts";
import { type Level, type Part, worse } from "./verdict.ts";
import { isSingle, type Listing, type ShellWord } from "./words.ts";

/**
 * The input of a command: nothing from the script, another command's output, file names that another command lists, or
 * a file or text.
 */
export type Input = "none" | "pipe" | "file" | Listing;

/** One command with its words, and where it runs. */
export interface SimpleCommand {
  words: readonly ShellWord[];
  input: Input;
  folders: Folders;
}

/** Judges code and commands that a command runs. */
export interface Judge {
  places: Places;
  /** @returns the parts of a script that runs in these folders. */
  script(text: string, folders: Folders): Part[];
  command(command: SimpleCommand): Part[];
  /** Returns the reason why the files of a listing need a question, if they do. */
  filesOf(listing: Listing): Found;
}

/** Collects the judgment of one command. */
export class CommandView {
  readonly name: string;
  readonly args: readonly ShellWord[];
  readonly input: Input;
  readonly judge: Judge;
  readonly inner: Part[] = [];
  level: Level = "reads";
  readonly reasons: string[] = [];
  #folders: Folders;

  constructor(name: string, command: SimpleCommand, judge: Judge) {
    this.name = name;
    this.args = command.words.slice(1);
    this.input = command.input;
    this.#folders = command.folders;
    this.judge = judge;
  }

  /** Its working directory. */
  get folders(): Folders {
    return this.#folders;
  }

  /** The words after its name; undefined for a word that is known only when it runs. */
  get values(): (string | undefined)[] {
    return this.args.map(({ value, isGlob }) => (isGlob ? undefined : value));
  }

  /** True when everything judged so far only reads. */
  get isReading(): boolean {
    return this.level === "reads" || this.level === "reads-elsewhere";
  }

  /** Makes it run in other folders. */
  moveTo(folders: Folders): void {
    this.#folders = folders;
  }

  /** Raises its level to at least this one. */
  raise(level: Level, reason?: string): void {
    this.level = worse(this.level, level);
    if (reason !== undefined && !this.reasons.includes(reason)) this.reasons.push(reason);
  }

  /** Marks it as one that no rule may allow. */
  never(reason: string): void {
    this.raise("never", reason);
  }

  /** Marks its effect as unknown. */
  cannot(reason: string): void {
    this.never(`can't be checked: ${reason}`);
  }

  /** Runs another command with these words. */
  run(words: readonly ShellWord[], folders = this.folders): void {
    this.inner.push(...this.judge.command({ words, input: this.input, folders }));
  }

  /** Judges another command with substitute words: only its level and reasons count. */
  absorb(words: readonly ShellWord[]): void {
    for (const { level, reasons } of this.judge.command({ words, input: "none", folders: this.folders })) {
      this.raise(level);
      for (const reason of reasons) this.raise(level, reason);
    }
  }

  /** True when a word may turn into an option: an unknown word, or a glob that may match such a file name. */
  mayBeOption(word: ShellWord): boolean {
    if (word.value === undefined) return !isSingle(word) || !/^"?[\w./:=+,%@]/.test(word.source);
    if (word.value.startsWith("-")) return true;
    if (!word.isGlob || !/^[*?[]/.test(word.value)) return false;
    if (this.folders === "unknown") return true;
    return [...this.folders].some((folder) => {
      const paths = pathsOf(word, new Set([folder]));
      return paths === undefined || paths.some((path) => path.startsWith(`${folder}/-`));
    });
  }

  /** Reads the content of a file, or of the files in a folder. */
  read(word: ShellWord): void {
    this.#look(word, (path) => this.judge.places.judgeReading(path));
  }

  /** Reads names of files and facts about them, but not their content. */
  list(word: ShellWord): void {
    this.#look(word, (path) => {
      const { places } = this.judge;
      if (!places.readable(path)) return places.judgeReading(path);
      const place = places.locate(path);
      const isHere = place.kind === "device" || place.kind === "temporary" || places.isWorkspace(place.real);
      return isHere ? undefined : `reads outside the workspace: ${places.show(place)}`;
    });
  }

  /** Shows files of a folder. @param found the reason why they need a question, if they do. */
  show(found: Found): void {
    if (found === "too-much") this.raise("reads-elsewhere", "there are too many files to check for secrets");
    else if (found !== "nothing") this.never(found.reason);
  }

  /** Writes a file, or puts files into a folder. */
  write(word: ShellWord): void {
    this.#touch(word, (path) => this.judge.places.locate(path));
  }

  /** Removes a file or a folder, or a link without its target. */
  remove(word: ShellWord, isRecursive: boolean): void {
    const { places } = this.judge;
    this.#touch(word, (path) => {
      const isLink = !path.endsWith("/") && !/(^|\/)\.{1,2}$/.test(path);
      const place = isLink ? places.locateEntry(path) : places.locate(path);
      if (isRecursive && places.isVital(place.real)) this.never(deletesFolder(vitalName(place, places), false));
      return place;
    });
    // A glob matches whatever exists by then; removing everything in a folder is like removing the folder.
    const [, folder] = /^(.*?)\/?\.?\*+$/s.exec(word.isGlob ? (word.value ?? "") : "") ?? [];
    if (!isRecursive || folder === undefined) return;
    const whole = {
      ...word,
      isGlob: false,
      value: folder === "" && word.value?.startsWith("/") !== true ? "." : `${folder}/`,
    };
    for (const path of pathsOf(whole, this.folders) ?? []) {
      const place = places.locate(path);
      if (places.isVital(place.real)) this.never(deletesFolder(vitalName(place, places), true));
    }
  }

  #look(word: ShellWord, problemOf: (path: string) => string | undefined): void {
    if (word.listed !== undefined) {
      const { places } = this.judge;
      const isHere =
        this.folders !== "unknown" && [...this.folders].every((folder) => places.locate(folder).kind === "inside");
      if (isHere) this.show(this.judge.filesOf(word.listed));
      else this.cannot(`the file ${word.source} is known only when it runs`);
      return;
    }
    const paths = pathsOf(word, this.folders);
    if (paths === undefined) {
      this.cannot(`the file ${word.source} is known only when it runs`);
      return;
    }
    for (const path of paths) {
      const reason = problemOf(path);
      if (reason === undefined) continue;
      if (/^\/dev\/(tcp|udp)\//.test(path)) this.never(WARNINGS.reachesMachine);
      this.raise(this.#isPlain(path) ? "reads-elsewhere" : "never", reason);
    }
  }

  /** True when a rule for reading may cover a path outside the workspace. */
  #isPlain(path: string): boolean {
    const { places } = this.judge;
    const { kind, real } = places.locate(path);
    const isOfProcess = /^\/(proc|dev)(\/|$)/.test(real);
    return places.readable(path) && !isOfProcess && kind !== "guarded" && !looksSecret(path) && !looksSecret(real);
  }

  #touch(word: ShellWord, locate: (path: string) => Place): void {
    this.raise("changes");
    const paths = pathsOf(word, this.folders);
    if (paths === undefined) {
      this.cannot(`${word.source} is known only when it runs`);
      return;
    }
    for (const path of paths) {
      const place = locate(path);
      const shown = this.judge.places.show(place);
      if (place.kind === "guarded") this.never(`${WARNINGS.protectedFile}: ${shown}`);
      if (place.kind === "outside") this.never(`${WARNINGS.writesOutside}: ${shown}`);
      if (place.kind === "temporary") this.raise("temporary", `${WARNINGS.writesOutside}: ${shown}`);
    }
  }
}

function vitalName({ real }: Place, places: Places): string {
  if (real === places.workspace) return "the workspace";
  return real === places.home ? "the home folder" : real;
}
