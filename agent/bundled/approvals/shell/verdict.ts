import type { Danger } from "../../../protocol/dialogs.ts";

/**
 * Effect of a part of a command, from the least: it reads the workspace; it reads elsewhere, or files that are not known before; it changes
 * the workspace; it changes files in the folder for temporary ones; it has to be asked about each time.
 */
export type Level = "reads" | "reads-elsewhere" | "changes" | "temporary" | "never";

const ORDER: readonly Level[] = ["reads", "reads-elsewhere", "changes", "temporary", "never"];

/** One command of a script, or one file that its output goes to. */
export interface Part {
  level: Level;
  /** The words that rules are matched against; a word that is known only at run time is undefined. */
  words: readonly (string | undefined)[];
  /** The reasons why it isn't harmless, for people. */
  reasons: readonly string[];
  /** Dangers of the call. */
  dangers?: readonly Danger[];
}

/** Returns the worse of two levels. */
export function worse(one: Level, other: Level): Level {
  return ORDER.indexOf(one) >= ORDER.indexOf(other) ? one : other;
}

/** Returns the level of the worst part. */
export function worstOf(parts: readonly Part[]): Level {
  return parts.reduce<Level>((level, part) => worse(level, part.level), "reads");
}

/** Returns a part that no rule may allow. */
export function neverPart(reason: string): Part {
  return { level: "never", words: [undefined], reasons: [reason] };
}

/** Returns a part for a script that can't be judged. */
export function unjudged(reason: string, dangers: readonly Danger[] = []): Part {
  return { ...neverPart(`can't be checked: ${reason}`), dangers };
}
