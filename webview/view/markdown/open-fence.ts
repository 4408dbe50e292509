import { addCode, openLastLine } from "../code/code-text.ts";

/** The code of a fence that is not closed yet. */
export interface OpenFence {
  /** Adds text when it cannot hold the closing line. @returns whether it was added. */
  grow(text: string): boolean;
}

/**
 * Extends the code of a fence without parsing it again.
 * @param source the fence as far as it has come.
 * @param block the element that it was drawn as.
 */
export function openFence(source: string, block: Element | null): OpenFence | undefined {
  const marker = /^(?:`{3,}|~{3,})/.exec(source)?.[0].slice(0, 3);
  const code = block?.querySelector("pre > code");
  if (marker === undefined || !code || !source.includes("\n")) return undefined;
  let carry = source.slice(-2);
  if (source.slice(source.lastIndexOf("\n") + 1).includes(marker[0] ?? "")) return undefined;
  if (!source.endsWith("\n")) openLastLine(code);
  return {
    grow(text) {
      if ((carry + text).includes(marker)) return false;
      carry = (carry + text).slice(-2);
      addCode(code, text);
      return true;
    },
  };
}
