/** A replacement for the `edit` tool, and whether it takes the comment away. */
export interface DemoEdit {
  oldText: string;
  newText: string;
  isRemoval: boolean;
}

const REMARK = "A line that Tiller's demo added.";

const SLASHES = new Set("c cc cpp cs dart go h hpp java js jsx kt mjs cjs php rs scala swift ts tsx".split(" "));
const TAGS = new Set("html htm md markdown svg vue xml".split(" "));
const STARS = new Set("css less scss".split(" "));
const DASHES = new Set("elm hs lua sql".split(" "));
const NONE = new Set("csv json lock tsv".split(" "));

/**
 * Plans a small real change: a comment above the first fitting line, or its removal when it is there.
 * @returns undefined when the file has no line that stands there once, or its format knows no comments.
 */
export function planEdit(path: string, text: string): DemoEdit | undefined {
  const comment = commentFor(path);
  if (comment === undefined) return undefined;
  if (text.includes(`${comment}\n`)) return { oldText: `${comment}\n`, newText: "", isRemoval: true };
  const line = firstFittingLine(text.split("\n"));
  return line === undefined ? undefined : { oldText: line, newText: `${comment}\n${line}`, isRemoval: false };
}

function commentFor(path: string): string | undefined {
  const extension = /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  if (NONE.has(extension)) return undefined;
  if (SLASHES.has(extension)) return `// ${REMARK}`;
  if (TAGS.has(extension)) return `<!-- ${REMARK} -->`;
  if (STARS.has(extension)) return `/* ${REMARK} */`;
  return DASHES.has(extension) ? `-- ${REMARK}` : `# ${REMARK}`;
}

/** The first line with text that stands alone in the file; lines that must stay first are passed over. */
function firstFittingLine(lines: readonly string[]): string | undefined {
  const text = lines.join("\n");
  return lines.find((line) => line.trim() !== "" && !/^(?:#!|<\?|<!doctype|---)/i.test(line) && occursOnce(text, line));
}

function occursOnce(text: string, line: string): boolean {
  return text.indexOf(line) === text.lastIndexOf(line);
}
