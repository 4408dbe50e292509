import type { ToolItem } from "../../protocol/items.ts";
import type { Density } from "../../protocol/ui.ts";
import { terminalOutput } from "../code/ansi.ts";
import { el } from "../common/dom.ts";

/** How many lines of a running command are shown before its card is opened. */
const LINES: Record<Density, number> = { compact: 1, normal: 4, open: 4 };

/** Returns the last lines of what a running command prints; undefined for other calls. */
export function liveLines({ state, inputLanguage, output }: ToolItem, density: Density): string | undefined {
  if (state !== "running" || inputLanguage !== "bash") return undefined;
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  return lines.length === 0 ? undefined : lines.slice(-LINES[density]).join("\n");
}

/** Shows the last lines below the head of a card. @param before the element that showed the lines before. */
export function showLiveLines(
  card: Element,
  before: HTMLElement | undefined,
  lines: string | undefined,
): HTMLElement | undefined {
  if (lines === undefined) {
    before?.remove();
    return undefined;
  }
  const element = before ?? el("pre", "tool-live");
  element.replaceChildren(terminalOutput(lines));
  if (before === undefined) card.append(element);
  return element;
}
