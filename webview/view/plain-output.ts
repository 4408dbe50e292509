// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with a control character.
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;

/** Terminal output as plain text: escape sequences are taken out, and of a line that was written over the last state stays. */
export function plainOutput(text: string): string {
  const lines = text.replace(ESCAPES, "").replaceAll("\r\n", "\n").split("\n");
  return lines.map((line) => line.slice(line.replace(/\r+$/, "").lastIndexOf("\r") + 1).replace(/\r+$/, "")).join("\n");
}
