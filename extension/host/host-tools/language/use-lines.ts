import { grouped } from "../listing.ts";

/** A place where something is used. */
export interface Use {
  /** 0-based. */
  readonly line: number;
  readonly isWrite: boolean;
}

interface UsedText {
  readonly lineCount: number;
  /** Returns the text of a line, 0-based. */
  textOf(line: number): string;
}

/** Formats the lines that use something, each once, with `context` lines around; each says how many uses it has, and whether it writes. */
export function useLines(uses: readonly Use[], { lineCount, textOf }: UsedText, context: number): string[] {
  const byLine = grouped(uses, ({ line }) => line);
  const shown = new Set<number>();
  for (const line of byLine.keys()) {
    for (let at = line - context; at <= line + context; at += 1) if (at >= 0 && at < lineCount) shown.add(at);
  }
  return [...shown]
    .sort((a, b) => a - b)
    .map((line) => {
      const here = byLine.get(line) ?? [];
      return `  ${here.length === 0 ? " " : ">"} ${line + 1}${notes(here)}: ${textOf(line)}`;
    });
}

function notes(uses: readonly Use[]): string {
  const writes = uses.filter(({ isWrite }) => isWrite).length;
  const written = writes === uses.length ? "write" : `${writes} of them ${writes === 1 ? "a write" : "writes"}`;
  const shown = [uses.length > 1 ? `${uses.length} uses` : "", writes > 0 ? written : ""].filter((note) => note !== "");
  return shown.length === 0 ? "" : ` (${shown.join(", ")})`;
}
