/** Where what somebody types goes. */
interface TypedTo {
  /** Shows it in the terminal. */
  echo(text: string): void;
  /** Sends whole lines to the command. */
  send(text: string): void;
  /** Ctrl+C. */
  interrupt(): void;
  /** Ctrl+D on an empty line: nothing more comes. */
  end(): void;
}

/** Keys that terminals send as several characters, such as arrows. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const KEY_SEQUENCE = /^\u001b(?:\[[0-?]*[ -/]*[@-~]|O.|.)?/su;
const ERASE = "\b \b";

/** What a terminal does with keys while a command reads lines: shows them, takes them back, and sends a line at Enter. */
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

  /** Forgets what is half typed. */
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
      if (this.#line.pop() !== undefined) this.#to.echo(ERASE);
    } else if (key === "\u0015") {
      this.#to.echo(ERASE.repeat(this.#line.length));
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
