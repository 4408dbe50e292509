/** An edit as a model may write it, with what it means. */
export interface EditCase {
  /** The way in which it differs from a right one. */
  kind: string;
  file: string;
  edits: Record<string, unknown>;
  /** The text of the file if the edit is applied as it is meant; any other text is a wrong application. */
  meant: string;
  outcome: "applied" | "refused";
  /** The places that a refusal has to show: of each at least one line, counted from 1. */
  places: readonly (readonly number[])[];
}

/** A file with one right edit of whole lines. */
interface Base {
  file: string;
  oldText: string;
  newText: string;
}

const TYPESCRIPT: Base = {
  file: `import { readFile } from "node:fs/promises";

/** Reads the settings — one file per user's name. */
export class Settings {
    readonly #path: string;

    constructor(path: string) {
        this.#path = path;
    }

    async load(name: string): Promise<string> {
        if (name === "") {
            throw new Error("The name isn't given\\n");
        }

        const text = await readFile(this.#path, "utf8");
        return text.trim();
    }

    async size(): Promise<number> {
        const text = await readFile(this.#path, "utf8");
        return text.length;
    }
}
`,
  oldText: `        if (name === "") {
            throw new Error("The name isn't given\\n");
        }

        const text = await readFile(this.#path, "utf8");
        return text.trim();
`,
  newText: `        if (name.trim() === "") {
            throw new Error("The name isn't given\\n");
        }

        const text = await readFile(this.#path, "utf8");
        return text.trimEnd();
`,
};

const PYTHON: Base = {
  file: `class Cart:
    """A cart — it's the user's list of "items"."""

    def __init__(self):
        self.items = []

    def add(self, item, count=1):
        for _ in range(count):
            self.items.append(item)

            self.log("added\\t" + item.name)
        return self

    def total(self):
        return sum(item.price for item in self.items)
`,
  oldText: `        for _ in range(count):
            self.items.append(item)

            self.log("added\\t" + item.name)
        return self
`,
  newText: `        for _ in range(max(0, count)):
            self.items.append(item)

            self.log("added\\t" + item.name)
        return self.checked()
`,
};

const GO: Base = {
  file: `package store

import "fmt"

// Get returns a value — or the user's default.
func (s *Store) Get(key string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	value, ok := s.values[key]
	if !ok {
		if s.strict {

			return "", fmt.Errorf("no key %q isn't there\\n", key)
		}
	}
	return value, nil
}

func (s *Store) Len() int {
	return len(s.values)
}
`,
  oldText: `	if !ok {
		if s.strict {

			return "", fmt.Errorf("no key %q isn't there\\n", key)
		}
	}
	return value, nil
`,
  newText: `	if !ok && key != "" {
		if s.strict {

			return "", fmt.Errorf("no key %q isn't there\\n", key)
		}
	}
	return value, ErrNone
`,
};

const HTML: Base = {
  file: `<!doctype html>
<html>
  <head>
    <title>The shop’s page — welcome</title>
  </head>
  <body>
    <main class="page">
      <h1 title="it's a title">Welcome</h1>

      <p>Say "hello" &amp; enjoy\\n</p>
    </main>
    <footer>
      <p>Bye</p>
    </footer>
  </body>
</html>
`,
  oldText: `    <main class="page">
      <h1 title="it's a title">Welcome</h1>

      <p>Say "hello" &amp; enjoy\\n</p>
    </main>
`,
  newText: `    <main class="page" id="top">
      <h1 title="it's a title">Welcome back</h1>

      <p>Say "hello" &amp; enjoy\\n</p>
    </main>
`,
};

const BASES: readonly Base[] = [TYPESCRIPT, PYTHON, GO, HTML];

type Texts = Pick<Base, "oldText" | "newText">;
type Maker = (base: Base) => EditCase[] | EditCase;

/** All cases: each kind with each file that has what it needs. */
export const EDIT_CASES: readonly EditCase[] = makers().flatMap((make) => BASES.flatMap(make));

function replaced(file: string, { oldText, newText }: Texts): string {
  return file.replace(oldText, () => newText);
}

function linesOf(file: string, text: string): number[] {
  const at = file.indexOf(text);
  const first = file.slice(0, at).split("\n").length;
  const count = text.replace(/\n$/, "").split("\n").length;
  return Array.from({ length: count }, (_, index) => first + index);
}

