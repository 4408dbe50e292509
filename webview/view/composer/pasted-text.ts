import { t } from "../../l10n.ts";
import type { Attachment, PastedText } from "../../protocol/draft.ts";

/** Pasted text that is longer than this, or has more lines, becomes a chip. UTF-16 units. */
const MAX_PASTED_CHARS = 2_000;
const MAX_PASTED_LINES = 30;

/** True if pasted text is too much to stand in the composer. */
export function isBig(text: string): boolean {
  return text.length > MAX_PASTED_CHARS || lines(text) > MAX_PASTED_LINES;
}

export function lines(text: string): number {
  return text.split("\n").length;
}

/** Returns the number of lines, in words. */
export function wordLines(count: number): string {
  return count === 1 ? t("1 line") : t("{0} lines", count);
}

/** A chip's worth of text, with a number that no other has. */
export function pastedText(text: string, others: readonly Attachment[], name: string): PastedText {
  const marks = new Set(others.flatMap((other) => (other.kind === "text" ? [other.mark] : [])));
  for (let number = 1; ; number += 1) {
    const mark = `[${name} ${number}: ${wordLines(lines(text))}]`;
    const isTaken = [...marks].some((other) => other.includes(` ${number}: `));
    if (!isTaken) return { kind: "text", id: `text-${number}`, mark, text };
  }
}
