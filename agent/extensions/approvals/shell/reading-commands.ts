import { type CommandView, hasLong } from "./command-view.ts";
import { variableKind } from "./environment.ts";

/** How one command is judged. */
export type Rule = (view: CommandView) => void;

const READ_OPERANDS =
  "cat tac head tail wc ls dir vdir nl od hexdump strings stat du df readlink realpath cksum sum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum md5 b2sum cmp diff comm paste cut fold fmt expand unexpand column rev zcat bzcat xzcat zstdcat pr tsort egrep fgrep grep zgrep jq lsof";
const READ_NOTHING =
  "echo true false : cd pushd popd pwd whoami id groups uname arch nproc uptime free ps seq expr basename dirname which whereis type tty locale getconf printenv tr yes factor clear exit return break continue shift times umask ulimit logname users who w last cal ncal numfmt sleep dirs tput";

/** Options whose value is text and no file. */
const TEXT_VALUES =
  "e A B C m d n c f s w regexp max-count after-context before-context context include exclude exclude-dir lines bytes delimiter fields characters width separator format indent arg argjson";

/** Commands that change nothing, whatever they are told; the exceptions stand with them. */
export const READING: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ...READ_OPERANDS.split(" ").map((name): [string, Rule] => [name, readOperands]),
  ...READ_NOTHING.split(" ").map((name): [string, Rule] => [name, () => undefined]),
  ["rg", (view) => readUnless(view, ["pre", "hostname-bin", "search-zip"])],
  ["sort", readSort],
  ["uniq", (view) => readThenWrite(view, "f s w skip-fields skip-chars check-chars")],
  ["xxd", readHex],
  ["tree", readTree],
  ["file", (view) => (view.parse("m f").options.includes("C") ? view.raise("changes") : readOperands(view))],
  ["base64", readEncoded],
  ["base32", readEncoded],
  [
    "hash",
    (view) =>
      view.args.every(({ value }) => /^-[rlt]+$/.test(value ?? ""))
        ? undefined
        : view.cannot("hash changes what commands mean"),
  ],
  ["jobs", readJobs],
  ["wait", readJobs],
  ["less", readPager],
  ["more", readPager],
  ["date", readDate],
  ["hostname", (view) => (view.parse().operands.length > 0 ? system(view) : undefined)],
  ["printf", readPrintf],
  ["test", readTest],
  ["[", readTest],
  ["set", readSet],
  ["shopt", readShopt],
  ["bc", (view) => readOperands(view)],
  [
    "man",
    (view) =>
      view.args.every(({ value }) => value !== undefined && !value.startsWith("-"))
        ? undefined
        : view.cannot("man runs a program that it is told of"),
  ],
  ["sed", readSed],
  ["awk", readAwk],
  ["gawk", readAwk],
  ["mawk", readAwk],
  [
    "yq",
    (view) => (has(view, "i") || hasLong(view.parse().options, "inplace") ? writeOperands(view) : readOperands(view)),
  ],
]);

function has(view: CommandView, option: string): boolean {
  return view.parse().options.includes(option);
}

function system(view: CommandView): void {
  view.never("changes the system");
}

function readOperands(view: CommandView): void {
  const { operands, values } = view.parse(TEXT_VALUES);
  for (const word of operands) view.read(word);
  const file = values.get("file") ?? values.get("from-file");
  if (file !== undefined) view.read(file);
}

function writeOperands(view: CommandView): void {
  for (const word of view.parse().operands) view.write(word);
}

function readUnless(view: CommandView, running: readonly string[]): void {
  const { options } = view.parse();
  const runs = running.find((name) => options.includes(name));
  if (runs !== undefined) view.cannot(`--${runs} runs a program`);
  readOperands(view);
}

function readThenWrite(view: CommandView, valued: string): void {
  const [from, to] = view.parse(valued).operands;
  if (from !== undefined) view.read(from);
  if (to !== undefined) view.write(to);
}

