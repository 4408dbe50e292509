/** Returns the message in an answer of the model: without a fence around it, or blank lines at its ends. */
export function commitText(answer: string): string {
  const text = answer.trim();
  const fenced = /^(`{3,})[^\n`]*\n([\s\S]*?)\n?\1$/.exec(text);
  const lines = (fenced?.[2] ?? text).split("\n").map((line) => line.trimEnd());
  return lines.join("\n").trim();
}
