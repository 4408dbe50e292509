/** Limits of a kept text, in lines and in bytes of UTF-8. */
export const MAX_LINES = 2000;
export const MAX_BYTES = 50 * 1024;

/** The kept part of a text. */
export interface CutText {
  readonly text: string;
  readonly isCut: boolean;
}

/** Returns the UTF-8 length of a text in bytes. An unpaired surrogate counts as three, as it would be written. */
export function byteLength(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    bytes += unitBytes(text, index);
  }
  return bytes;
}

/** Counts the lines of a text; a line break at the end starts no new one. */
export function lineCount(text: string): number {
  if (text === "") return 0;
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < text.length - 1; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

/** Keeps the start of a text, in whole lines if one fits, within `MAX_LINES` and `maxBytes`. Never splits a surrogate pair. */
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

/** Keeps the end of a text, in whole lines if one fits, within `MAX_LINES` and `maxBytes`. Never splits a surrogate pair. */
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

/** True when the unit is the low surrogate of a pair. */
function isSecondHalf(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  const before = text.charCodeAt(index - 1);
  return unit >= 0xdc00 && unit < 0xe000 && before >= 0xd800 && before < 0xdc00;
}
