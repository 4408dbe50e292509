/** The text that is typed into a terminal, and whether Enter is pressed after it. */
export interface TerminalText {
  readonly text: string;
  /** True only for one line: several should be checked by the user first. */
  readonly isRun: boolean;
}

/**
 * Removes the prompts (`$ `) of a copied terminal session, and with them its output lines, which have none. Also removes everything that a terminal
 * would obey rather than show.
 */
export function terminalText(code: string): TerminalText {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal obeys control characters.
  const shown = code.replace(/\r\n?/g, "\n").replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
  const lines = shown.split("\n");
  const prompted = lines.filter((line) => /^\s*\$ /.test(line)).map((line) => line.replace(/^\s*\$ /, ""));
  const text = (prompted.length > 0 ? prompted : lines).join("\n").trim();
  return { text, isRun: text !== "" && !text.includes("\n") };
}
