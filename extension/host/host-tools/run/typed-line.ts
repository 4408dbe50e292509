/** Receives the user's input. */
interface TypedTo {
  /** Shows typed text in the terminal. */
  echo(text: string): void;
  /** Sends whole lines to the command. */
  send(text: string): void;
  /** Ctrl+C. */
  interrupt(): void;
  /** Ctrl+D on an empty line: the input ends. */
  end(): void;
}

/** Keys that terminals send as several characters, such as arrow keys. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const KEY_SEQUENCE = /^\u001b(?:\[[0-?]*[ -/]*[@-~]|O.|.)?/su;
const ERASE = "\b \b";
/** Characters that are two columns wide in terminals. */
const WIDE =
  /^(?:\p{Emoji_Presentation}|(?![\uff61-\uffdc])[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|[\u3000-\u303e\uff01-\uff60\uffe0-\uffe6])/u;

/** Edits a line as a terminal does while a command reads lines: shows keys, erases them, and sends the line at Enter. */
export class TypedLine {
  readonly #to: TypedTo;
  #line: string[] = [];

  constructor(to: TypedTo) {
    this.#to = to;
  }

  type(data: string): void {
    for (let rest = data; rest !== ""; ) {
      const [key = ""] = KEY_SEQUENCE.exec(rest) ?? [String.fromCodePoint(rest.codePointAt(0) ?? 0)];
      rest = rest.slice(key.length);
      this.#press(key);
    }
  }

  /** Forgets the unfinished line. */
  clear(): void {
    this.#line = [];
  }

  #press(key: string): void {
    if (key === "\r" || key === "\n") {
      this.#to.echo("\r\n");
      this.#send("\n");
    } else if (key === "\u0003") {
      this.clear();
      this.#to.echo("^C");
      this.#to.interrupt();
    } else if (key === "\u0004") {
      if (this.#line.length === 0) this.#to.end();
      else this.#send("");
    } else if (key === "\u007f" || key === "\b") {
      this.#to.echo(erased(this.#line.splice(-1)));
    } else if (key === "\u0015") {
      this.#to.echo(erased(this.#line));
      this.clear();
    } else if (key === "\t" || key >= " ") {
      this.#line.push(key);
      this.#to.echo(key);
    }
  }

  #send(end: string): void {
    const line = this.#line.join("");
    this.clear();
    this.#to.send(`${line}${end}`);
  }
}

/** Returns the text that erases characters from the screen. */
function erased(characters: readonly string[]): string {
  const columns = (character: string) => (/^\p{Mark}/u.test(character) ? 0 : WIDE.test(character) ? 2 : 1);
  return ERASE.repeat(characters.reduce((sum, character) => sum + columns(character), 0));
}