function readSort(view: CommandView): void {
  const { operands, options, values } = view.parse(
    "o k t S T output key field-separator buffer-size temporary-directory parallel",
  );
  for (const word of operands) view.read(word);
  for (const option of options.filter((one) => "output".startsWith(one))) {
    const target = values.get(option);
    if (target === undefined) view.cannot(`where sort -${option} writes is not clear`);
    else view.write(target);
  }
  if (hasLong(options, "compress-program")) view.cannot("--compress-program runs a program");
}

/** A date without a plus sign before it is set. */
function readDate(view: CommandView): void {
  const { operands, options } = view.parse("d r f I date reference file rfc-3339");
  const isSetting = options.includes("s") || hasLong(options, "set", 2);
  if (isSetting || operands.some(({ value }) => !value?.startsWith("+"))) system(view);
}

/** The options of `xxd` are whole words, and not all of them take a value: the last word may be a file to write. */
function readHex(view: CommandView): void {
  const words = view.args.filter(({ value }) => !value?.startsWith("-"));
  for (const word of words) view.read(word);
  const last = words.at(-1);
  if (words.length > 1 && last !== undefined) view.write(last);
}

function readEncoded(view: CommandView): void {
  const { operands, options } = view.parse("w wrap");
  if (options.some((option) => option === "o" || option.startsWith("out"))) view.cannot(`${view.name} writes a file`);
  for (const word of operands) view.read(word);
}

function readJobs(view: CommandView): void {
  const isRisky = view.args.some(({ value }) => (value === undefined ? view.name === "jobs" : /^-\w*[xp]/.test(value)));
  if (isRisky) view.cannot(`${view.name} runs a command or sets a variable`);
}

function readTree(view: CommandView): void {
  const { operands, values } = view.parse("L P I o");
  for (const word of operands) view.read(word);
  const output = values.get("o");
  if (output !== undefined) view.write(output);
}

function readPager(view: CommandView): void {
  const { operands, options } = view.parse();
  if (options.some((option) => !/^[NRSFXrinmseEM]$/.test(option))) view.raise("changes");
  if (view.args.some(({ value }) => value?.startsWith("+"))) view.cannot(`${view.name} is told to run a command`);
  for (const word of operands) view.read(word);
}

function readPrintf(view: CommandView): void {
  const [option, name] = view.args;
  if (option?.value?.startsWith("-v") !== true) return;
  const target = option.value === "-v" ? name?.value : option.value.slice(2);
  if (target === undefined || !/^[A-Za-z_]\w*$/.test(target)) view.cannot("printf -v sets what is not known");
  else if (variableKind(target, undefined) === "deciding") view.never(`sets ${target}, which decides what runs`);
}

/** `-v` calculates the index of its variable, and calculating may run a command. */
function readTest(view: CommandView): void {
  const isRisky = view.args.some(({ value }, index) => {
    const next = view.args[index + 1]?.value;
    return (value === "-v" || value === "-R") && view.args.length > index + 1 && !/^\w+$/.test(next ?? "");
  });
  if (isRisky) view.cannot("-v is calculated when it runs");
}

const PLAIN_SETTINGS = new Set(
  "pipefail errexit nounset xtrace verbose noglob noclobber errtrace functrace".split(" "),
);

/** Only what makes a script stop or talk: other settings change what words and commands mean. */
function readSet(view: CommandView): void {
  const values = view.args.map(({ value }) => value);
  const end = values.indexOf("--");
  const options = end === -1 ? values : values.slice(0, end);
  for (const [index, value] of options.entries()) {
    const isName = /^[-+]\w*o$/.test(options[index - 1] ?? "");
    const isPlain = isName ? PLAIN_SETTINGS.has(value ?? "") : /^[-+][eEuxvfCT]*o?$/.test(value ?? "");
    if (!isPlain) view.cannot("set changes what commands mean");
  }
}

