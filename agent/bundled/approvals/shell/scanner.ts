/** Says why a script is outside the grammar that is judged. */
export class OutsideGrammar extends Error {}

/** All control characters except tab and line feed: shells differ in how they treat some of them. */
const CONTROL = /[^\P{Cc}\t\n]/u;

/** Half a character, which can't be passed to a shell. */
const LONE_SURROGATE = /\p{Cs}/u;

/** Reads a text from its beginning to its end. Positions count UTF-16 units. */
export class Scanner {
  readonly text: string;
  at = 0;

  /** @throws OutsideGrammar when the text has control characters. */
  constructor(text: string) {
    if (CONTROL.test(text) || LONE_SURROGATE.test(text)) throw new OutsideGrammar("it has control characters");
    this.text = text;
  }

  get isOver(): boolean {
    return this.at >= this.text.length;
  }

  /** Returns the next character without passing it; empty at the end. */
  peek(offset = 0): string {
    return this.text[this.at + offset] ?? "";
  }

  /** True when the text continues with this prefix. */
  startsWith(text: string): boolean {
    return this.text.startsWith(text, this.at);
  }

  /** Passes a text if it comes next. */
  take(text: string): boolean {
    if (!this.startsWith(text)) return false;
    this.at += text.length;
    return true;
  }

  /** Passes the match of a sticky pattern at this position. @returns it; empty when it does not match. */
  takeMatch(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? "";
    this.at += found.length;
    return found;
  }

  /**
   * Passes blanks and continued lines. A line continues only after a blank: elsewhere, the shell would join the text on
   * both sides, possibly into another operator.
   */
  skipBlanks(): void {
    while (!this.isOver) {
      if (/[ \t]/.test(this.peek())) this.at++;
      else if (this.startsWith("\\\n") && /[ \t]/.test(this.text[this.at - 1] ?? "")) this.at += 2;
      else return;
    }
  }
}
