import { type CommandView, hasLong } from "./command-view.ts";
import { readJobs, readPrintf, readSet, readShopt, readTest } from "./shell-builtins.ts";
import { readAwk, readSed } from "./text-programs.ts";
import { isSingle } from "./words.ts";

/** How one command is judged. */
export type Rule = (view: CommandView) => void;

const READ_OPERANDS =
  "cat tac head tail wc ls dir vdir nl od hexdump strings stat du df readlink realpath cksum sum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum md5 b2sum cmp diff comm paste cut fold fmt expand unexpand column rev zcat bzcat xzcat zstdcat pr tsort egrep fgrep grep zgrep jq";
const READ_NOTHING =
  "echo true false : cd pushd popd pwd whoami id groups uname arch nproc uptime free ps seq expr basename dirname which whereis type tty locale getconf printenv tr yes factor clear exit return break continue shift times umask ulimit logname users who w last cal ncal numfmt sleep dirs tput";

/** Options whose value is text and no file. */
const TEXT_VALUES =
  "e A B C m d n c f s w regexp max-count after-context before-context context include exclude exclude-dir lines bytes delimiter fields characters width separator format indent arg argjson";

/** Commands that change nothing, whatever they are told; the exceptions stand with them. */
export const READING: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ...READ_OPERANDS.split(" ").map((name): [string, Rule] => [name, readOperands]),
  ...READ_NOTHING.split(" ").map((name): [string, Rule] => [name, () => undefined]),
  ["rg", readRipgrep],
  ["sort", readSort],
  ["uniq", readUniq],
  ["xxd", readHex],
  ["tree", readTree],
  ["file", readFileType],
  ["lsof", (view) => (view.args.some(({ value }) => /^-\w*D/.test(value ?? "")) ? view.raise("changes") : undefined)],
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
  ["yq", readYq],
]);

function system(view: CommandView): void {
  view.never("changes the system");
}

function readOperands(view: CommandView): void {
  const { operands, values } = view.parse(TEXT_VALUES);
  for (const word of operands) view.read(word);
  const file = values.get("file") ?? values.get("from-file");
  if (file !== undefined) view.read(file);
}

/** The value of an option may be `--`, so these count wherever they stand. */
function readRipgrep(view: CommandView): void {
  const risky = view.args.find(({ value }) => /^--(pre|hostname-bin)(=|$)/.test(value ?? ""));
  if (risky !== undefined) view.cannot(`${risky.source} runs a program`);
  readOperands(view);
}

/** The second operand is written. */
function readUniq(view: CommandView): void {
  const { operands } = view.parse("f s w skip-fields skip-chars check-chars");
  const [from, to] = operands;
  if (!operands.every(isSingle)) view.cannot("the second of several words would be written");
  if (from !== undefined) view.read(from);
  if (to !== undefined) view.write(to);
}

function readFileType(view: CommandView): void {
  const { options } = view.parse("m f e P F magic-file files-from exclude parameter separator");
  if (options.includes("C") || hasLong(options, "compile", 2)) view.cannot("file -C writes a file");
  readOperands(view);
}

const PLAIN_YQ =
  /^(-[neMNrjPcSae]+|-[oIp]=?\w*|--(null-input|exit-status|no-colors|no-doc|raw-output|prettyPrint|colors|unwrapScalar|tojson|compact-output|sort-keys|output-format=\w+|input-format=\w+|indent=\d+)|-)$/;

/** Others of its options write what is read, or several files. */
function readYq(view: CommandView): void {
  const risky = view.args.find(({ value }) => value?.startsWith("-") === true && !PLAIN_YQ.test(value));
  if (risky === undefined || /^(-i|--inplace)$/.test(risky.value ?? "")) {
    const isInPlace = risky !== undefined;
    for (const word of view.parse("o I p").operands) isInPlace ? view.write(word) : view.read(word);
    if (isInPlace) view.raise("changes");
  } else view.cannot(`${risky.source} of yq may write files`);
}

function readSort(view: CommandView): void {
  const { operands, options, values } = view.parse(
    "o k t S T output key field-separator buffer-size temporary-directory parallel files0-from random-source compress-program sort batch-size",
  );
  for (const word of operands) view.read(word);
  for (const option of options.filter((one) => "output".startsWith(one))) {
    const target = values.get("o") ?? values.get("output");
    if (target === undefined) view.cannot(`where sort -${option} writes is not clear`);
    else view.write(target);
  }
  if (hasLong(options, "compress-program", 2)) view.cannot("--compress-program runs a program");
}

/** A date without a plus sign before it is set. */
function readDate(view: CommandView): void {
  const { operands, options } = view.parse("d r f I date reference file rfc-3339");
  const isSetting = options.includes("s") || hasLong(options, "set", 2);
  if (isSetting || operands.some(({ value }) => !value?.startsWith("+"))) system(view);
}

const HEX_OPTION = /^-(a|b|bits|e|E|i|p|ps|plain|r|revert|u|v|d|[cgls]\d*)$/;

/** The options of `xxd` are whole words, and not all of them take a value: the last word may be a file to write. */
function readHex(view: CommandView): void {
  const words = view.args.filter(({ value }, index) => {
    const isCount = /^(0x)?\d+$/.test(value ?? "") && /^-[clgs]$/.test(view.args[index - 1]?.value ?? "");
    return !isCount && (value === "-" || value?.startsWith("-") !== true);
  });
  if (!words.every(isSingle)) view.cannot("the second of several words would be written");
  const option = view.args.find(({ value }) => /^-./.test(value ?? "") && !HEX_OPTION.test(value ?? ""));
  if (option !== undefined) view.cannot(`${option.source} of xxd is not known`);
  for (const word of words) view.read(word);
  const last = words.at(-1);
  if (words.length > 1 && last !== undefined) view.write(last);
}

function readEncoded(view: CommandView): void {
  const { operands, options } = view.parse("w wrap");
  if (options.some((option) => option === "o" || option.startsWith("out"))) view.cannot(`${view.name} writes a file`);
  for (const word of operands) view.read(word);
}

function readTree(view: CommandView): void {
  for (const word of view.parse("L P I o H T").operands) view.read(word);
  for (const [index, { value }] of view.args.entries()) {
    if (/^-[a-zA-Z]*R/.test(value ?? "")) view.cannot("tree -R may write a file in each folder");
    if (!/^-[a-zA-Z]*o/.test(value ?? "")) continue;
    const target = view.args[index + 1];
    if (value === "-o" && target !== undefined) view.write(target);
    else view.cannot("where tree -o writes is not clear");
  }
}

function readPager(view: CommandView): void {
  const { operands, options } = view.parse();
  if (options.some((option) => !/^[NRSFXrinmseEM]$/.test(option))) view.raise("changes");
  if (view.args.some(({ value }) => value?.startsWith("+"))) view.cannot(`${view.name} is told to run a command`);
  for (const word of operands) view.read(word);
}
