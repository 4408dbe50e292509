/** Texts of the user's language by the English ones that stand in the source; empty in English. */
let catalogue: ReadonlyMap<string, string> = new Map();

/** Takes the texts of the user's language, before anything is shown. */
export function useCatalogue(texts: Readonly<Record<string, string>>): void {
  catalogue = new Map(Object.entries(texts));
}

/**
 * A text in the user's language. `text` is English, written out at the call so that the catalogue can be made from the source; `{0}`, `{1}` …
 * stand for `values`. Where a number changes the words, the caller chooses between two texts.
 */
export function t(text: string, ...values: readonly (string | number)[]): string {
  return (catalogue.get(text) ?? text).replace(/\{(\d+)\}/g, (place, index: string) =>
    String(values[Number(index)] ?? place),
  );
}
