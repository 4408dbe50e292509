/** Linux paths as Wine shows them: the root folder is its drive Z. */

/** What a path on that drive is made of, up to where a text goes on. */
const WINDOWS_PATH = /\bZ:(?:[\\/][^\\/:*?"<>|\s'`,;()[\]{}]*)+/gi;

/** @param {string} path an absolute path. */
export function toWindows(path) {
  return `Z:${path.replaceAll("/", "\\")}`;
}

/** @param {string} path @returns the path for Linux, or the same when it is on another drive. */
export function toLinux(path) {
  return /^Z:[\\/]/i.test(path) ? path.slice(2).replaceAll("\\", "/") : path;
}

/** Turns the paths in a text. @param {string} text */
export function linuxPathsIn(text) {
  return text.replace(WINDOWS_PATH, toLinux);
}

/** Turns the paths in all texts of a value. @param {unknown} value @returns {unknown} */
export function withLinuxPaths(value) {
  if (typeof value === "string") return linuxPathsIn(value);
  if (Array.isArray(value)) return value.map(withLinuxPaths);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [linuxPathsIn(key), withLinuxPaths(part)]));
}

/** The same for a line of JSON; any other line is taken as text. @param {string} line */
export function lineWithLinuxPaths(line) {
  if (!/Z:[\\/]/i.test(line)) return line;
  try {
    return JSON.stringify(withLinuxPaths(JSON.parse(line)));
  } catch {
    return linuxPathsIn(line);
  }
}
