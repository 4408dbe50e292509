import { t } from "../../../webview/l10n.ts";

const SHOWN_CHARS = 200;

/** Returns the code block in an answer of the model, without its last line end. @throws Error for people unless there is exactly one. */
export function codeIn(answer: string): string {
  const [block, ...others] = [...answer.matchAll(/^(`{3,}|~{3,})[^\n]*\n([\s\S]*?)^\1[ \t]*$/gm)];
  if (block === undefined || others.length > 0) {
    const said = answer.trim().slice(0, SHOWN_CHARS);
    throw new Error(t("The response isn't a single code block, so nothing was replaced. The model wrote: {0}", said));
  }
  return (block[2] ?? "").replace(/\r?\n$/, "");
}
