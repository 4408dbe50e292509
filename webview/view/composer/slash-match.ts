import type { PanelCommand } from "../../protocol/ui.ts";

/** A command that fits what was typed; `letters` are the places in its name that were typed, in UTF-16 units. */
export interface SlashMatch {
  readonly command: PanelCommand;
  readonly letters: readonly number[];
}

/**
 * The commands that fit `query`, the best first: those that begin with it, those with a word that does, those that hold it, those that
 * hold its letters in order, and those whose description holds it. Among equals the order stays.
 */
export function matchCommands(query: string, commands: readonly PanelCommand[]): SlashMatch[] {
  const wanted = query.toLowerCase();
  const ranked = commands.flatMap((command) => {
    const found = rank(wanted, command);
    return found === undefined ? [] : [{ ...found, command }];
  });
  ranked.sort((a, b) => a.rank - b.rank);
  return ranked.map(({ command, letters }) => ({ command, letters }));
}

function rank(wanted: string, { name, description }: PanelCommand): { rank: number; letters: number[] } | undefined {
  const lower = name.toLowerCase();
  const at = lower.indexOf(wanted);
  const span = (start: number) => Array.from(wanted, (_, index) => start + index);
  if (at === 0) return { rank: 0, letters: span(0) };
  const word = wordStart(lower, wanted);
  if (word !== -1) return { rank: 1, letters: span(word) };
  if (at > 0) return { rank: 2, letters: span(at) };
  const letters = inOrder(lower, wanted);
  if (letters !== undefined) return { rank: 3, letters };
  return description.toLowerCase().includes(wanted) ? { rank: 4, letters: [] } : undefined;
}

/** Returns the index of a word in `name` that begins with `wanted`, or -1. */
function wordStart(name: string, wanted: string): number {
  for (let at = name.indexOf(wanted); at !== -1; at = name.indexOf(wanted, at + 1)) {
    if (/[^\p{L}\p{N}]/u.test(name.charAt(at - 1))) return at;
  }
  return -1;
}

function inOrder(name: string, wanted: string): number[] | undefined {
  const letters: number[] = [];
  let from = 0;
  for (const letter of wanted) {
    const at = name.indexOf(letter, from);
    if (at === -1) return undefined;
    letters.push(at);
    from = at + 1;
  }
  return letters;
}
