/** Most that is kept of a text. Bytes are those of UTF-8. */
export const MAX_LINES = 2000;
export const MAX_BYTES = 50 * 1024;

/** What is left of a text. */
export interface CutText {
  readonly text: string;
  readonly isCut: boolean;
}

/** How many bytes a text has in UTF-8. A half of a pair counts as three, which is what it would be written as. */
export function byteLength(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    bytes += unitBytes(text, index);
  }
  return bytes;
}

/** How many lines a text has; a line break at the end begins none. */
export function lineCount(text: string): number {
  if (text === "") return 0;
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < text.length - 1; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

/** The start of a text, whole lines where one fits, at most `MAX_LINES` and `maxBytes`. Never half of a pair. */
export function keepStart(text: string, maxBytes = MAX_BYTES): CutText {
  let bytes = 0;
  let lines = 0;
  let lineEnd = 0;
  for (let index = 0; index < text.length; index += 1) {
    bytes += unitBytes(text, index);
    if (bytes > maxBytes || lines === MAX_LINES) {
      const end = lineEnd > 0 ? lineEnd : isSecondHalf(text, index) ? index - 1 : index;
      return { text: text.slice(0, end), isCut: true };
    }
    if (text.charAt(index) !== "\n") continue;
    lines += 1;
    lineEnd = index + 1;
  }
  return { text, isCut: false };
}

/** The end of a text, whole lines where one fits, at most `MAX_LINES` and `maxBytes`. Never half of a pair. */
export function keepEnd(text: string, maxBytes = MAX_BYTES): CutText {
  let bytes = 0;
  let lines = 0;
  let lineStart = text.length;
  for (let index = text.length - 1; index >= 0; index -= 1) {
    const isBreak = text.charAt(index) === "\n" && index < text.length - 1;
    if (isBreak) {
      lines += 1;
      lineStart = index + 1;
    }
    bytes += unitBytes(text, index);
    if (bytes <= maxBytes && lines < MAX_LINES) continue;
    const start = lineStart < text.length ? lineStart : isSecondHalf(text, index + 1) ? index + 2 : index + 1;
    return { text: text.slice(start), isCut: true };
  }
  return { text, isCut: false };
}

function unitBytes(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  if (unit < 0x80) return 1;
  if (unit < 0x800) return 2;
  const isHalf = (unit >= 0xd800 && unit < 0xdc00 && isSecondHalf(text, index + 1)) || isSecondHalf(text, index);
  return isHalf ? 2 : 3;
}

/** Whether the unit is the second of a pair whose first stands before it. */
function isSecondHalf(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  const before = text.charCodeAt(index - 1);
  return unit >= 0xdc00 && unit < 0xe000 && before >= 0xd800 && before < 0xdc00;
}
