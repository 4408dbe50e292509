/** Returns a pattern for every file whose path ends like one of `paths`; undefined when none of them can be searched. */
export function searchPattern(paths: readonly string[]): string | undefined {
  const ends = [...new Set(paths.flatMap((path) => pathEnd(path) ?? []))];
  if (ends.length === 0) return undefined;
  return ends.length === 1 ? `**/${ends[0]}` : `**/{${ends.join(",")}}`;
}

/** True when a file's path ends with the segments of `path`. */
export function endsWithPath(filePath: string, path: string): boolean {
  const end = pathEnd(path);
  return end !== undefined && `/${filePath}`.endsWith(`/${end}`);
}

/** Returns a relative path without special characters of patterns; undefined if it has others. */
function pathEnd(path: string): string | undefined {
  const end = path.replaceAll("\\", "/").replace(/^(?:\.{1,2}\/)+/, "");
  return /^[\w@.+-]+(?:\/[\w@.+-]+)*$/.test(end) && !/(?:^|\/)\.\.?(?:\/|$)/.test(end) ? end : undefined;
}