function readShopt(view: CommandView): void {
  const { operands, options } = view.parse();
  if (!options.includes("s") && !options.includes("u")) return;
  const known = new Set(["nullglob", "failglob", "extglob", "nocasematch", "inherit_errexit"]);
  if (!operands.every(({ value }) => known.has(value ?? ""))) view.cannot("shopt changes what commands mean");
}

/** Scripts of `sed` that only print, delete and replace. */
const SED_ADDRESS = String.raw`(?:(?:\d+|\$|\/(?:\\.|[^\/\\])*\/)I?(?:\s*,\s*(?:\+?\d+|\$|~\d+|\/(?:\\.|[^\/\\])*\/)I?)?\s*!?\s*)?`;
const SED_REPLACE = String.raw`s(?<d>[^\w\s\\])(?:\\.|(?!\k<d>)[^\\])*\k<d>(?:\\.|(?!\k<d>)[^\\])*\k<d>[gpiI\d]*`;
const SED_STEP = `${SED_ADDRESS}(?:[pdqQn=lGgHhxD]|${SED_REPLACE})`;
const PLAIN_SED = new RegExp(`^\\s*${SED_STEP}\\s*(?:;\\s*)?$`);

function readSed(view: CommandView): void {
  const { operands, options, values } = view.parse("e f l expression file line-length");
  const isInPlace = options.includes("i") || hasLong(options, "in-place", 2);
  const given = values.get("e") ?? values.get("expression");
  const files = given === undefined && !values.has("f") && !values.has("file") ? operands.slice(1) : operands;
  const scripts = sedScripts(view);
  const isPlain = scripts?.every(
    (script) => script.split(";").every((step) => step.trim() === "" || PLAIN_SED.test(step)) || PLAIN_SED.test(script),
  );
  if (!isPlain) view.raise("changes");
  const isRisky = /(?:^|[;{}\n!/\d$,\s])[eEwW](?:\s|$)|[/|#,][gpiImM\d]*[ewW]/;
  if (!isPlain && (scripts === undefined || scripts.some((script) => isRisky.test(script)))) {
    view.cannot("sed may write files or run commands");
  }
  // A suffix may stand apart from -i on some systems: then the script is taken for a file, which asks once more.
  for (const word of files) isInPlace ? view.write(word) : view.read(word);
}

function sedScripts(view: CommandView): string[] | undefined {
  const scripts: (string | undefined)[] = [];
  let isGiven = false;
  for (const [index, { value }] of view.args.entries()) {
    if (value === undefined) continue;
    if (/^(-[nErsuz]*f|--fi)/.test(value)) return undefined;
    if (/^-[nErsuz]*e$|^--expression$/.test(value)) {
      isGiven = true;
      scripts.push(view.args[index + 1]?.value);
    } else if (/^-[nErsuz]*e./.test(value)) {
      isGiven = true;
      scripts.push(value.replace(/^-[nErsuz]*e/, ""));
    } else if (/^--e[a-z]*=/.test(value)) {
      isGiven = true;
      scripts.push(value.slice(value.indexOf("=") + 1));
    }
  }
  if (!isGiven) scripts.push(view.parse("l line-length").operands[0]?.value);
  return scripts.every((script) => script !== undefined) ? scripts : undefined;
}

/** A program in awk may write files and run commands; one without the characters for that does not. */
function readAwk(view: CommandView): void {
  const { operands, options, values } = view.parse("F v f e i l");
  const [program, ...files] = operands;
  const isKnown =
    !["f", "e", "i", "l"].some((name) => values.has(name)) && options.every((name) => name === "F" || name === "v");
  const text = program?.value;
  if (!isKnown || text === undefined) view.raise("changes");
  else if (/system|getline|[|@`]|>(?!\s*[\d=.])/.test(text)) view.cannot("awk may write files or run commands");
  else if (text.includes(">")) view.raise("changes");
  for (const word of files) view.read(word);
}
