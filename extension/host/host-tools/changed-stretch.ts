/** Finds the one range in which two texts differ, in UTF-16 units of the first, and its replacement. Never cuts a surrogate pair in two. */
export function changedStretch(before: string, after: string): { start: number; end: number; newText: string } {
  const shortest = Math.min(before.length, after.length);
  let start = 0;
  while (start < shortest && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  if (isHighSurrogate(before.charCodeAt(start - 1))) start--;
  let same = 0;
  while (same < shortest - start && fromEnd(before, same) === fromEnd(after, same)) same++;
  if (same > 0 && isLowSurrogate(fromEnd(before, same - 1))) same--;
  return { start, end: before.length - same, newText: after.slice(start, after.length - same) };
}

function fromEnd(text: string, count: number): number {
  return text.charCodeAt(text.length - 1 - count);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
