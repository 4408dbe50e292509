import * as z from "zod";
import { useCatalogue } from "./l10n.ts";

/** Imported before everything that shows texts: takes those of the user's language out of the HTML, where the host has put them. */
const given = document.querySelector('meta[name="texts"]')?.getAttribute("content");
if (given) useCatalogue(z.record(z.string(), z.string()).parse(JSON.parse(given)), document.documentElement.lang);
