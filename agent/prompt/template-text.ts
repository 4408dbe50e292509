const PLACEHOLDER = /\$\{(\d+|@):-([^{}]*)\}|\$\{@:(\d+)(?::(\d+))?\}|\$([1-9]\d*|@|ARGUMENTS)/g;

/**
 * Splits what follows a command as a shell does: at blank space, with quotes around arguments that hold some. A quote counts only where an
 * argument begins; inside, a backslash takes the meaning from the same quote; one that is never closed is a character like others.
 */
export function splitArguments(text: string): string[] {
  const words: string[] = [];
  let at = 0;
  while (at < text.length) {
    if (isBlank(text[at])) {
      at++;
      continue;
    }
    const quoted = readQuoted(text, at);
    const from = quoted?.end ?? at;
    at = from;
    while (at < text.length && !isBlank(text[at])) at++;
    words.push((quoted?.content ?? "") + text.slice(from, at));
  }
  return words;
}

/**
 * Puts arguments into a template: `$1`, `$@`, `$ARGUMENTS`, `${1:-default}`, `${@:-default}`, `${@:2}`, `${@:2:3}`. What is missing
 * becomes empty. Placeholders inside arguments and defaults stay as they are.
 */
export function fillTemplate(template: string, args: readonly string[]): string {
  return template.replace(
    PLACEHOLDER,
    (_match, name?: string, fallback?: string, from?: string, count?: string, plain?: string) => {
      if (plain !== undefined) return argumentText(plain, args);
      if (from !== undefined) return slice(args, Number(from), count === undefined ? undefined : Number(count));
      return argumentText(name ?? "@", args) || (fallback ?? "");
    },
  );
}

function argumentText(name: string, args: readonly string[]): string {
  return name === "@" || name === "ARGUMENTS" ? args.join(" ") : (args[Number(name) - 1] ?? "");
}

/** @param from 1-based. */
function slice(args: readonly string[], from: number, count: number | undefined): string {
  const start = Math.max(from - 1, 0);
  return args.slice(start, count === undefined ? undefined : start + count).join(" ");
}

function readQuoted(text: string, start: number): { content: string; end: number } | undefined {
  const quote = text[start];
  if (quote !== '"' && quote !== "'") return undefined;
  let content = "";
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at];
    if (char === quote) return { content, end: at + 1 };
    if (char === "\\" && text[at + 1] === quote) at++;
    content += text[at];
  }
  return undefined;
}

function isBlank(char: string | undefined): boolean {
  return char !== undefined && /\s/.test(char);
}
