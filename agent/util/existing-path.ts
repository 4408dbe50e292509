import { readdir, stat } from "node:fs/promises";
import { basename, isAbsolute, join, parse, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { resolvePath } from "./paths.ts";

const UNICODE_SPACES = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;
const QUOTES = /^(["'`])(.+)\1$|^“(.+)”$/s;
/** A line behind a path, such as `:12`, `:12:5`, `:12-20` or `:12:`. */
const LINE = /^(.{2,}?):\d+(?::\d+|-\d+)?:?$/s;
/** Only these differ between names that look alike. */
const MAY_LOOK_ALIKE = /[^\w.-]/;

/**
 * As `resolvePath`, but when nothing is there tries what the path plainly means: without quotes, `file://`, blanks around it, a line number or
 * a repeated name of the folder, then the one file whose name differs only in the form of its letters, blanks and quotes.
 * @returns the first that exists, else the path as it would be made.
 */
export async function resolveExistingPath(cwd: string, path: string): Promise<string> {
  const literal = resolvePath(cwd, path);
  if (await exists(literal)) return literal;
  const plain = cleanPath(path);
  const lineless = withoutLine(plain);
  const forms = [plain, ...(lineless === undefined ? [] : [lineless])].flatMap((form) => {
    const absolute = resolvePath(cwd, form);
    return [absolute, ...withoutRepeatedName(cwd, absolute)];
  });
  const candidates = new Set([resolvePath(cwd, path.replace(UNICODE_SPACES, " ")), resolve(cwd, path), ...forms]);
  for (const candidate of candidates) if (await exists(candidate)) return candidate;
  for (const candidate of candidates) {
    const alike = await lookAlike(candidate);
    if (alike !== undefined) return alike;
  }
  return resolvePath(cwd, plain);
}

/** As `resolvePath`, for a file that may be made: if nothing is there, quotes, `file://` and blanks around the path are left out. */
export async function resolveNewPath(cwd: string, path: string): Promise<string> {
  const literal = resolvePath(cwd, path);
  return (await exists(literal)) ? literal : resolvePath(cwd, cleanPath(path));
}

/** Returns a path without the line number behind it; undefined when there is none. */
export function withoutLine(path: string): string | undefined {
  return LINE.exec(path)?.[1];
}

/** True if something is at a path. */
export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function cleanPath(path: string): string {
  const bare = path.trim().replace(/^@/, "");
  const [, , quoted, curly] = QUOTES.exec(bare) ?? [];
  const plain = (quoted ?? curly ?? bare).trim();
  if (!/^file:\/\//i.test(plain)) return plain === "" ? path : plain;
  try {
    return fileURLToPath(plain);
  } catch {
    return plain; // of another machine, or no URL
  }
}

/** For a path in a folder of the working directory that has its name: the same path in the working directory. */
function withoutRepeatedName(cwd: string, absolute: string): string[] {
  const below = relative(cwd, absolute);
  const [first, ...rest] = below.split(sep);
  return first !== "" && first === basename(cwd) && !isAbsolute(below) ? [resolve(cwd, ...rest)] : [];
}

/** Returns the one file whose path looks like this one; undefined when there is none, or several. */
async function lookAlike(absolute: string): Promise<string | undefined> {
  const { root } = parse(absolute);
  let current = root;
  for (const name of absolute.slice(root.length).split(sep)) {
    const next = join(current, name);
    if (await exists(next)) {
      current = next;
      continue;
    }
    if (!MAY_LOOK_ALIKE.test(name)) return undefined;
    const wanted = look(name);
    const [only, ...others] = (await readdir(current).catch(() => [])).filter((entry) => look(entry) === wanted);
    if (only === undefined || others.length > 0) return undefined;
    current = join(current, only);
  }
  return current;
}

/** Returns a name without what a reader does not see: macOS decomposes letters, and uses narrow spaces and curly quotes in names. */
function look(name: string): string {
  return name
    .normalize("NFC")
    .replace(UNICODE_SPACES, " ")
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u201c\u201d]/g, '"');
}
