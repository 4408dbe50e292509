/** The texts of a language by the English ones that stand in the source; none in English. */
export interface Catalogue {
  /** A language tag such as `de`: that of the texts, which numbers follow too. */
  readonly language: string;
  readonly texts: Readonly<Record<string, string>>;
}

let catalogue: Catalogue = { language: "en", texts: {} };

/** Takes the texts of the user's language, before anything is shown. */
export function useCatalogue(texts: Readonly<Record<string, string>>, language: string): void {
  catalogue = { language, texts };
}

/** The catalog that `useCatalogue` has set. */
export function currentCatalogue(): Catalogue {
  return catalogue;
}

/**
 * A text in the user's language. `text` is English, written out at the call so that the catalogue can be made from the source; `{0}`, `{1}` …
 * stand for `values`. Where a number changes the words, the caller chooses between two texts.
 */
export function t(text: string, ...values: readonly (string | number)[]): string {
  const own = Object.hasOwn(catalogue.texts, text) ? catalogue.texts[text] : undefined;
  return (own ?? text).replace(/\{(\d+)\}/g, (place, index: string) => String(values[Number(index)] ?? place));
}

const formats = new Map<string, Intl.NumberFormat>();

/** A number as it is written in the user's language: `12,345.7` in English. */
export function formatNumber(value: number, options?: Intl.NumberFormatOptions): string {
  const key = JSON.stringify([catalogue.language, options]);
  // Making one is what costs.
  const format = formats.get(key) ?? new Intl.NumberFormat(catalogue.language, options);
  formats.set(key, format);
  return format.format(value);
}

/** A number with at most three digits: `1.2` or `812`. */
export function formatShort(value: number): string {
  return value < 10 ? formatNumber(value, { maximumFractionDigits: 1 }) : formatNumber(Math.round(value));
}

/** `812 B`, `1.2 kB` or `3.4 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return t("{0}B", bytes);
  return bytes < 999_500 ? t("{0}KB", formatShort(bytes / 1_000)) : t("{0}MB", formatShort(bytes / 1_000_000));
}

/** An amount of US dollars, with two decimals unless told otherwise, as it is written in the user's language: `$0.25` in English. */
export function formatDollars(usd: number, options?: Intl.NumberFormatOptions): string {
  return formatNumber(usd, { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol", ...options });
}

/** A day as it is written in the user's language: `11/21/2026` in American English. @param at Unix ms. */
export function formatDay(at: number): string {
  return new Intl.DateTimeFormat(catalogue.language).format(at);
}
