import { homedir } from "node:os";
import { isAbsolute, resolve, sep } from "node:path";

/** A URI that only an editor opens, such as `untitled:Untitled-1`. Drives have one letter, so no absolute path matches. */
const EDITOR_ADDRESS = /^(?!file:|https?:)[a-z][a-z0-9+.-]+:\S/i;

/** A way up, with escapes too, which whoever opens it resolves: it could lead to a file that nobody thinks of when they see the address. */
const WAY_UP = /(?:[\\/]|%2f|%5c)(?:\.|%2e){2}(?:[\\/?#]|%2f|%5c|$)/i;

/** True if a text has the form of an address that only an editor opens; a relative path may have it too. */
export function looksLikeAddress(text: string): boolean {
  return EDITOR_ADDRESS.test(text) && !WAY_UP.test(text);
}

/** A path as the model wrote it, made absolute: a leading `@` is dropped and `~` is the home folder. */
export function resolvePath(cwd: string, path: string): string {
  const plain = path.startsWith("@") ? path.slice(1) : path;
  if (plain === "~") return homedir();
  if (plain.startsWith("~/") || plain.startsWith("~\\")) return resolve(homedir(), plain.slice(2));
  return isAbsolute(plain) ? resolve(plain) : resolve(cwd, plain);
}

/** A relative path with forward slashes, whatever the platform writes. */
export function toSlashes(path: string): string {
  return sep === "/" ? path : path.replaceAll(sep, "/");
}

/** True if a thrown value is a system error, such as ENOENT; `code` is its name. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException & { code: string } {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}
