import fc from "fast-check";

const WORDS = [
  "a",
  "src",
  "src/a.ts",
  "-n",
  "-la",
  "--stat",
  "'a b'",
  `"a b"`,
  `"$X"`,
  "$F",
  `"$F"`,
  `\${A}`,
  `"\${A}"`,
  "$HOME",
  `"$PWD"/src`,
  "~",
  "~/x",
  "*.ts",
  "src/*",
  "?",
  "[ab]",
  "{a,b}",
  "a\\ b",
  "\\;",
  "$'a\\tb'",
  `"$(pwd)"`,
  "$(ls)",
  "$(git ls-files)",
  "a=b",
  "--",
  "-",
  "'$X'",
  `"\\$X"`,
  "''",
  `""`,
  "'#'",
  "#",
  "!",
  "a#b",
  "%s",
  "1",
  "2",
  `"$1"`,
  "$@",
  `"$@"`,
  "$?",
  "$#",
  `a"b"'c'`,
  `$"a"`,
  "`pwd`",
  "$E",
  `"$E"`,
  "x$E",
  "..",
  "../other",
  ".git/config",
  "out",
  "foo",
];
const PROGRAMS = [
  "ls",
  "cat",
  "grep",
  "echo",
  "wc",
  "head -1",
  "git status",
  "git log",
  "git diff",
  "npm test",
  "npm run",
  "mytool",
  "sort",
  "find .",
  "sed -n p",
  "printf %s",
  "test",
  "[",
];
const REDIRECTS = [
  "> out.txt",
  ">> out.txt",
  "2>&1",
  "> /dev/null",
  "2>/dev/null",
  "< package.json",
  "&> /dev/null",
  "> a",
  ">| a",
  "2> err.txt",
  ">&2",
  "<<< x",
  `> "src/a.ts"`,
  "< a",
  "1>&2",
  "3> a",
  "<> a",
  "&>> a",
  "2>&-",
  "> src/new.ts",
  "< /dev/null",
];
const PREFIXES = ["X=1 ", "CI=1 ", "FOO=a ", "LANG=C ", "NODE_ENV=test ", "! ", "time "];
const STATEMENTS = [
  "cd src",
  "cd ..",
  "cd sub",
  "X=1",
  "A=$(ls)",
  "F=src",
  'N="$X"',
  "set -e",
  "set -euo pipefail",
  "export X=1",
  "read -r X",
  "true",
  ":",
  "# comment",
  "wait",
  "exit",
  "break",
  "shift",
  "local X",
  "unset X",
];
const JOINTS = ["; ", " && ", " || ", " | ", "\n", " & ", " |& ", ";", "&&", "\n\n"];
const ALPHABET = [
  ..."$`'\"\\(){}[]<>|&;!#~*?=%@^ \t\n\r0123-+,:.abFX",
  "$(",
  "${",
  "<(",
  ">(",
  "1<(",
  "{X}<(",
  "=(",
  "((",
  "[[",
  "]]",
  "<<",
  "<<-",
  "$((",
  "\\\n",
  ";;",
  "OPTIND=",
  "do",
  "done",
  "then",
  "fi",
  "esac",
  "in",
  "$X",
  "`pwned`",
  "$(pwned)",
  "pwned",
];

/** A list in which each element is as likely as the next. */
const of = (values: readonly string[]) => fc.constantFrom(...values);
const words = fc.array(fc.oneof({ weight: 6, arbitrary: of(WORDS) }, { weight: 1, arbitrary: of(ALPHABET) }), {
  maxLength: 3,
});

const simple = fc
  .record({
    prefix: fc.option(of(PREFIXES), { nil: "", freq: 4 }),
    program: of(PROGRAMS),
    args: words,
    redirects: fc.array(of(REDIRECTS), { maxLength: 2 }),
    isRedirectedFirst: fc.boolean(),
  })
  .map(({ prefix, program, args, redirects, isRedirectedFirst }) => {
    const [name = "", ...own] = program.split(" ");
    const all = isRedirectedFirst ? [...own, ...redirects, ...args] : [...own, ...args, ...redirects];
    const closing = name === "[" ? ["]"] : [];
    return `${prefix}${[name, ...all, ...closing].join(" ")}`;
  });

const hereDocument = fc
  .record({
    word: of(["E", "'E'", `"E"`, "\\E", "E'F'"]),
    dash: of(["", "-"]),
    body: of(["x", "$(pwned)", "`pwned`", "\tx", "$X", "\\", "E ", " E", "x\\"]),
    rest: of(["", " | cat", " > out.txt", "; ls"]),
  })
  .map(({ word, dash, body, rest }) => `cat <<${dash}${word}${rest}\n${body}\n${word.replace(/['"\\]/g, "")}`);

