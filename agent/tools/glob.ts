/**
 * Makes a test for slash-separated relative paths. A glob without a slash is for names in any folder; one with a slash is for the whole path,
 * and a leading slash means the searched folder. Dotfiles match like others.
 */
export async function compileGlob(glob: string): Promise<(path: string) => boolean> {
  const { default: picomatch } = await import("picomatch");
  const pattern = glob.replace(/^\.?\//, "");
  const isForNames = !glob.includes("/");
  return picomatch(pattern, { dot: true, basename: isForNames });
}
