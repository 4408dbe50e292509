/** The beginning of a text as one line. @param limit UTF-16 units at most, with the mark for what is left out. */
export function firstLine(text: string, limit: number): string {
  const line = oneLine(text.slice(0, limit * 4));
  const isAll = text.length <= limit * 4 && line.length <= limit;
  return isAll ? line : `${wellFormed(line.slice(0, limit - 1))}…`;
}

/** Returns the text around a place, as one line. @param limit maximum in UTF-16 units, including the marks for omissions. */
export function around(text: string, at: number, limit: number): string {
  const from = Math.max(0, at - Math.floor(limit / 3));
  const line = oneLine(wellFormed(text.slice(from, from + limit)));
  const before = from > 0 ? "…" : "";
  const isEnd = from + limit >= text.length && before.length + line.length <= limit;
  return isEnd ? before + line : `${before}${wellFormed(line.slice(0, limit - before.length - 1))}…`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Takes away half a character at either end. */
function wellFormed(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "");
}
