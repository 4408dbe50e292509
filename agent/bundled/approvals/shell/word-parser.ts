import { OutsideGrammar, type Scanner } from "./scanner.ts";
import type { Piece, Script, Word } from "./script.ts";

const PLAIN = /[\w./:=+,@%^#!\]}-]+/y;
/** Letters of other scripts, without the bytes that some systems treat as blanks. */
const LETTER = /[^\P{L}\p{ASCII}]|[^\P{N}\p{ASCII}]/uy;
const NAME = /[A-Za-z_]\w*/y;
const QUOTED_TEXT = /[^"\\$`]+/y;
const SINGLE_QUOTED = /'[^']*'/y;
/** A `$` in quotes is a plain character before these. */
const AFTER_PLAIN_DOLLAR = /[") /.,|:;%\n]/;
const END_OF_WORD = /[\s;&|<>)]/;
const ESCAPED = /[ -~]/;
/** After these, a `~` is never a folder. */
const BEFORE_PLAIN_TILDE = /[\w./@^-]/;
const LIST_IN_BRACES = /\{[\w./@%+:=-]*(?:,[\w./@%+:=-]*)+\}/y;
const RANGE_IN_BRACES = /\{(\d{1,4})\.\.(\d{1,4})\}/y;
/** Braces around a word, as in `HEAD@{1}`, stay as they are. */
const PLAIN_BRACES = /\{[\w@-]*\}/y;
const MAX_RANGE = 200;

/** Reads words. */
export class WordParser {
  readonly #scanner: Scanner;
  readonly #substitution: () => Script;
  #pieces: Piece[] = [];

  /** @param substitution reads a script up to the bracket that closes it. */
  constructor(scanner: Scanner, substitution: () => Script) {
    this.#scanner = scanner;
    this.#substitution = substitution;
  }

  /**
   * Reads the word that begins here. @returns undefined when there is none. @throws OutsideGrammar when it is outside
   * the grammar.
   */
  word(): Word | undefined {
    const scanner = this.#scanner;
    const start = scanner.at;
    const outer = this.#pieces;
    this.#pieces = [];
    if (scanner.peek() === "~") this.#home();
    while (!scanner.isOver && !END_OF_WORD.test(scanner.peek())) this.#piece();
    const word = { source: scanner.text.slice(start, scanner.at), pieces: this.#pieces };
    this.#pieces = outer;
    return scanner.at === start ? undefined : word;
  }

  #piece(): void {
    const scanner = this.#scanner;
    const next = scanner.peek();
    if (next === "'") this.#singleQuoted();
    else if (next === '"') this.#doubleQuoted();
    else if (next === "\\") this.#escaped();
    else if (next === "$") this.#dollar(false);
    else if (next === "{") this.#braces();
    else if (next === "~") this.#tilde();
    else if (/[*?[]/.test(next)) {
      this.#pieces.push({ kind: "glob", text: next });
      scanner.at++;
    } else {
      const text = scanner.takeMatch(PLAIN) || this.#letter();
      if (text === "") throw new OutsideGrammar(`${next} can't be checked there`);
      this.#text(text, false);
    }
  }

  #tilde(): void {
    const scanner = this.#scanner;
    if (!BEFORE_PLAIN_TILDE.test(scanner.text[scanner.at - 1] ?? "")) throw new OutsideGrammar("~ stands in a word");
    scanner.at++;
    this.#text("~", false);
  }

  #letter(): string {
    const letter = this.#scanner.takeMatch(LETTER);
    const bytes = Buffer.from(letter);
    return bytes.includes(0x85) || bytes.includes(0xa0) ? "" : letter;
  }

  /** Adds text to the word. Text next to text of the same kind is one piece, so that long words stay cheap. */
  #text(text: string, isQuoted: boolean): void {
    const last = this.#pieces.at(-1);
    if (last?.kind === "text" && last.isQuoted === isQuoted) last.text += text;
    else this.#pieces.push({ kind: "text", text, isQuoted });
  }

  #home(): void {
    const scanner = this.#scanner;
    const next = scanner.peek(1);
    if (next !== "" && next !== "/" && !END_OF_WORD.test(next)) throw new OutsideGrammar("~ of somebody else");
    scanner.at++;
    this.#pieces.push({ kind: "home" });
  }

  #singleQuoted(): void {
    const quoted = this.#scanner.takeMatch(SINGLE_QUOTED);
    if (quoted === "") throw new OutsideGrammar("a quote is not closed");
    this.#text(quoted.slice(1, -1), true);
  }

  #doubleQuoted(): void {
    const scanner = this.#scanner;
    scanner.at++;
    this.#text("", true); // empty quotes are a word too
    while (!scanner.take('"')) {
      const text = scanner.takeMatch(QUOTED_TEXT);
      if (text !== "") this.#text(text, true);
      else if (scanner.peek() === "$") this.#dollar(true);
      else if (scanner.peek() === "\\") this.#escapedInQuotes();
      else throw new OutsideGrammar(scanner.isOver ? "a quote is not closed" : "` runs a command");
    }
  }

  #escaped(): void {
    const scanner = this.#scanner;
    const next = scanner.peek(1);
    if (!ESCAPED.test(next)) throw new OutsideGrammar("\\ stands before an invisible character");
    scanner.at += 2;
    this.#text(next, true);
  }

  #escapedInQuotes(): void {
    const scanner = this.#scanner;
    const next = scanner.peek(1);
    if (next === "\n" || next === "") throw new OutsideGrammar("a line is continued in quotes");
    const isEscape = /["$`\\]/.test(next);
    this.#text(isEscape ? next : "\\", true);
    scanner.at += isEscape ? 2 : 1;
  }

  #dollar(isQuoted: boolean): void {
    const scanner = this.#scanner;
    scanner.at++;
    const next = scanner.peek();
    if (next === "(") {
      if (scanner.peek(1) === "(") throw new OutsideGrammar("$((…)) is calculated when it runs");
      scanner.at++;
      this.#pieces.push({ kind: "substitution", script: this.#substitution(), isQuoted });
      return;
    }
    const isBraced = scanner.take("{");
    const name = scanner.takeMatch(NAME) || (isBraced ? "" : scanner.takeMatch(/[?#!$]/y));
    if (name === "_") throw new OutsideGrammar("$_ is known only when it runs");
    if (name !== "") {
      if (isBraced && !scanner.take("}")) throw new OutsideGrammar(`\${${name}…} does more than name a variable`);
      this.#pieces.push({ kind: "variable", name, isQuoted });
      return;
    }
    const isPlain = !isBraced && (isQuoted ? AFTER_PLAIN_DOLLAR.test(next) : next === "" || END_OF_WORD.test(next));
    if (!isPlain) throw new OutsideGrammar(`$${isBraced ? "{" : next} can't be checked`);
    this.#text("$", isQuoted);
  }

  #braces(): void {
    const scanner = this.#scanner;
    const last = this.#pieces.at(-1);
    // The shell expands braces before variables: `$f{a,b}` becomes `$fa` and `$fb`.
    if (last?.kind === "variable" && !last.isQuoted)
      throw new OutsideGrammar("braces behind a variable can't be checked");
    const list = scanner.takeMatch(LIST_IN_BRACES);
    if (list !== "") {
      this.#pieces.push({ kind: "braces", alternatives: list.slice(1, -1).split(",") });
      return;
    }
    const range = scanner.takeMatch(RANGE_IN_BRACES);
    if (range !== "") {
      this.#pieces.push({ kind: "braces", alternatives: numbersOf(range) });
      return;
    }
    const plain = scanner.takeMatch(PLAIN_BRACES);
    if (plain === "") throw new OutsideGrammar("{ can't be checked there");
    this.#text(plain, false);
  }
}

function numbersOf(range: string): string[] {
  const [first = 0, last = 0] = range.slice(1, -1).split("..").map(Number);
  // The shell pads numbers that begin with 0.
  if (/\{0\d|\.0\d/.test(range) || last < first || last - first >= MAX_RANGE)
    throw new OutsideGrammar(`${range} can't be checked`);
  return Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
}
