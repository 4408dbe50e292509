import { HereDocuments, isBalanced } from "./here-documents.ts";
import { OutsideGrammar, Scanner } from "./scanner.ts";
import type { AndOr, Assignment, CommandNode, Pipeline, Redirect, Script, Word } from "./script.ts";
import { WordParser } from "./word-parser.ts";

const MAX_DEPTH = 12;
const RESERVED = new Set(
  "if then elif else fi for in do done while until case esac select function time coproc [[ ]] { } !".split(" "),
);
const NAME = /^[A-Za-z_]\w*$/;
const COMMENT = /#[^\n]*/y;
/** The end of a copy of an output: anything else would make it a file, or another descriptor. */
const COPY = /&[12](?=[ \t\n;|)]|$)/y;

/** A script, or why it is outside the grammar. */
export type Parsed = { script: Script } | { problem: string };

/**
 * Reads a script of the small grammar that is judged: words and quotes, `$NAME`, pipes, `&&`, `||`, `;`, files as redirections,
 * here-documents without expansion, groups, `if` and loops. Whatever shells may read in more than one way is outside of it. The cost is
 * linear in the length.
 */
export function parseScript(text: string): Parsed {
  try {
    return { script: new ScriptParser(new Scanner(text)).all() };
  } catch (error) {
    if (error instanceof OutsideGrammar) return { problem: error.message };
    throw error;
  }
}

class ScriptParser {
  readonly #scanner: Scanner;
  readonly #words: WordParser;
  readonly #documents: HereDocuments;
  #depth = 0;
  #isInSubstitution = false;

  constructor(scanner: Scanner) {
    this.#scanner = scanner;
    this.#documents = new HereDocuments(scanner);
    this.#words = new WordParser(scanner, () => this.#substitution());
  }

