import { el } from "../common/dom.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with a control character.
const SEQUENCE = /\u001b(?:\[([0-?]*)[ -/]*([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;

/** Without the lookbehind, the search would start again at each return of a run. */
const RETURNS_AT_END = /(?<!\r)\r+$/;

const NAMES = ["Black", "Red", "Green", "Yellow", "Blue", "Magenta", "Cyan", "White"];

/** The most numbers that a color takes behind its code. */
const MAX_COLOR_CODES = 4;

/** The style of text from a point on. Colors are CSS values. */
interface Look {
  readonly color?: string;
  readonly background?: string;
  readonly isBold?: boolean;
  readonly isDim?: boolean;
  readonly isItalic?: boolean;
  readonly isUnderlined?: boolean;
  readonly isStruck?: boolean;
  readonly isInverse?: boolean;
}

const PLAIN: Look = {};

/**
 * Terminal output as it looks there: in the colors of the editor's terminal, and of a line that was written over its last state. Everything else that
 * a terminal obeys is taken out.
 */
export function terminalOutput(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  let look = PLAIN;
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  lines.forEach((line, index) => {
    const end = index === lines.length - 1 ? "" : "\n";
    if (!line.includes("\u001b") && look === PLAIN) {
      fragment.append(`${lastState(line)}${end}`);
      return;
    }
    look = appendLine(fragment, line, look);
    if (end !== "") fragment.append(end);
  });
  fragment.normalize();
  return fragment;
}

function lastState(line: string): string {
  const whole = line.replace(RETURNS_AT_END, "");
  return whole.slice(whole.lastIndexOf("\r") + 1);
}

/** @returns how the text behind the line looks. */
function appendLine(fragment: DocumentFragment, line: string, before: Look): Look {
  const whole = line.replace(RETURNS_AT_END, "");
  const shownFrom = whole.lastIndexOf("\r") + 1;
  let look = before;
  let at = 0;
  const show = (from: number, to: number) => {
    const text = whole.slice(Math.max(from, shownFrom), to);
    if (to > shownFrom && text !== "") fragment.append(styled(text, look));
  };
  for (const match of whole.matchAll(SEQUENCE)) {
    show(at, match.index);
    at = match.index + match[0].length;
    if (match[2] === "m") look = applyCodes(look, match[1] ?? "");
  }
  show(at, whole.length);
  return look;
}

function styled(text: string, look: Look): Node | string {
  if (look === PLAIN) return text;
  const classes = [
    ...(look.isBold ? ["ansi-bold"] : []),
    ...(look.isDim ? ["ansi-dim"] : []),
    ...(look.isItalic ? ["ansi-italic"] : []),
    ...(look.isUnderlined ? ["ansi-underline"] : []),
    ...(look.isStruck ? ["ansi-struck"] : []),
  ];
  const span = el("span", classes.join(" "), {}, [text]);
  const ground = "var(--vscode-terminal-background, var(--ground))";
  const ink = "var(--vscode-terminal-foreground, var(--vscode-foreground))";
  span.style.color = look.isInverse ? (look.background ?? ground) : (look.color ?? "");
  span.style.background = look.isInverse ? (look.color ?? ink) : (look.background ?? "");
  return span;
}

function applyCodes(before: Look, list: string): Look {
  const codes = list === "" ? [0] : list.split(/[;:]/).map(Number);
  let look = before;
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] ?? 0;
    if (code === 38 || code === 48) {
      const { color, used } = extendedColor(codes.slice(index + 1, index + 1 + MAX_COLOR_CODES));
      index += used;
      if (color !== undefined) look = code === 38 ? { ...look, color } : { ...look, background: color };
    } else {
      look = applyCode(look, code);
    }
  }
  return look;
}

function applyCode(look: Look, code: number): Look {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...look, isBold: true };
  if (code === 2) return { ...look, isDim: true };
  if (code === 3 || code === 23) return { ...look, isItalic: code === 3 };
  if (code === 4 || code === 24) return { ...look, isUnderlined: code === 4 };
  if (code === 7 || code === 27) return { ...look, isInverse: code === 7 };
  if (code === 9 || code === 29) return { ...look, isStruck: code === 9 };
  if (code === 22) return { ...look, isBold: false, isDim: false };
  if (code === 39) return without(look, "color");
  if (code === 49) return without(look, "background");
  const color = paletteColor(code % 10, code >= 90);
  if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) return { ...look, color };
  if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) return { ...look, background: color };
  return look;
}

function without(look: Look, field: "color" | "background"): Look {
  const { [field]: _gone, ...rest } = look;
  return Object.keys(rest).length === 0 ? PLAIN : rest;
}

function paletteColor(index: number, isBright: boolean): string {
  return `var(--vscode-terminal-ansi${isBright ? "Bright" : ""}${NAMES[index] ?? "White"})`;
}

/** The color behind a 38 or 48: `5;n` of 256, or `2;r;g;b`. */
function extendedColor(codes: readonly number[]): { color?: string; used: number } {
  const [kind, first = 0, green = 0, blue = 0] = codes;
  if (kind === 2) return { color: `rgb(${clamp(first)} ${clamp(green)} ${clamp(blue)})`, used: 4 };
  if (kind !== 5) return { used: 0 };
  const index = clamp(first);
  if (index < 16) return { color: paletteColor(index % 8, index > 7), used: 2 };
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return { color: `rgb(${grey} ${grey} ${grey})`, used: 2 };
  }
  const cube = index - 16;
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  const parts = [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(level);
  return { color: `rgb(${parts.join(" ")})`, used: 2 };
}

function clamp(value: number): number {
  return Number.isFinite(value) ? Math.max(0, Math.min(255, Math.trunc(value))) : 0;
}
