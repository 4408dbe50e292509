import { t } from "../../l10n.ts";

/** Why something could not be drawn, for people: what our own late scripts say is looked up, what a library says stays. */
export function wordFault(why: string): string {
  // The scripts have no catalogue of their own.
  const known: Record<string, string> = {
    "Diagrams of this kind are not drawn here.": t("This diagram type isn't supported."),
    "It is too involved.": t("It's too complex."),
    "It is too large.": t("It's too large."),
    "Nothing came of it.": t("The result is empty."),
    "Diagrams can't load images here.": t("Diagrams can't load images here."),
    "The image is too large.": t("The image is too large."),
  };
  return Object.hasOwn(known, why) ? (known[why] ?? why) : why;
}
