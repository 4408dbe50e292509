import { pathGlob } from "../util/path-glob.ts";

const MAX_GLOBS = 50;
const MAX_GLOB_LENGTH = 200;
/** Of globs that in all have more alternatives than this, only the first count. */
const MAX_ALTERNATIVES = 50;

/** Reads a list of globs: separated by commas outside of braces, or a list in YAML that was read as one text. */
export function splitGlobs(text: string): string[] {
  const list = text.trim();
  return splitOutsideBraces(list.startsWith("[") && list.endsWith("]") ? list.slice(1, -1) : list)
    .map((item) => item.trim().replace(/^(["'])(.*)\1$/, "$2"))
    .filter((glob) => glob !== "" && glob.length <= MAX_GLOB_LENGTH)
    .slice(0, MAX_GLOBS);
}

/**
 * Makes a test for slash-separated paths below a folder. A glob without a slash is for names in any folder, and one that ends with a slash is
 * for everything in that folder. It takes time in proportion to the lengths, whatever the globs: they come from a project.
 */
export function anyGlob(globs: readonly string[]): (path: string) => boolean {
  let tests: ((path: string) => boolean)[] | undefined;
  return (path) => {
    tests ??= globs
      .flatMap((glob) => expandBraces(normalize(glob)))
      .slice(0, MAX_ALTERNATIVES)
      .map(pathGlob);
    return tests.some((test) => test(path));
  };
}

function splitOutsideBraces(text: string): string[] {
  const items: string[] = [];
  let from = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "{") depth++;
    else if (character === "}") depth = Math.max(0, depth - 1);
    else if (character === "," && depth === 0) {
      items.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...items, text.slice(from)];
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