function eachLine(text: string, change: (line: string, index: number) => string): string {
  return text
    .split("\n")
    .map((line, index) => (line.trim() === "" ? line : change(line, index)))
    .join("\n");
}

/** An edit whose texts differ from the right ones, and its outcome. */
function changed(kind: string, outcome: EditCase["outcome"], change: (base: Base) => Partial<Base>): Maker {
  return (base) => {
    const { file = base.file, ...texts } = change(base);
    const right = { oldText: base.oldText, newText: base.newText };
    const wrote = { ...right, ...texts };
    const isOther = wrote.oldText !== right.oldText || wrote.newText !== right.newText || file !== base.file;
    if (!isOther) return [];
    return {
      kind,
      file,
      edits: { edits: [wrote] },
      meant: replaced(file, right),
      outcome,
      places: [linesOf(file, right.oldText)],
    };
  };
}

function both(change: (text: string, base: Base) => string): (base: Base) => Partial<Base> {
  return (base) => ({ oldText: change(base.oldText, base), newText: change(base.newText, base) });
}

function old(change: (text: string, base: Base) => string): (base: Base) => Partial<Base> {
  return (base) => ({ oldText: change(base.oldText, base) });
}

/** The same edit of a file that is written in another way. */
function ofFile(kind: string, write: (text: string) => string, writeEdit = (text: string) => text): Maker {
  return (base) => {
    const file = write(base.file);
    if (file === base.file) return [];
    return {
      kind,
      file,
      edits: { edits: [{ oldText: writeEdit(base.oldText), newText: writeEdit(base.newText) }] },
      meant: write(replaced(base.file, base)),
      outcome: "applied",
      places: [],
    };
  };
}

function applied(kind: string, make: (base: Base) => { file?: string; edits: object; meant: string }): Maker {
  return (base) => {
    const { file = base.file, edits, meant } = make(base);
    return { kind, file, edits: { ...edits }, meant, outcome: "applied", places: [] };
  };
}

function refused(
  kind: string,
  make: (base: Base) => { file?: string; edits: object; meant?: string; places: readonly (readonly number[])[] },
): Maker {
  return (base) => {
    const { file = base.file, edits, meant = replaced(file, base), places } = make(base);
    return { kind, file, edits: { ...edits }, meant, outcome: "refused", places };
  };
}

function firstLineOf(text: string): string {
  return text.slice(0, text.indexOf("\n") + 1);
}

function lastLineOf(text: string): string {
  return text.slice(text.lastIndexOf("\n", text.length - 2) + 1);
}

/** The edit with the last line of its old and its new text. */
function lastLineEdit(base: Base): Texts {
  return { oldText: lastLineOf(base.oldText), newText: lastLineOf(base.newText) };
}

function firstLineEdit(base: Base): Texts {
  return { oldText: firstLineOf(base.oldText), newText: firstLineOf(base.newText) };
}

/** Appends the edited lines once more, as they are. */
function doubled(base: Base): string {
  return `${base.file}${base.oldText}`;
}

function placesIn(file: string, text: string): number[][] {
  const first = linesOf(file, text);
  const lastAt = file.lastIndexOf(text);
  const last = file.slice(0, lastAt).split("\n").length;
  return [first, first.map((_, index) => last + index)];
}

function exactKinds(): Maker[] {
  return [
    applied("exact", (base) => ({ edits: { edits: [base] }, meant: replaced(base.file, base) })),
    applied("exact, at the top level", (base) => ({
      edits: { oldText: base.oldText, newText: base.newText },
      meant: replaced(base.file, base),
    })),
    applied("exact, under other names", (base) => ({
      edits: { old_string: base.oldText, new_string: base.newText },
      meant: replaced(base.file, base),
    })),
    applied("exact, without the last line end", (base) => ({
      edits: { edits: [{ oldText: base.oldText.trimEnd(), newText: base.newText.trimEnd() }] },
      meant: replaced(base.file, base),
    })),
    applied("exact, from within a line to within another", (base) => {
      const cut = (text: string) => text.trim();
      return {
        edits: { edits: [{ oldText: cut(base.oldText), newText: cut(base.newText) }] },
        meant: replaced(base.file, base),
      };
    }),
    applied("removal", (base) => ({
      edits: { edits: [{ oldText: base.oldText, newText: "" }] },
      meant: base.file.replace(base.oldText, ""),
    })),
    applied("signs of a replacement pattern in the new text", (base) => ({
      edits: { edits: [{ oldText: base.oldText, newText: "$& $1 $$ \\1\n" }] },
      meant: base.file.replace(base.oldText, () => "$& $1 $$ \\1\n"),
    })),
  ];
}

