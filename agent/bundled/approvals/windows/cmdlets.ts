import type { WindowsWord } from "./command-line.ts";
import { type Arguments, cmdletArguments, isPlainPath, type Parameters, pathWord, textWord } from "./posix-words.ts";

/** Other names of cmdlets. They come before programs of the same name. */
const ALIASES: Readonly<Record<string, string>> = {
  ac: "add-content",
  cat: "get-content",
  cd: "set-location",
  chdir: "set-location",
  clc: "clear-content",
  copy: "copy-item",
  cp: "copy-item",
  cpi: "copy-item",
  curl: "invoke-webrequest",
  del: "remove-item",
  dir: "get-childitem",
  echo: "write-output",
  erase: "remove-item",
  gc: "get-content",
  gci: "get-childitem",
  gl: "get-location",
  iex: "invoke-expression",
  irm: "invoke-restmethod",
  iwr: "invoke-webrequest",
  kill: "stop-process",
  ls: "get-childitem",
  md: "mkdir",
  measure: "measure-object",
  mi: "move-item",
  move: "move-item",
  mv: "move-item",
  ni: "new-item",
  pwd: "get-location",
  rd: "remove-item",
  ren: "rename-item",
  ri: "remove-item",
  rm: "remove-item",
  rmdir: "remove-item",
  rni: "rename-item",
  saps: "start-process",
  select: "select-object",
  sl: "set-location",
  sleep: "start-sleep",
  sls: "select-string",
  sort: "sort-object",
  start: "start-process",
  tee: "tee-object",
  type: "get-content",
  wget: "invoke-webrequest",
  write: "write-output",
};

/** Returns the name of a cmdlet by any of its names, in lower case; another name as it is. */
export function cmdletName(name: string): string {
  const lower = name.toLowerCase();
  return Object.hasOwn(ALIASES, lower) ? (ALIASES[lower] ?? lower) : lower;
}

interface Cmdlet extends Parameters {
  /** @returns the same for a POSIX shell; undefined where that isn't certain. */
  toPosix(given: Arguments): string[] | undefined;
}

const PATHS = /^(path|literalpath)$/;
const PATHS_AND_COUNTS = /^(path|literalpath|totalcount|head|first|tail|last|encoding|depth)$/;

function pathsOf({ values, operands }: Arguments): string[] {
  const named = values.get("path") ?? values.get("literalpath");
  return [...(named === undefined ? [] : [named]), ...operands].map(pathWord);
}

const fromTo =
  (name: string) =>
  (given: Arguments): string[] | undefined => {
    const destination = given.values.get("destination") ?? given.values.get("newname");
    const words = [...pathsOf(given), ...(destination === undefined ? [] : [pathWord(destination)])];
    if (words.length !== 2) return undefined;
    return [name, ...(name === "cp" && given.switches.has("recurse") ? ["-r"] : []), "--", ...words];
  };

const remove = (given: Arguments): string[] => [
  "rm",
  ...(given.switches.has("recurse") ? ["-r"] : []),
  ...(given.switches.has("force") ? ["-f"] : []),
  "--",
  ...pathsOf(given),
];

const CMDLETS: Readonly<Record<string, Cmdlet>> = {
  "get-content": { switches: /^raw$/, values: PATHS_AND_COUNTS, toPosix: (given) => ["cat", "--", ...pathsOf(given)] },
  "get-childitem": {
    switches: /^(recurse|file|directory|name|force|hidden)$/,
    values: PATHS_AND_COUNTS,
    toPosix: (given) => ["ls", ...(given.switches.has("recurse") ? ["-R"] : []), "--", ...pathsOf(given)],
  },
  "set-location": {
    values: PATHS,
    toPosix(given) {
      const [path, ...more] = pathsOf(given);
      return path === undefined || more.length > 0 || path === "-" || path === "+" ? undefined : ["cd", "--", path];
    },
  },
  "get-location": { toPosix: ({ operands }) => (operands.length === 0 ? ["pwd"] : undefined) },
  "write-output": { toPosix: ({ operands }) => ["echo", ...operands.map(textWord)] },
  "select-string": {
    switches: /^(simplematch|casesensitive|list|quiet|notmatch|allmatches)$/,
    values: /^(pattern|path|literalpath)$/,
    toPosix({ values, operands, ...given }) {
      const [pattern, ...files] = values.has("pattern") ? [values.get("pattern"), ...operands] : operands;
      const paths = [...files, values.get("path"), values.get("literalpath")];
      if (pattern === undefined || !paths.every((path) => path === undefined || isPlainPath(path.text)))
        return undefined;
      return [
        "grep",
        "-e",
        textWord(pattern),
        "--",
        ...pathsOf({ ...given, values, operands: files.flatMap((one) => one ?? []) }),
      ];
    },
  },
  "select-object": {
    switches: /^unique$/,
    values: /^(first|last|skip|expandproperty)$/,
    toPosix: () => ["head"],
  },
  "measure-object": {
    switches: /^(line|word|character)$/,
    toPosix: ({ operands }) => (operands.length === 0 ? ["wc"] : undefined),
  },
  "sort-object": { switches: /^(unique|descending)$/, toPosix: () => ["sort"] },
  "start-sleep": { values: /^(seconds|milliseconds|s|m)$/, toPosix: () => ["sleep", "1"] },
  "get-date": { toPosix: ({ operands }) => (operands.length === 0 ? ["date"] : undefined) },
  "test-path": {
    values: PATHS,
    toPosix(given) {
      const [path, ...more] = pathsOf(given);
      return path === undefined || more.length > 0 ? undefined : ["test", "-e", path];
    },
  },
  "remove-item": { switches: /^(recurse|force)$/, values: PATHS, toPosix: remove },
  "copy-item": { switches: /^(recurse|force)$/, values: /^(path|literalpath|destination)$/, toPosix: fromTo("cp") },
  "move-item": { switches: /^force$/, values: /^(path|literalpath|destination)$/, toPosix: fromTo("mv") },
  "rename-item": { values: /^(path|literalpath|newname)$/, toPosix: () => undefined }, // the new name is not a path from here
  "new-item": {
    switches: /^force$/,
    values: /^(path|itemtype|type)$/,
    toPosix(given) {
      const type = (given.values.get("itemtype") ?? given.values.get("type"))?.text.toLowerCase();
      const paths = pathsOf(given);
      if (type === "directory") return ["mkdir", "-p", "--", ...paths];
      return type === "file" && !given.switches.has("force") ? ["touch", "--", ...paths] : undefined;
    },
  },
  mkdir: { switches: /^force$/, values: /^path$/, toPosix: (given) => ["mkdir", "-p", "--", ...pathsOf(given)] },
};

/**
 * Returns a command of PowerShell as one of a POSIX shell that does the same; undefined for a cmdlet that isn't known that well.
 * `"program"` for a program.
 */
export function cmdletToPosix(name: string, words: readonly WindowsWord[]): string[] | "program" | undefined {
  const known = cmdletName(name);
  const cmdlet = Object.hasOwn(CMDLETS, known) ? CMDLETS[known] : undefined;
  if (cmdlet === undefined) return /^[a-z]+-[a-z]\w*$/.test(known) ? undefined : "program";
  const isText = known === "write-output" || known === "select-string";
  if (!isText && !words.every(({ text }) => isPlainPath(text))) return undefined;
  const given = cmdletArguments(words, cmdlet);
  return given === undefined ? undefined : cmdlet.toPosix(given);
}
