import { OutsideGrammar, type Scanner } from "./scanner.ts";

const DELIMITER = /'([A-Za-z_]\w*)'|"([A-Za-z_]\w*)"|([A-Za-z_]\w*)/y;

/** A here-document; its text is there once its lines have been read. */
export interface HereDocument {
  kind: "text";
  text: string;
}

interface Pending {
  delimiter: string;
  isQuoted: boolean;
  stripsTabs: boolean;
  document: HereDocument;
}

/** The here-documents of a script, whose text follows the line that they begin in. */
export class HereDocuments {
  readonly #scanner: Scanner;
  #pending: Pending[] = [];

  constructor(scanner: Scanner) {
    this.#scanner = scanner;
  }

  /** True while the text of one has not been read. */
  get isPending(): boolean {
    return this.#pending.length > 0;
  }

  /** Reads what stands behind `<<` or `<<-`. @throws OutsideGrammar when its end is not a plain name. */
  begin(operator: string): HereDocument {
    const scanner = this.#scanner;
    scanner.skipBlanks();
    const typed = scanner.takeMatch(DELIMITER);
    if (typed === "" || !/^[\s;&|<>)]?$/.test(scanner.peek()))
      throw new OutsideGrammar("the end of a here-document is not a plain name");
    const document: HereDocument = { kind: "text", text: "" };
    const isQuoted = /^['"]/.test(typed);
    const delimiter = isQuoted ? typed.slice(1, -1) : typed;
    this.#pending.push({ delimiter, isQuoted, stripsTabs: operator.endsWith("-"), document });
    return document;
  }

  /** Reads the text of those that are pending, at the beginning of a line. @throws OutsideGrammar when one has no clear end. */
  read(): void {
    const pending = this.#pending;
    this.#pending = [];
    for (const one of pending) this.#readOne(one);
  }

  #readOne({ delimiter, isQuoted, stripsTabs, document }: Pending): void {
    const lines: string[] = [];
    for (;;) {
      if (this.#scanner.isOver) throw new OutsideGrammar("a here-document has no end");
      const typed = this.#scanner.takeMatch(/[^\n]*\n?/y).replace(/\n$/, "");
      const line = stripsTabs ? typed.replace(/^\t+/, "") : typed;
      if (line === delimiter) break;
      // Some shells end it there too.
      if (line.startsWith(delimiter)) throw new OutsideGrammar("where a here-document ends is not clear");
      if (!isQuoted && /[$`\\]/.test(line)) throw new OutsideGrammar("a here-document is not quoted");
      lines.push(`${line}\n`);
    }
    document.text = lines.join("");
  }
}

/**
 * True when old shells see the same end of a substitution, also those that look at brackets and quotes in a here-document. Only the shell
 * that comes with macOS does the latter.
 */
export function isBalanced(text: string): boolean {
  if (process.platform === "darwin" && text.includes("<<") && /['"`\\]/.test(text.replace(/<<-?\s*(['"])\w+\1/g, "")))
    return false;
  let depth = 0;
  for (const one of text.includes("<<") ? text : "") {
    if (one === "(") depth++;
    if (one === ")" && --depth < 0) return false;
  }
  return depth === 0;
}