function characterKinds(): Maker[] {
  const curly = (text: string) => text.replace(/"([^"\n]*)"/g, "“$1”").replaceAll("'", "’");
  return [
    ofFile("line ends: CR LF in the file", (text) => text.replaceAll("\n", "\r\n")),
    ofFile(
      "line ends: CR LF in both",
      (text) => text.replaceAll("\n", "\r\n"),
      (text) => text.replaceAll("\n", "\r\n"),
    ),
    ofFile("a byte order mark in the file", (text) => `\ufeff${text}`),
    ofFile("no line end at the end of the file", (text) => text.trimEnd()),
    changed(
      "a byte order mark in the edit",
      "applied",
      old((text) => `\ufeff${text}`),
    ),
    changed(
      "line ends: CR LF in the edit",
      "applied",
      both((text) => text.replaceAll("\n", "\r\n")),
    ),
    changed(
      "blanks at the ends of lines in the edit",
      "applied",
      old((text) => eachLine(text, (line) => `${line}  `)),
    ),
    changed("curly for straight quotes", "applied", old(curly)),
    changed(
      "no-break for plain spaces",
      "applied",
      old((text) => text.replace(/(?<=\S) (?=\S)/g, "\u00a0")),
    ),
    applied("straight for curly quotes and plain for long dashes", (base) => {
      const line = base.file.split("\n").find((one) => /[’—]/.test(one)) ?? "";
      const typed = line.replaceAll("’", "'").replaceAll("—", "-");
      return { edits: { edits: [{ oldText: typed, newText: "x" }] }, meant: base.file.replace(line, () => "x") };
    }),
    applied("composed for decomposed letters", (base) => {
      const word = /return|Welcome/;
      const there = base.oldText.replace(word, "cafe\u0301");
      const edits = [{ oldText: base.oldText.replace(word, "caf\u00e9"), newText: base.newText }];
      const file = base.file.replace(base.oldText, () => there);
      return { file, edits: { edits }, meant: file.replace(there, () => base.newText) };
    }),
  ];
}

function indentationKinds(): Maker[] {
  const unit = ({ oldText }: Base) => (oldText.startsWith("\t") ? "\t" : "    ");
  const less = (text: string, base: Base) => eachLine(text, (line) => line.slice(unit(base).length));
  const more = (text: string, base: Base) => eachLine(text, (line) => unit(base) + line);
  return [
    changed("indentation: less by the same", "applied", both(less)),
    changed("indentation: more by the same", "applied", both(more)),
    changed(
      "indentation: less by the same, without the last line end",
      "applied",
      both((text, base) => less(text, base).trimEnd()),
    ),
    changed(
      "indentation: two spaces more",
      "applied",
      both((text, base) =>
        unit(base) === "\t"
          ? `\t${eachLine(text, (line, index) => (index === 0 ? line : `\t${line}`))}`
          : eachLine(text, (line) => `  ${line}`),
      ),
    ),
    changed(
      "indentation: none at all",
      "refused",
      both((text) => eachLine(text, (line) => line.trimStart())),
    ),
    changed(
      "indentation: none in the first line, others shifted",
      "refused",
      both((text, base) => eachLine(text, (line, index) => (index === 0 ? line.trimStart() : unit(base) + line))),
    ),
    changed(
      "indentation: tabs for spaces",
      "refused",
      both((text) => eachLine(text, (line) => line.replace(/^ +/, (blanks) => "\t".repeat(blanks.length / 2)))),
    ),
    changed(
      "indentation: spaces for tabs",
      "refused",
      both((text) => eachLine(text, (line) => line.replace(/^\t+/, (tabs) => "    ".repeat(tabs.length)))),
    ),
    changed(
      "indentation: another width",
      "refused",
      both((text) =>
        eachLine(text, (line) => line.replace(/^( +|\t+)/, (blanks) => blanks.slice(Math.ceil(blanks.length / 2)))),
      ),
    ),
    changed("indentation: more by the same, the new text not", "refused", old(more)),
    refused("indentation: less by the same, twice in the file", (base) => {
      const file = doubled(base);
      const edits = [{ oldText: less(base.oldText, base), newText: less(base.newText, base) }];
      return { file, edits: { edits }, places: placesIn(file, base.oldText) };
    }),
    refused("indentation: twice in the file at other depths", (base) => {
      const file = `${base.file}${more(base.oldText, base)}`;
      const edits = [{ oldText: less(base.oldText, base), newText: less(base.newText, base) }];
      return { file, edits: { edits }, places: [linesOf(file, base.oldText)] };
    }),
  ];
}

