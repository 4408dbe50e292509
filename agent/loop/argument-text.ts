/** Receives the texts among the arguments of a tool call. */
export interface TextListener {
  open(): void;
  add(text: string): void;
  close(): void;
}

/** Arguments by which tools name the file that they work on. */
const PATH_KEYS: ReadonlySet<string> = new Set(["path", "file_path", "filePath"]);
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };
/** A key of more UTF-16 units is none that we look for. */
const MAX_KEY_LENGTH = 20;
const MAX_PATH_LENGTH = 4096;

/**
 * Reads the JSON of a tool call's arguments while it is written, and tells of the texts in it, decoded, one after the other. Names of fields,
 * numbers and the like are passed over. Whatever comes is taken: what is no JSON gives no texts, or odd ones.
 */
export class ArgumentText {
  readonly #listener: TextListener;
  /** Open brackets, outermost first; true for an object. */
  readonly #isObject: boolean[] = [];
  #expectsKey = false;
  #state: "outside" | "key" | "value" = "outside";
  #escape = "";
  #key = "";
  #path: string | undefined;
  #isPathWhole = false;

  constructor(listener: TextListener) {
    this.#listener = listener;
  }

  /** The file that the arguments name, once its name is complete. */
  get path(): string | undefined {
    return this.#isPathWhole ? this.#path : undefined;
  }

  push(json: string): void {
    for (let at = 0; at < json.length; ) {
      at = this.#state === "outside" ? this.#readOutside(json, at) : this.#readInside(json, at);
    }
  }

  #readOutside(json: string, at: number): number {
    switch (json.charAt(at)) {
      case "{":
      case "[":
        this.#isObject.push(json.charAt(at) === "{");
        this.#expectsKey = this.#isObject.at(-1) === true;
        break;
      case "}":
      case "]":
        this.#isObject.pop();
        this.#expectsKey = false;
        break;
      case ",":
        this.#expectsKey = this.#isObject.at(-1) === true;
        break;
      case ":":
        this.#expectsKey = false;
        break;
      case '"':
        this.#openString();
        break;
      default:
        break;
    }
    return at + 1;
  }

  #openString(): void {
    if (this.#expectsKey) {
      this.#state = "key";
      this.#key = "";
      return;
    }
    this.#state = "value";
    const isPath = this.#isObject.length === 1 && !this.#isPathWhole && PATH_KEYS.has(this.#key);
    this.#path = isPath ? "" : this.#path;
    this.#listener.open();
  }

  #closeString(): void {
    if (this.#state === "value") {
      this.#listener.close();
      this.#isPathWhole = this.#path !== undefined;
    }
    this.#state = "outside";
  }

  #readInside(json: string, at: number): number {
    if (this.#escape !== "") return this.#readEscape(json, at);
    const special = /["\\]/g;
    special.lastIndex = at;
    const end = special.exec(json)?.index ?? json.length;
    if (end > at) this.#take(json.slice(at, end));
    if (end === json.length) return end;
    if (json.charAt(end) === '"') this.#closeString();
    else this.#escape = "\\";
    return end + 1;
  }

  #readEscape(json: string, at: number): number {
    this.#escape += json.charAt(at);
    const letter = this.#escape.charAt(1);
    if (letter !== "u") {
      this.#take(ESCAPES[letter] ?? letter);
      this.#escape = "";
    } else if (this.#escape.length === 6) {
      const digits = this.#escape.slice(2);
      const isHex = /^[0-9a-f]{4}$/i.test(digits);
      this.#take(isHex ? String.fromCharCode(Number.parseInt(digits, 16)) : this.#escape);
      this.#escape = "";
    }
    return at + 1;
  }

  #take(text: string): void {
    if (this.#state === "key") {
      if (this.#key.length <= MAX_KEY_LENGTH) this.#key += text;
      return;
    }
    this.#listener.add(text);
    if (!this.#isPathWhole && this.#path !== undefined && this.#path.length < MAX_PATH_LENGTH) this.#path += text;
  }
}
