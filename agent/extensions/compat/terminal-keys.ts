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
export const Key: object = new Proxy(SYMBOLS, {
  get(symbols, name) {
    if (typeof name === "symbol") return undefined;
    if (!MODIFIERS.test(name)) return symbols[name] ?? name;
    const modifiers = name.replace(/[A-Z]/g, (letter) => `+${letter.toLowerCase()}`);
    return (key: string) => `${modifiers}+${key}`;
  },
});
