/**
 * Makes a test for slash-separated paths: `*` and `?` stay within a name, `**` goes through folders, everything else is itself.
 */
export function pathGlob(glob: string): (path: string) => boolean {
  const source = glob.replace(/\*\*\/|\*\*|\*|\?|[.+^${}()|[\]\\]/g, (part) => {
    switch (part) {
      case "**/":
        return "(?:.*/)?";
      case "**":
        return ".*";
      case "*":
        return "[^/]*";
      case "?":
        return "[^/]";
      default:
        return `\\${part}`;
    }
  });
  const expression = new RegExp(`^${source}$`, "s");
  return (path) => expression.test(path);
}