function additionKinds(): Maker[] {
  const numbered = (between: string) => (text: string, base: Base) => {
    const [first = 1] = linesOf(base.file, base.oldText);
    const lines = text.replace(/\n$/, "").split("\n");
    return lines.map((line, index) => `${String(first + index).padStart(6)}${between}${line}`).join("\n");
  };
  const entities = (text: string) =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
  const middle = (text: string, between: string) => `${firstLineOf(text)}${between}\n${lastLineOf(text)}`;
  return [
    changed("line numbers with a tab", "refused", both(numbered("\t"))),
    changed("line numbers with a bar", "refused", both(numbered("| "))),
    changed("line numbers with a colon", "refused", both(numbered(": "))),
    changed(
      "an ellipsis for lines",
      "refused",
      both((text) => middle(text, "...")),
    ),
    changed(
      "a comment for lines",
      "refused",
      both((text) => middle(text, "        // ... existing code ...")),
    ),
    changed(
      "escapes for line ends",
      "refused",
      both((text) => text.trimEnd().replaceAll("\n", "\\n")),
    ),
    changed(
      "escapes for quotes",
      "refused",
      old((text) => text.replaceAll('"', '\\"')),
    ),
    changed(
      "twice escaped",
      "refused",
      old((text) => text.replaceAll("\\", "\\\\")),
    ),
    changed(
      "characters for escapes",
      "refused",
      old((text) => text.replaceAll("\\n", "\n").replaceAll("\\t", "\t")),
    ),
    changed("entities for characters", "refused", both(entities)),
    changed("the marks of a diff", "refused", ({ oldText, newText }) => ({
      oldText: eachLine(oldText, (line) => `-${line}`),
      newText: eachLine(newText, (line) => `+${line}`),
    })),
    changed(
      "a Markdown fence",
      "refused",
      both((text) => `\`\`\`\n${text}\`\`\`\n`),
    ),
  ];
}

