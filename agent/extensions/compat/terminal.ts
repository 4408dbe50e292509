import { fuzzyFilter, fuzzyMatch } from "./fuzzy.ts";
import {
  sliceByColumn,
  stripTerminalSequences,
  truncateToWidth,
  visibleWidth,
  wrapTextWithAnsi,
} from "./text-width.ts";

const MODIFIERS = /^(?:ctrl|shift|alt|super)(?:Ctrl|Shift|Alt|Super)*$/;

const SYMBOLS: Record<string, string> = {
  backtick: "`",
  hyphen: "-",
  equals: "=",
  leftbracket: "[",
  rightbracket: "]",
  backslash: "\\",
  semicolon: ";",
  quote: "'",
  comma: ",",
  period: ".",
  slash: "/",
  exclamation: "!",
  at: "@",
  hash: "#",
  dollar: "$",
  percent: "%",
  caret: "^",
  ampersand: "&",
  asterisk: "*",
  leftparen: "(",
  rightparen: ")",
  underscore: "_",
  plus: "+",
  pipe: "|",
  tilde: "~",
  leftbrace: "{",
  rightbrace: "}",
  colon: ":",
  lessthan: "<",
  greaterthan: ">",
  question: "?",
};

/** Names of keys: `Key.escape` is "escape", `Key.ctrlShift("p")` is "ctrl+shift+p". */
const Key: object = new Proxy(SYMBOLS, {
  get(symbols, name) {
    if (typeof name === "symbol") return undefined;
    if (!MODIFIERS.test(name)) return symbols[name] ?? name;
    const modifiers = name.replace(/[A-Z]/g, (letter) => `+${letter.toLowerCase()}`);
    return (key: string) => `${modifiers}+${key}`;
  },
});

/** Names that the language asks objects for; giving something for them would change what the object is. */
const LANGUAGE_NAMES: ReadonlySet<string | symbol> = new Set(["then", "default", "toJSON", "constructor", "prototype"]);

const nothing = () => undefined;

/** Stands for any component of a terminal: it can be made, extended and called, and shows nothing. */
export class Inert {
  render(): string[] {
    return [];
  }
}

// Whatever an author calls on a component, or on what a class of theirs extends, has to be there.
Object.setPrototypeOf(Inert.prototype, new Proxy({}, { get: (target, name) => inheritedValue(target, name) }));
Object.setPrototypeOf(Inert, new Proxy(() => undefined, { get: (target, name) => inheritedValue(target, name) }));

function inheritedValue(target: object, name: string | symbol): unknown {
  return typeof name === "symbol" || LANGUAGE_NAMES.has(name) || name in target ? Reflect.get(target, name) : nothing;
}

/** Options for names that a module doesn't define. */
export interface InertNames {
  /** Names of functions count, too; else only names of classes do. */
  withFunctions?: boolean;
}

/** A module in which every name exists: those given, and for all others a component that does nothing. */
export function withInertNames(known: Record<string, unknown>, { withFunctions }: InertNames = {}) {
  const module: Record<string, unknown> = { ...known, __esModule: true };
  return new Proxy(module, {
    get(target, name) {
      if (Reflect.has(target, name) || typeof name === "symbol") return Reflect.get(target, name);
      if (/^[A-Z]/.test(name)) return Inert;
      return withFunctions && /^[a-z]/.test(name) && !LANGUAGE_NAMES.has(name) ? nothing : undefined;
    },
  });
}

/** The terminal library that extensions may import although there is no terminal. */
export const terminalModule = withInertNames(
  {
    Key,
    matchesKey: () => false,
    isKeyRelease: () => false,
    isKeyRepeat: () => false,
    isFocusable: () => false,
    isKittyProtocolActive: () => false,
    CURSOR_MARKER: "",
    TUI_KEYBINDINGS: {},
    fuzzyFilter,
    fuzzyMatch,
    sliceByColumn,
    stripTerminalSequences,
    truncateToWidth,
    visibleWidth,
    wrapTextWithAnsi,
    hyperlink: (text: string) => text,
  },
  { withFunctions: true },
);