  all(): Script {
    const script = this.#list([]);
    if (!this.#scanner.isOver) throw new OutsideGrammar(`${this.#scanner.peek()} can't be checked there`);
    if (this.#documents.isPending) throw new OutsideGrammar("a here-document has no end");
    return script;
  }

  /** Reads commands up to a bracket or one of the reserved words, which is not passed. */
  #list(ends: readonly string[]): Script {
    if (++this.#depth > MAX_DEPTH) throw new OutsideGrammar("it's nested too deeply");
    const script: AndOr[] = [];
    for (;;) {
      this.#skipLines();
      if (this.#scanner.isOver || this.#scanner.peek() === ")" || ends.some((end) => this.#isNext(end))) break;
      script.push(this.#andOr());
      this.#scanner.skipBlanks();
      if (this.#scanner.peek() === "\n" || this.#scanner.peek() === "#") continue;
      if (!this.#scanner.take(";")) break;
      if (/[;&]/.test(this.#scanner.peek())) throw new OutsideGrammar(";; can't be checked");
    }
    this.#depth--;
    return script;
  }

  /** Passes blanks, comments and ends of lines, with the here-documents that begin there. */
  #skipLines(): void {
    const scanner = this.#scanner;
    for (;;) {
      scanner.skipBlanks();
      if (scanner.peek() === "#") {
        if (this.#isInSubstitution) throw new OutsideGrammar("a comment stands in a substitution");
        scanner.takeMatch(COMMENT);
      } else if (scanner.take("\n")) this.#documents.read();
      else return;
    }
  }

  /** True when a reserved word is next, with nothing that would make it another word. */
  #isNext(word: string): boolean {
    const after = this.#scanner.peek(word.length);
    return this.#scanner.startsWith(word) && (after === "" || /[\s;&|<>()]/.test(after));
  }

  #expect(word: string): void {
    if (!this.#isNext(word)) throw new OutsideGrammar(`${word} is missing`);
    this.#scanner.take(word);
  }

  /** Reads a list that may not be empty, up to a reserved word. */
  #body(ends: readonly string[]): Script {
    const script = this.#list(ends);
    if (script.length === 0) throw new OutsideGrammar("a command is missing");
    return script;
  }

  #andOr(): AndOr {
    const pipelines: AndOr["pipelines"][number][] = [{ operator: undefined, pipeline: this.#pipeline() }];
    for (;;) {
      this.#scanner.skipBlanks();
      const operator = this.#scanner.take("&&") ? "&&" : this.#scanner.take("||") ? "||" : undefined;
      if (operator === undefined) break;
      this.#skipLines();
      pipelines.push({ operator, pipeline: this.#pipeline() });
    }
    if (this.#scanner.peek() === "&") throw new OutsideGrammar("& leaves a command running");
    return { pipelines };
  }

  #pipeline(): Pipeline {
    this.#scanner.skipBlanks();
    const isNegated = this.#scanner.takeMatch(/![ \t]/y) !== "";
    this.#scanner.skipBlanks();
    const commands = [this.#command()];
    for (;;) {
      this.#scanner.skipBlanks();
      if (this.#scanner.startsWith("||") || !this.#scanner.take("|")) return { commands, isNegated };
      if (this.#scanner.peek() === "&") throw new OutsideGrammar("|& can't be checked");
      this.#skipLines();
      commands.push(this.#command());
    }
  }

  #command(): CommandNode {
    const scanner = this.#scanner;
    if (scanner.startsWith("((")) throw new OutsideGrammar("((…)) is calculated when it runs");
    if (scanner.take("(")) {
      const body = this.#body([]);
      if (!scanner.take(")")) throw new OutsideGrammar("a bracket is not closed");
      return { type: "group", body, isSubshell: true, redirects: this.#redirects() };
    }
    const reserved = [...RESERVED].find((word) => this.#isNext(word));
    if (reserved === undefined || reserved === "time" || reserved === "]]" || reserved === "in") return this.#simple();
    scanner.take(reserved);
    switch (reserved) {
      case "{": {
        const body = this.#body(["}"]);
        this.#expect("}");
        return { type: "group", body, isSubshell: false, redirects: this.#redirects() };
      }
      case "if":
        return this.#if();
      case "while":
      case "until": {
        const condition = this.#body(["do"]);
        return { type: "loop", bodies: [condition, this.#doGroup()], redirects: this.#redirects() };
      }
      case "for":
        return this.#for();
      default:
        throw new OutsideGrammar(`${reserved} can't be checked there`);
    }
  }

  #if(): CommandNode {
    const bodies = [this.#body(["then"])];
    this.#expect("then");
    bodies.push(this.#body(["elif", "else", "fi"]));
    while (this.#isNext("elif")) {
      this.#expect("elif");
      bodies.push(this.#body(["then"]));
      this.#expect("then");
      bodies.push(this.#body(["elif", "else", "fi"]));
    }
    if (this.#isNext("else")) {
      this.#expect("else");
      bodies.push(this.#body(["fi"]));
    }
    this.#expect("fi");
    return { type: "if", bodies, redirects: this.#redirects() };
  }

  #for(): CommandNode {
    this.#scanner.skipBlanks();
    const name = this.#words.word()?.source ?? "";
    if (!NAME.test(name)) throw new OutsideGrammar("for can't be checked without a name");
    this.#scanner.skipBlanks();
    this.#expect("in");
    const words: Word[] = [];
    for (let word = this.#nextWord(); word !== undefined; word = this.#nextWord()) words.push(word);
    if (!this.#scanner.take(";") && this.#scanner.peek() !== "\n") throw new OutsideGrammar("do is missing");
    this.#skipLines();
    return { type: "for", name, words, body: this.#doGroup(), redirects: this.#redirects() };
  }

  #doGroup(): Script {
    this.#expect("do");
    const body = this.#body(["done"]);
    this.#expect("done");
    return body;
  }

  #simple(): CommandNode {
    const assignments: Assignment[] = [];
    const words: Word[] = [];
    const redirects: Redirect[] = [];
    for (;;) {
      this.#scanner.skipBlanks();
      const redirect = this.#redirect();
      if (redirect !== undefined) {
        redirects.push(...redirect);
        continue;
      }
      const word = this.#nextWord();
      if (word === undefined) break;
      const assignment = words.length === 0 ? assignmentOf(word) : undefined;
      if (assignment !== undefined) assignments.push(assignment);
      else words.push(word);
    }
    if (words.length === 0 && assignments.length === 0 && redirects.length === 0)
      throw new OutsideGrammar("a command is missing");
    // `time` is read by the shell itself: what follows would begin another pipeline.
    if (words[0]?.source === "time" && RESERVED.has(words[1]?.source ?? ""))
      throw new OutsideGrammar("time can't be checked there");
    return { type: "simple", assignments, words, redirects };
  }

  #nextWord(): Word | undefined {
    const scanner = this.#scanner;
    scanner.skipBlanks();
    if (scanner.peek() === "#") return undefined;
    const word = this.#words.word();
    if (word === undefined) return undefined;
    if (this.#documents.isPending && word.source.includes("\n"))
      throw new OutsideGrammar("a word goes on behind the beginning of a here-document");
    // The shell may take the word for the name or number of a descriptor.
    if (/[<>]/.test(scanner.peek()) && /[{}]|^\d+$/.test(word.source))
      throw new OutsideGrammar("other descriptors can't be checked");
    return word;
  }

  /** Reads redirections behind a compound command. */
  #redirects(): Redirect[] {
    const all: Redirect[] = [];
    for (;;) {
      this.#scanner.skipBlanks();
      const redirect = this.#redirect();
      if (redirect === undefined) return all;
      all.push(...redirect);
    }
  }

  /** @returns undefined when none begins here; empty for a copy of an output. */
  #redirect(): Redirect[] | undefined {
    const scanner = this.#scanner;
    const operator = scanner.takeMatch(/&>>?|[0-2]?(?:<<-?|>[>|]?|<)(?![<>])/y);
    if (operator === "") {
      if (scanner.takeMatch(/\d*[<>]/y) !== "") throw new OutsideGrammar("such a redirection can't be checked");
      return undefined;
    }
    if (operator.includes("<<")) {
      if (/^[12]/.test(operator)) throw new OutsideGrammar("other descriptors can't be checked");
      return [this.#documents.begin(operator)];
    }
    if (scanner.peek() === "&") {
      if (!/^[12]?>$/.test(operator) || scanner.takeMatch(COPY) === "")
        throw new OutsideGrammar("other descriptors can't be checked");
      return [];
    }
    const isReading = operator.includes("<");
    if (isReading && /^[12]/.test(operator)) throw new OutsideGrammar("an output is not read");
    const target = this.#nextWord();
    if (target === undefined) throw new OutsideGrammar("a redirection has no file");
    return [{ kind: isReading ? "read" : "write", target }];
  }

  /** Reads the script of a `$(…)`, with the bracket that ends it. */
  #substitution(): Script {
    if (this.#isInSubstitution) throw new OutsideGrammar("a substitution stands in another");
    if (this.#documents.isPending)
      throw new OutsideGrammar("a substitution stands behind the beginning of a here-document");
    this.#isInSubstitution = true;
    const start = this.#scanner.at;
    const script = this.#body([]);
    if (!isBalanced(this.#scanner.text.slice(start, this.#scanner.at)))
      throw new OutsideGrammar("where a substitution ends is not clear");
    if (this.#documents.isPending || !this.#scanner.take(")")) throw new OutsideGrammar("a substitution is not closed");
    this.#isInSubstitution = false;
    return script;
  }
}

/** Returns the assignment that a word is in front of a command. @throws OutsideGrammar for those to elements and with `+=`. */
function assignmentOf({ source, pieces }: Word): Assignment | undefined {
  const [first, ...rest] = pieces;
  if (/^[A-Za-z_]\w*(\[|\+=)/.test(source))
    throw new OutsideGrammar("assignments to arrays and with += can't be checked");
  if (first?.kind !== "text" || first.isQuoted) return undefined;
  const [begin, name] = /^([A-Za-z_]\w*)=/.exec(first.text) ?? [];
  if (begin === undefined || name === undefined) return undefined;
  const remaining = first.text.slice(begin.length);
  const value = remaining === "" ? rest : [{ ...first, text: remaining }, ...rest];
  if (value.some(({ kind }) => kind === "braces")) throw new OutsideGrammar("braces in an assignment can't be checked");
  return { name, value: { source: source.slice(begin.length), pieces: value } };
}
