// `npm run l10n`: collects the texts of extension and page into the English catalogue, and says what the other languages lack.
import { writeFile } from "node:fs/promises";
import { bundleFile, compare, LANGUAGES, manifestTextsFile, readTexts } from "./l10n/catalogues.ts";
import { collectTexts, readSources } from "./l10n/texts.ts";

const { texts, faults } = collectTexts(readSources());
const english = Object.fromEntries(texts.map((text) => [text, text]));
await writeFile(bundleFile(), `${JSON.stringify(english, null, 2)}\n`);
const manifest = await readTexts(manifestTextsFile());
const lacks = await Promise.all(
  LANGUAGES.map(async (language) => [
    ...compare(english, await readTexts(bundleFile(language)), language),
    ...compare(manifest, await readTexts(manifestTextsFile(language)), `package.nls.${language}.json`),
  ]),
);
const found = [...faults, ...lacks.flat()];
for (const fault of found) console.error(fault);
console.log(`${texts.length} texts, ${found.length} faults.`);
process.exitCode = found.length === 0 ? 0 : 1;
