import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { placeholders } from "./texts.ts";

const ROOT = join(import.meta.dirname, "../..");

/** The languages that the extension speaks besides English. */
export const LANGUAGES = ["de", "es", "fr", "ja", "ko", "pt-br", "zh-cn", "zh-tw"];

/** Returns the catalogue of extension and page for a language, or the English one. */
export function bundleFile(language?: string): string {
  return join(ROOT, "extension/l10n", language === undefined ? "bundle.l10n.json" : `bundle.l10n.${language}.json`);
}

/** Returns the catalogue of the manifest for a language, or the English one. */
export function manifestTextsFile(language?: string): string {
  return join(ROOT, language === undefined ? "package.nls.json" : `package.nls.${language}.json`);
}

/** Reads texts by their keys; returns none if the file does not exist. */
export async function readTexts(file: string): Promise<Record<string, string>> {
  if (!existsSync(file)) return {};
  return z.record(z.string(), z.string()).parse(JSON.parse(await readFile(file, "utf8")));
}

/** Returns a sentence for each text that a translation lacks, has without need, or gives other placeholders. */
export function compare(
  english: Readonly<Record<string, string>>,
  translated: Readonly<Record<string, string>>,
  language: string,
): string[] {
  const faults: string[] = [];
  for (const [key, text] of Object.entries(english)) {
    const own = translated[key];
    if (own === undefined) faults.push(`missing in ${language}: ${JSON.stringify(key)}`);
    else if (own.trim() === "") faults.push(`empty in ${language}: ${JSON.stringify(key)}`);
    else if (!haveSamePlaceholders(text, own)) faults.push(`other placeholders in ${language}: ${JSON.stringify(key)}`);
  }
  for (const key of Object.keys(translated)) {
    if (!Object.hasOwn(english, key)) faults.push(`superfluous in ${language}: ${JSON.stringify(key)}`);
  }
  return faults;
}

function haveSamePlaceholders(one: string, other: string): boolean {
  const [left, right] = [placeholders(one), placeholders(other)];
  return left.size === right.size && [...left].every((place) => right.has(place));
}