const { script } = fc.letrec<{ script: string; list: string; statement: string; compound: string }>((tie) => ({
  statement: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { weight: 8, arbitrary: simple },
    { weight: 2, arbitrary: of(STATEMENTS) },
    { weight: 1, arbitrary: hereDocument },
    { weight: 3, arbitrary: tie("compound") },
  ),
  list: fc
    .array(fc.tuple(tie("statement"), of(JOINTS)), { minLength: 1, maxLength: 3 })
    .map((parts) =>
      parts
        .map(([one, joint], index) => (index < parts.length - 1 ? one + (one.includes("<<") ? "\n" : joint) : one))
        .join(""),
    ),
  compound: fc.oneof(
    fc
      .tuple(of(["a b", "src/*.ts", `"$X" c`, "$(ls)", "1 2", "{a,b}", "*", "$A", `"$@"`]), tie("list"))
      .map(([over, body]) => `for f in ${over}; do ${body}\ndone`),
    fc
      .tuple(
        of([
          `echo "$f"`,
          "cat $f",
          "$f{a,b}",
          `\${f}s`,
          "l$f",
          `"$f" a`,
          "$f",
          `echo "$(f=b; cat $f)"`,
          "(cd src; cat $f)",
          `sort -k $f`,
          "printf 'a%n' $f",
          `cat "$f"`,
          `ls "src/$f"`,
          "read -r X",
        ]),
        of(["for f in a b", "for f in ls l", "while read -r f", "for f in src/*", "for f in *"]),
      )
      .map(([body, head]) => `${head}; do ${body}; done`),
    fc.tuple(tie("list"), tie("list")).map(([clause, body]) => `if ${clause}\nthen ${body}\nfi`),
    fc.tuple(tie("list"), tie("list")).map(([clause, body]) => `if ${clause}; then ${body}; else ${body}; fi`),
    fc.tuple(tie("list"), tie("list")).map(([clause, body]) => `while ${clause}; do ${body}; done`),
    tie("list").map((body) => `(${body}\n)`),
    tie("list").map((body) => `{ ${body}\n}`),
    tie("list").map((body) => `echo "$(${body}\n)"`),
    tie("list").map((body) => `X=$(${body}\n)`),
    fc.tuple(of(["a", "$X", `"$X"`]), tie("list")).map(([word, body]) => `case ${word} in a) ${body} ;; *) ls ;; esac`),
  ),
  script: tie("list"),
}));

const change = fc.record({
  at: fc.nat({ max: 10_000 }),
  kind: fc.constantFrom("insert", "delete", "double", "swap", "cut"),
  text: of(ALPHABET),
  length: fc.integer({ min: 1, max: 4 }),
});
type Change = { at: number; kind: string; text: string; length: number };

function changed(text: string, { at, kind, text: inserted, length }: Change): string {
  const place = text.length === 0 ? 0 : at % (text.length + 1);
  const before = text.slice(0, place);
  const after = text.slice(place);
  switch (kind) {
    case "delete":
      return before + after.slice(length);
    case "double":
      return before + after.slice(0, length) + after;
    case "swap":
      return before + inserted + after.slice(length);
    case "cut":
      return before + after.slice(after.indexOf(" ") + 1);
    default:
      return before + inserted + after;
  }
}

/** Scripts of the grammar that is accepted, and such as have been damaged, or have a piece of another text in them. @param others texts to take pieces of. */
export function scripts(others: readonly string[]): fc.Arbitrary<string> {
  const piece = fc
    .tuple(fc.constantFrom(...others), fc.nat({ max: 200 }), fc.integer({ min: 1, max: 24 }))
    .map(([text, from, length]) => text.slice(from % text.length).slice(0, length));
  const base = fc.oneof({ weight: 4, arbitrary: script }, { weight: 1, arbitrary: fc.constantFrom(...others) });
  const spliced = fc
    .tuple(script, piece, fc.nat({ max: 10_000 }))
    .map(([text, one, at]) => text.slice(0, at % (text.length + 1)) + one + text.slice(at % (text.length + 1)));
  const damaged = fc
    .tuple(fc.oneof(base, spliced), fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([text, changes]) => changes.reduce(changed, text));
  return fc
    .oneof({ weight: 2, arbitrary: script }, { weight: 5, arbitrary: damaged }, { weight: 1, arbitrary: spliced })
    .filter((text) => !text.includes("\0"));
}
