/** Commands of `sed` that stand alone and change nothing but what is printed. */
const PLAIN_COMMAND = /[=dDgGhHnNpPxzF]/y;
const NUMBERED_COMMAND = /[lqQ][ \t]*\d*/y;
const LABEL = /:[ \t]*[\w.-]+|[btT][ \t]*[\w.-]*/y;
const END = /[ \t]*(?=[;}#\n]|$)/y;
const GAP = /[\s;{}]*/y;
const COMMENT = /#[^\n]*/y;
const TEXT = /[aic](?:\\[\s\S]|[^\\\n])*/y;
const LINE_ADDRESS = /\d+(?:~\d+)?|\$|[+~]\d+/y;
const REGEX_FLAGS = /[IM]*/y;
const REPLACE_FLAGS = /[gpiImM\d]*/y;
const CLASS = /(?:\[:\w+:\])+/y;
const SPACE = /[ \t]*/y;
const COMMA = /[ \t]*,[ \t]*/y;
const NEGATION = /[ \t]*(?:![ \t]*)*/y;

/**
 * Whether a script of `sed` only prints, deletes and replaces. Everything else counts as risky: commands that write or read files or run
 * programs, those of other versions, and what versions read in different ways.
 */
export function isPlainSed(script: string): boolean {
  const text = new Scanner(script);
  for (;;) {
    text.skip(GAP);
    if (text.isOver) return true;
    if (text.skip(COMMENT)) continue;
    if (!skipAddresses(text) || !skipCommand(text)) return false;
  }
}

class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isOver(): boolean {
    return this.#at >= this.#text.length;
  }

  /** Takes the next character; empty at the end. */
  next(): string {
    return this.#text[this.#at++] ?? "";
  }

  peek(): string {
    return this.#text[this.#at] ?? "";
  }

  /** Passes what matches here. @returns whether it was anything. */
  skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const length = pattern.exec(this.#text)?.[0].length ?? 0;
    this.#at += length;
    return length > 0;
  }

  matches(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    return pattern.test(this.#text);
  }
}

function skipAddresses(text: Scanner): boolean {
  const isFirst = skipAddress(text);
  if (isFirst === undefined) return false;
  if (isFirst && text.skip(COMMA) && skipAddress(text) !== true) return false;
  text.skip(NEGATION);
  return true;
}

/** @returns whether there is one; undefined when it cannot be read. */
function skipAddress(text: Scanner): boolean | undefined {
  if (text.skip(LINE_ADDRESS)) return true;
  const isOther = text.peek() === "\\";
  if (!isOther && text.peek() !== "/") return false;
  if (isOther) text.next();
  if (!skipDelimited(text, text.next(), true)) return undefined;
  text.skip(REGEX_FLAGS);
  return true;
}

function skipCommand(text: Scanner): boolean {
  switch (text.peek()) {
    case "{":
    case "}":
      return true; // the gap takes them
    case "a":
    case "i":
    case "c":
      return text.skip(TEXT);
    case "s":
    case "y": {
      const isReplacing = text.next() === "s";
      const delimiter = text.next();
      if (!skipDelimited(text, delimiter, true) || !skipDelimited(text, delimiter, false)) return false;
      if (isReplacing) text.skip(REPLACE_FLAGS);
      break;
    }
    default:
      if (!text.skip(PLAIN_COMMAND) && !text.skip(NUMBERED_COMMAND) && !text.skip(LABEL)) return false;
  }
  if (!text.matches(END)) return false;
  text.skip(SPACE);
  return true;
}

/** Passes text up to a delimiter that does not stand in brackets. */
function skipDelimited(text: Scanner, delimiter: string, isRegex: boolean): boolean {
  if (/^[\s\\[\]\w]?$/.test(delimiter)) return false;
  for (let one = text.next(); one !== ""; one = text.next()) {
    if (one === delimiter) return true;
    if (one === "\n") return false;
    if (one === "\\") text.next();
    else if (one === "[" && isRegex && !skipBracket(text)) return false;
  }
  return false;
}

function skipBracket(text: Scanner): boolean {
  if (text.peek() === "^") text.next();
  if (text.peek() === "]") text.next();
  while (text.skip(CLASS) || !text.isOver) {
    const one = text.next();
    if (one === "]") return true;
    // A backslash escapes here in some versions.
    if (one === "\n" || one === "[" || (one === "\\" && /[\]\\]/.test(text.peek()))) return false;
  }
  return false;
}
