/** What of a block is typed into a terminal, and whether Enter is pressed behind it. */
export interface TerminalText {
  readonly text: string;
  /** Only for one line: several are for the user to look at first. */
  readonly isRun: boolean;
}

/**
 * Takes out prompts (`$ `) of a copied terminal, where they stand the lines without are its output, and everything that a terminal would obey rather
 * than show.
 */
export function terminalText(code: string): TerminalText {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal obeys control characters.
  const shown = code.replace(/\r\n?/g, "\n").replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
  const lines = shown.split("\n");
  const prompted = lines.filter((line) => /^\s*\$ /.test(line)).map((line) => line.replace(/^\s*\$ /, ""));
  const text = (prompted.length > 0 ? prompted : lines).join("\n").trim();
  return { text, isRun: text !== "" && !text.includes("\n") };
}
