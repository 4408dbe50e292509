import { t } from "../../../webview/l10n.ts";

const QUOTED_ESCAPES = '"\\$`';

/**
 * Splits a command line into words as a POSIX shell would: single quotes keep everything, double quotes keep blanks, a backslash keeps the
 * next character. Nothing is expanded. On Windows a backslash is an ordinary character, since paths are full of them.
 * @throws Error for an unclosed quote.
 */
export function splitCommandLine(line: string, platform: NodeJS.Platform = process.platform): string[] {
  const words: string[] = [];
  const hasEscapes = platform !== "win32";
  let word: string | undefined;
  let quote = "";
  for (let i = 0; i < line.length; i += 1) {
    const char = line.charAt(i);
    const next = line.charAt(i + 1);
    if (char === quote) {
      quote = "";
    } else if (hasEscapes && char === "\\" && (quote === "" || (quote === '"' && QUOTED_ESCAPES.includes(next)))) {
      word = (word ?? "") + next;
      i += 1;
    } else if (quote === "" && (char === '"' || char === "'")) {
      quote = char;
      word ??= "";
    } else if (quote === "" && /\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? "") + char;
    }
  }
  if (quote !== "") throw new Error(t("Missing closing quote {0} in: {1}", quote, line));
  if (word !== undefined) words.push(word);
  return words;
}
