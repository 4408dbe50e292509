/** Returns a text with its line breaks as spaces, and without blank space around it. */
export function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, " ").trim();
}
