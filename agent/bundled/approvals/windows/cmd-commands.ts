import type { WindowsWord } from "./command-line.ts";
import { type Arguments, internalArguments, isPlainPath, pathWord, textWord } from "./posix-words.ts";

interface Internal {
  switches?: RegExp;
  /** @returns the same for a POSIX shell; undefined where that isn't certain. */
  toPosix(given: Arguments): string[] | undefined;
}

const paths = ({ operands }: Arguments) => operands.map(pathWord);

const removeFile: Internal = {
  switches: /^[fqs]$/,
  toPosix: (given) => ["rm", ...(given.switches.has("s") ? ["-r"] : []), "-f", "--", ...paths(given)],
};
const removeFolder: Internal = {
  switches: /^[qs]$/,
  toPosix: (given) => [...(given.switches.has("s") ? ["rm", "-r", "-f"] : ["rmdir"]), "--", ...paths(given)],
};
const makeFolder: Internal = { toPosix: (given) => ["mkdir", "-p", "--", ...paths(given)] };
const changeFolder: Internal = {
  switches: /^d$/,
  toPosix(given) {
    const [path, ...more] = paths(given);
    if (path === undefined) return ["pwd"];
    // Without /d, a path on another disk doesn't change the folder.
    return more.length > 0 || (/^[a-z]:/i.test(path) && !given.switches.has("d")) ? undefined : ["cd", "--", path];
  },
};
const twoPaths = (name: string): Internal => ({
  switches: /^(y|-y|v|b)$/,
  toPosix(given) {
    const words = paths(given);
    return words.length === 2 && !words.some((word) => word.includes("+")) ? [name, "--", ...words] : undefined;
  },
});

/** Commands that are part of `cmd.exe`; they come before programs of the same name. */
const INTERNAL: Readonly<Record<string, Internal>> = {
  dir: {
    switches: /^([bslwqnx4]|a(:?[dhsrial-]+)?|o(:?[nsedg-]+)?|-c)$/,
    toPosix: (given) => ["ls", ...(given.switches.has("s") ? ["-R"] : []), "--", ...paths(given)],
  },
  type: { toPosix: (given) => ["cat", "--", ...paths(given)] },
  del: removeFile,
  erase: removeFile,
  rd: removeFolder,
  rmdir: removeFolder,
  md: makeFolder,
  mkdir: makeFolder,
  cd: changeFolder,
  chdir: changeFolder,
  copy: twoPaths("cp"),
  move: twoPaths("mv"),
  ver: { toPosix: ({ operands }) => (operands.length === 0 ? ["uname"] : undefined) },
};

/** Commands that change what later ones mean, or hold others. */
const UNKNOWN =
  /^(set|setlocal|endlocal|for|if|else|goto|call|start|assoc|ftype|path|pushd|popd|subst|doskey|prompt|ren|rename|mklink|exit|cmd|pause|shift|color|date|time|vol|label|break|verify)$/;

/** As `cmdletToPosix`, for a command of `cmd.exe`. */
export function cmdToPosix(name: string, words: readonly WindowsWord[]): string[] | "program" | undefined {
  const known = name.toLowerCase();
  if (known === "echo") return ["echo", ...words.map(textWord)];
  if (UNKNOWN.test(known)) return undefined;
  const internal = Object.hasOwn(INTERNAL, known) ? INTERNAL[known] : undefined;
  if (internal === undefined) return known === "findstr" ? findstr(words) : "program";
  if (!words.every(({ text }) => isPlainPath(text) || /^\/[ao]:/i.test(text))) return undefined;
  const given = internalArguments(words, internal);
  return given === undefined ? undefined : internal.toPosix(given);
}

/** A program that every Windows has. Its pattern is the first word, or stands behind `/c:`. */
function findstr(words: readonly WindowsWord[]): string[] | undefined {
  const isOption = ({ text }: WindowsWord) => text.startsWith("/");
  const options = words.filter(isOption);
  const rest = words.filter((word) => !isOption(word));
  if (!options.every(({ text }) => /^\/([bilmnoprvx]+|c:.+)$/i.test(text))) return undefined; // /f and /g name files, and /s more folders
  const literal = options.find(({ text }) => /^\/c:/i.test(text));
  const [pattern, ...files] = literal === undefined ? rest : [{ ...literal, text: literal.text.slice(3) }, ...rest];
  if (pattern === undefined || !files.every(({ text }) => isPlainPath(text))) return undefined;
  return ["grep", "-e", textWord(pattern), "--", ...files.map(pathWord)];
}
