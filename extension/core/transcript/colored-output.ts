import { isRecord } from "./tool-presenters.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with a control character
const COLORS = /\u001b\[[\d;:]*m/g;
const RESET = "\u001b[0m";

/**
 * Returns the end of a result with the colors that its details have, from the start of a line; undefined if they have none, or those of another
 * text. @param maxChars its length without what sets the colors.
 */
export function coloredEnd(output: string, details: unknown, maxChars: number): string | undefined {
  const given = isRecord(details) ? details.coloredText : undefined;
  if (typeof given !== "string") return undefined;
  const colored = given.replace(/\n$/, "");
  const plain = withoutColors(colored);
  const at = plain === "" ? -1 : output.lastIndexOf(plain);
  if (at === -1) return undefined;
  const before = output.slice(0, at);
  const after = output.slice(at + plain.length);
  const lines = `${before}${colored}${RESET}${after}`.split("\n");
  let first = lines.length;
  for (let left = maxChars; first > 0; first--) {
    left -= withoutColors(lines[first - 1] ?? "").length + 1;
    if (left < -1) break;
  }
  return first === lines.length ? undefined : lines.slice(first).join("\n");
}

/** Returns a text without the sequences that set colors. */
export function withoutColors(text: string): string {
  return text.replace(COLORS, "");
}
