import { pathGlob } from "../util/path-glob.ts";

const MAX_GLOBS = 50;
const MAX_GLOB_LENGTH = 300;
/** A glob with more alternatives than this matches only the first of them. */
const MAX_ALTERNATIVES = 100;

/** Reads a list of globs: separated by commas outside of braces, or a list in YAML that was read as one text. */
export function splitGlobs(text: string): string[] {
  const items = text.replace(/^\s*\[(.*)\]\s*$/s, "$1").match(/(?:[^,{]|\{[^}]*\}|\{)+/g) ?? [];
  return items
    .map((item) => item.trim().replace(/^(["'])(.*)\1$/, "$2"))
    .filter((glob) => glob !== "" && glob.length <= MAX_GLOB_LENGTH)
    .slice(0, MAX_GLOBS);
}

/**
 * Makes a test for slash-separated paths below a folder. A glob without a slash is for names in any folder, and one that ends with a slash is
 * for everything in that folder. It takes time in proportion to the lengths, whatever the globs: they come from a project.
 */
export function anyGlob(globs: readonly string[]): (path: string) => boolean {
  const tests = globs.flatMap((glob) => expandBraces(normalize(glob))).map(pathGlob);
  return (path) => tests.some((test) => test(path));
}

function normalize(glob: string): string {
  if (!glob.includes("/")) return `**/${glob}`;
  return glob.replace(/^\.?\//, "").replace(/\/$/, "/**");
}

function expandBraces(glob: string): string[] {
  let open = [glob];
  const done: string[] = [];
  while (open.length > 0 && done.length < MAX_ALTERNATIVES) {
    const [first = "", ...rest] = open;
    const [, before = "", inside, after = ""] = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(first) ?? [];
    if (inside === undefined) done.push(first);
    const forms = inside === undefined ? [] : inside.split(",").map((part) => before + part.trim() + after);
    open = [...forms, ...rest].slice(0, MAX_ALTERNATIVES);
  }
  return done;
}
