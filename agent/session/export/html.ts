import type { Redact } from "../../util/redact.ts";

/** Markup that is safe in a page. Only this file and its direct users may create it from text. */
export interface Html {
  readonly markup: string;
}

type Value = string | number | undefined | Html | readonly Html[];

/** A template tag that cleans and escapes texts, inserts `Html` unchanged, and omits undefined. */
export type HtmlTag = (literals: TemplateStringsArray, ...values: Value[]) => Html;

/** Returns markup that other code has already made safe. */
export function trusted(markup: string): Html {
  return { markup };
}

/** Empty markup. */
export const NOTHING = trusted("");

const SPECIAL: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
const TERMINAL_CODES = /\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,4096}(?:\x07|\x1b\\))/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g;

/**
 * Returns a text without terminal codes, control characters and secrets. Codes between the characters of a key must not
 * hide the key.
 */
export function cleanText(text: string, redact: Redact): string {
  return redact(text.replace(TERMINAL_CODES, "").replace(CONTROLS, ""));
}

/** Creates the template tag for all texts of a page. */
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
