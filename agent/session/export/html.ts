import type { Redact } from "../../util/redact.ts";

/** Markup that is safe to stand in a page. Only this file and its direct users may make it from text. */
export interface Html {
  readonly markup: string;
}

type Value = string | number | undefined | Html | readonly Html[];

/** A template tag: what is put in as text is cleaned and escaped, what is `Html` stands as it is, undefined is nothing. */
export type HtmlTag = (literals: TemplateStringsArray, ...values: Value[]) => Html;

/** Vouches for markup that was made safe elsewhere. */
export function trusted(markup: string): Html {
  return { markup };
}

/** Markup for nothing. */
export const NOTHING = trusted("");

const SPECIAL: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
const TERMINAL_CODES = /\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,4096}(?:\x07|\x1b\\))/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g;

/** A text without terminal codes, control characters and secrets: what is between the letters of a key must not hide it. */
export function cleanText(text: string, redact: Redact): string {
  return redact(text.replace(TERMINAL_CODES, "").replace(CONTROLS, ""));
}

/** Makes the template tag that all text of a page goes through. */
export function createHtmlTag(redact: Redact): HtmlTag {
  const write = (value: Value): string => {
    if (value === undefined) return "";
    if (typeof value === "number") return String(value);
    if (typeof value === "string") return cleanText(value, redact).replace(/[&<>"']/g, (found) => SPECIAL[found] ?? "");
    return "markup" in value ? value.markup : value.map(({ markup }) => markup).join("");
  };
  return (literals, ...values) =>
    trusted(literals.reduce((text, literal, index) => text + write(values[index - 1]) + literal));
}
