import picomatch from "picomatch";
import { hasInvisible } from "../../util/visible-text.ts";

/** True when the glob of a rule matches a path. Text that is not a glob matches none. */
export function matchesGlob(pattern: string, path: string): boolean {
  try {
    return picomatch.isMatch(path, pattern, { dot: true, nonegate: true, windows: false });
  } catch {
    return false; // a rule that somebody wrote by hand
  }
}

/** Returns the problem with a glob that the user entered for a rule, if there is one. */
export function problemOfGlob(pattern: string): string | undefined {
  if (pattern === "" || hasInvisible(pattern)) return "enter a glob on one line";
  if (pattern.startsWith("!")) return "a rule can only allow, not exclude";
  if (pattern.split("/").includes("..")) return '".." leads out of the workspace';
  try {
    picomatch.makeRe(pattern, { strictBrackets: true });
    return undefined;
  } catch {
    return "is not a glob";
  }
}

/** Returns the glob that matches just this text. */
export function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]{}()!+@|^$]/g, "\\$&");
}