function wrongTextKinds(): Maker[] {
  const withLines = (change: (lines: string[]) => string[]) => (text: string) => change(text.split("\n")).join("\n");
  return [
    changed(
      "other case",
      "refused",
      old((text) => text.replace(/return|Welcome/, (word) => word.toUpperCase())),
    ),
    changed(
      "another word",
      "refused",
      old((text) => text.replace(/return|Welcome/, "yield")),
    ),
    changed(
      "a typing error",
      "refused",
      old((text) => text.replace(/range|text|strict|page/, "rnage")),
    ),
    changed("a missing line", "refused", old(withLines((lines) => lines.toSpliced(1, 1)))),
    changed("an additional line", "refused", old(withLines((lines) => lines.toSpliced(1, 0, "        extra()")))),
    changed(
      "a missing blank line",
      "refused",
      old(withLines((lines) => lines.filter((line, at) => line !== "" || at === lines.length - 1))),
    ),
    changed("an additional blank line", "refused", old(withLines((lines) => lines.toSpliced(1, 0, "")))),
    changed(
      "lines in another order",
      "refused",
      old(withLines(([first = "", second = "", ...rest]) => [second, first, ...rest])),
    ),
    changed(
      "missing punctuation",
      "refused",
      old((text) => text.replace(/[;:{>]\n/, "\n")),
    ),
    changed(
      "blanks within a line",
      "refused",
      old((text) => text.replace(/(?<=\S) (?=\S)/, "  ")),
    ),
    changed(
      "a lacking blank within a line",
      "refused",
      old((text) => text.replace(/(?<=\S) (?=\S)/, "")),
    ),
    changed(
      "lines joined to one",
      "refused",
      old((text) => `${text.trim().replace(/\n\s*/g, " ")}\n`),
    ),
    changed(
      "only the beginning is right",
      "refused",
      old((text) => `${firstLineOf(text)}${"    unknown()\n".repeat(4)}`),
    ),
    refused("a text that was changed already", (base) => {
      const file = replaced(base.file, base);
      return { file, edits: { edits: [base] }, meant: file, places: [linesOf(file, base.newText)] };
    }),
    refused("the beginning of a word", (base) => {
      const word = /(?:return|Welcome|value)/.exec(base.oldText)?.[0] ?? "";
      const line = base.oldText.split("\n").find((one) => one.includes(word)) ?? "";
      const edits = [{ oldText: `${line.slice(0, line.indexOf(word) + word.length - 2)} `, newText: "x" }];
      return { edits: { edits }, places: [linesOf(base.file, line)] };
    }),
  ];
}

function severalKinds(): Maker[] {
  return [
    applied("several edits", (base) => {
      const edits = [lastLineEdit(base), firstLineEdit(base)];
      return { edits: { edits }, meant: edits.reduce(replaced, base.file) };
    }),
    applied("several edits, one beside the other", (base) => {
      const [first, second] = [
        firstLineEdit(base),
        { oldText: base.oldText.slice(firstLineOf(base.oldText).length), newText: "x\n" },
      ];
      return { edits: { edits: [first, second] }, meant: [first, second].reduce(replaced, base.file) };
    }),
    applied("every occurrence", (base) => {
      const file = doubled(base);
      const edits = [{ ...base, replaceAll: true }];
      return { file, edits: { edits }, meant: file.replaceAll(base.oldText, () => base.newText) };
    }),
    applied("every occurrence, at the top level", (base) => {
      const file = doubled(base);
      return {
        file,
        edits: { old_string: base.oldText, new_string: base.newText, replace_all: true },
        meant: file.replaceAll(base.oldText, () => base.newText),
      };
    }),
    refused("duplicates", (base) => {
      const file = doubled(base);
      return { file, edits: { edits: [base] }, places: placesIn(file, base.oldText) };
    }),
    refused("duplicates of a part of a line", (base) => {
      const file = doubled(base);
      const line = firstLineOf(base.oldText).trim();
      return {
        file,
        edits: { edits: [{ oldText: line, newText: "x" }] },
        places: placesIn(file, firstLineOf(base.oldText)),
      };
    }),
    refused("duplicates but for their quotes", (base) => {
      const file = doubled(base);
      const oldText = base.oldText.replaceAll('"', "“").replaceAll("'", "’");
      return { file, edits: { edits: [{ oldText, newText: base.newText }] }, places: placesIn(file, base.oldText) };
    }),
    refused("edits that overlap", (base) => {
      const edits = [base, lastLineEdit(base)];
      return {
        edits: { edits },
        places: [linesOf(base.file, base.oldText), linesOf(base.file, lastLineOf(base.oldText))],
      };
    }),
    refused("the same edit twice", (base) => ({
      edits: { edits: [base, base] },
      places: [linesOf(base.file, base.oldText)],
    })),
    refused("one of several that is not there", (base) => ({
      edits: {
        edits: [firstLineEdit(base), { oldText: `${lastLineOf(base.oldText).trimEnd()} # gone`, newText: "x" }],
      },
      places: [linesOf(base.file, lastLineOf(base.oldText))],
    })),
    refused("an edit of what an earlier one makes", (base) => ({
      edits: { edits: [base, { oldText: lastLineOf(base.newText), newText: "x" }] },
      places: [linesOf(base.file, lastLineOf(base.oldText))],
    })),
    refused("no old text", (base) => ({
      edits: { edits: [{ oldText: "", newText: "x" }] },
      meant: `x${base.file}`,
      places: [[1, 2, 3]],
    })),
    refused("no change", ({ file, oldText }) => ({
      edits: { edits: [{ oldText, newText: oldText }] },
      meant: file,
      places: [linesOf(file, oldText)],
    })),
    refused("a line after the end of the file", (base) => {
      const file = base.file.trimEnd();
      const last = file.slice(file.lastIndexOf("\n") + 1);
      const edits = [{ oldText: `${last}  \n}\n`, newText: "x\n" }];
      return {
        file,
        edits: { edits },
        meant: `${file.slice(0, -last.length)}x\n`,
        places: [[file.split("\n").length]],
      };
    }),
  ];
}

function makers(): Maker[] {
  return [
    ...exactKinds(),
    ...characterKinds(),
    ...indentationKinds(),
    ...additionKinds(),
    ...wrongTextKinds(),
    ...severalKinds(),
  ];
}
