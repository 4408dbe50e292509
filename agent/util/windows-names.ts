/** Names of devices, with any ending. */
const DEVICE = /^(con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3]|conin\$|conout\$)(\..*)?$/i;

/** The start of a path that goes on with a drive or a server: Windows takes what follows as it stands. */
const VERBATIM = /^\\\\\?\\(?=[a-z]:\\|unc\\)/i;

/** Returns an absolute path that is about to be used. @throws Error where Windows would take it for something else than the file that it names. */
export function ordinaryPath(path: string): string {
  const problem = process.platform === "win32" ? windowsNameProblem(path) : undefined;
  if (problem !== undefined) throw new Error(`${path} can't be used on Windows: ${problem}.`);
  return path;
}

/**
 * Returns why Windows takes an absolute path for something else than the file that it seems to name, or would make a file that most programs
 * can't open; undefined for any other path.
 */
export function windowsNameProblem(path: string): string | undefined {
  const plain = path.replaceAll("/", "\\").replace(VERBATIM, "");
  if (/^\\\\[.?]\\/.test(plain)) return "it is the path of a device";
  for (const name of plain.replace(/^[a-z]:/i, "").split("\\")) {
    if (name === "." || name === "..") continue;
    if (name.includes(":")) return `"${name}" names a stream of a file`;
    if (/[<>"|\p{Cc}]/u.test(name)) return `"${name}" has characters that no name may have there`;
    if (/[. ]$/.test(name)) return `"${name}" ends with a character that is left out there`;
    if (DEVICE.test(name)) return `"${name}" is the name of a device`;
  }
  return undefined;
}
