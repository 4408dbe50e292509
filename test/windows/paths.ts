/** Linux paths as Wine shows them: the root folder is its drive Z. */

/** What a path on that drive is made of, up to where a text goes on. */
const WINDOWS_PATH = /\bZ:(?:[\\/][^\\/:*?"<>|\s'`,;()[\]{}]*)+/gi;

/** @param path an absolute path. */
export function toWindows(path: string): string {
  return `Z:${path.replaceAll("/", "\\")}`;
}

/** Returns the path for Linux, or the same when it is on another drive. In JSON within a text, each backslash stands twice. */
export function toLinux(path: string): string {
  return /^Z:[\\/]/i.test(path) ? path.slice(2).replaceAll(/\\+/g, "/") : path;
}

/** Turns the paths in a text. */
export function linuxPathsIn(text: string): string {
  return text.replace(WINDOWS_PATH, (path) => toLinux(path));
}

/** Turns the paths in all texts of a value. */
export function withLinuxPaths(value: unknown): unknown {
  if (typeof value === "string") return linuxPathsIn(value);
  if (Array.isArray(value)) return value.map(withLinuxPaths);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [linuxPathsIn(key), withLinuxPaths(part)]));
}

/** The same for a line of JSON; any other line is taken as text. */
export function lineWithLinuxPaths(line: string): string {
  if (!/Z:[\\/]/i.test(line)) return line;
  try {
    return JSON.stringify(withLinuxPaths(JSON.parse(line)));
  } catch {
    return linuxPathsIn(line);
  }
}
