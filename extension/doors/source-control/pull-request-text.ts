/** Returns the text as sites for pull requests take it: the title without its heading mark, a blank line, and the description. */
export function pullRequestCopy(text: string): string {
  return text.trim().replace(/^#+[ \t]+/, "");
}
