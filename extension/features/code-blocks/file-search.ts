/** A pattern that finds every file whose path ends like one of `paths`; undefined when none of them can be searched for. */
export function searchPattern(paths: readonly string[]): string | undefined {
  const ends = [...new Set(paths.flatMap((path) => pathEnd(path) ?? []))];
  if (ends.length === 0) return undefined;
  return ends.length === 1 ? `**/${ends[0]}` : `**/{${ends.join(",")}}`;
}

/** Whether a file's path ends with the parts of `path`. */
export function endsWithPath(filePath: string, path: string): boolean {
  const end = pathEnd(path);
  return end !== undefined && `/${filePath}`.endsWith(`/${end}`);
}

/** Parts of a relative path, without signs that mean something in a pattern. */
function pathEnd(path: string): string | undefined {
  const end = path.replaceAll("\\", "/").replace(/^(?:\.{1,2}\/)+/, "");
  return /^[\w@.+-]+(?:\/[\w@.+-]+)*$/.test(end) && !/(?:^|\/)\.\.?(?:\/|$)/.test(end) ? end : undefined;
}
