/** A finding of a review, at a place in a file. Lines are 1-based, both inclusive. */
export interface Finding {
  /** The path as the model wrote it. */
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly severity: "error" | "warning" | "note";
  /** The explanation, as Markdown without images. */
  readonly message: string;
}

const MAX_FINDINGS = 200;
const MAX_LINE_CHARS = 4_000;

/** The start of a list item: a mark or a number, then a path and a line, with or without marks of code, strong text, or a link around it. */
const ITEM =
  /^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\*\*|\[|`){0,3}([^\s`*[\]:][^`*[\]:]{0,300}):(\d{1,7})(?:[-–](\d{1,7}))?(.*)$/;
/** The rest of the place's marks, such as `](src/a.ts#L3)`. */
const MARKS = /^(?:\*\*|`|\](?:\([^()]{0,400}\))?){1,3}/;
const SEVERITY = /^[\s:–—-]*(?:\*\*|\(|\[)?(error|warning|note)\b(?:\*\*|\)|\])?[\s:–—-]*/i;
const SEPARATOR = /^[\s:–—-]+/;

/** Finds the items in an answer that begin with a place, such as `- src/a.ts:12: error: …`. The indented lines below an item belong to it. */
export function findFindings(answer: string): Finding[] {
  const findings: Finding[] = [];
  let isOpen = false;
  for (const line of answer.split("\n")) {
    const found = line.length > MAX_LINE_CHARS ? undefined : readItem(line);
    const last = findings.at(-1);
    if (found !== undefined) {
      if (findings.length === MAX_FINDINGS) break;
      findings.push(found);
      isOpen = true;
    } else if (isOpen && last !== undefined && /^\s+\S/.test(line)) {
      findings[findings.length - 1] = { ...last, message: `${last.message}\n${line.trim()}`.trim() };
    } else if (line.trim() !== "") isOpen = false;
  }
  return findings.flatMap((finding) =>
    finding.message === "" ? [] : { ...finding, message: withoutImages(finding.message) },
  );
}

/** Leaves a link of each image, which the editor would fetch from wherever the model says. */
function withoutImages(markdown: string): string {
  return markdown.replaceAll("![", "[");
}

function readItem(line: string): Finding | undefined {
  const [, path, start, end, rest = ""] = ITEM.exec(line) ?? [];
  const startLine = Number(start);
  if (path === undefined || startLine < 1) return undefined;
  const text = rest.replace(MARKS, "");
  const severity = SEVERITY.exec(text);
  return {
    path: path.trim(),
    startLine,
    endLine: Math.max(startLine, Number(end ?? startLine)),
    severity: readSeverity(severity?.[1]),
    message: text
      .slice(severity?.[0].length ?? 0)
      .replace(SEPARATOR, "")
      .trim(),
  };
}

function readSeverity(word = "warning"): Finding["severity"] {
  const lower = word.toLowerCase();
  return lower === "error" || lower === "note" ? lower : "warning";
}
