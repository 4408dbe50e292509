const CLOSERS: Readonly<Record<string, string>> = { "[": "]", "{": "}" };

/**
 * Makes a test for slash-separated relative paths. A glob without a slash is for names in any folder; one with a slash is for the whole path,
 * and a leading slash means the searched folder. Dotfiles match like others.
 * @throws Error that says what is wrong with the glob.
 */
export async function compileGlob(glob: string): Promise<(path: string) => boolean> {
  requireClosed(glob);
  const { default: picomatch } = await import("picomatch");
  const pattern = glob.replace(/^\.?\//, "");
  const isForNames = !glob.includes("/");
  return picomatch(pattern, { dot: true, basename: isForNames });
}

/** Returns words for the model why a glob that is right may match nothing; undefined when it is plain. */
export function globHint(glob: string): string | undefined {
  if (/(?:^|\/)\.\.(?:\/|$)/.test(glob))
    return "A glob does not lead out of the searched folder; give the folder as path.";
  if (/^(?:\/|~\/|[a-z]:[\\/])/i.test(glob))
    return "A glob begins in the searched folder; give another folder as path.";
  if (/\.\+|\\\.|\$$|^\^/.test(glob))
    return "This looks like a regular expression; a glob is written like *.ts or src/**/*.test.ts.";
  if (/\\\w/.test(glob)) return "Folders are separated by /; \\ stands before a character that means itself.";
  return undefined;
}

function requireClosed(glob: string): void {
  const open: { bracket: string; at: number }[] = [];
  for (let at = 0; at < glob.length; at++) {
    const character = glob.charAt(at);
    const last = open.at(-1)?.bracket;
    if (character === "\\") at++;
    else if (last !== "[" && Object.hasOwn(CLOSERS, character)) open.push({ bracket: character, at });
    else if (last !== undefined && character === CLOSERS[last]) open.pop();
  }
  const [first] = open;
  if (first === undefined) return;
  const { bracket, at } = first;
  throw new Error(
    `The glob ${glob} is not complete: the ${bracket} at character ${at + 1} has no ${CLOSERS[bracket]}. Write \\${bracket} for the character itself.`,
  );
}
