import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bundleFile, compare, LANGUAGES, manifestTextsFile, readTexts } from "../../scripts/l10n/catalogues.ts";
import { findPlainTexts } from "../../scripts/l10n/literals.ts";
import { collectTexts, readSources } from "../../scripts/l10n/texts.ts";

const ROOT = join(import.meta.dirname, "../..");

describe("texts of extension and page", () => {
  const sources = readSources();
  const { texts, faults } = collectTexts(sources);

  it("are literals where they are looked up, with a value for every placeholder", () => {
    expect(faults).toEqual([]);
  });

  it("are all looked up: no literal that reads like interface text is left", () => {
    const found = findPlainTexts(sources).map(({ place, text }) => `${place}: ${text}`);
    expect(found).toEqual([]);
  });

  it("are in the English catalogue, which `npm run l10n` writes", async () => {
    expect(await readTexts(bundleFile())).toEqual(Object.fromEntries(texts.map((text) => [text, text])));
  });

  it.each(LANGUAGES)("are in the catalogue of %s, with the same placeholders", async (language) => {
    expect(compare(await readTexts(bundleFile()), await readTexts(bundleFile(language)), language)).toEqual([]);
  });
});

describe("texts of the manifest", () => {
  it("are those that the manifest uses", async () => {
    const manifest = await readFile(join(ROOT, "package.json"), "utf8");
    const named = [...manifest.matchAll(/"%([\w.-]+)%"/g)].map(([, key]) => key);
    expect(Object.keys(await readTexts(manifestTextsFile())).sort()).toEqual([...new Set(named)].sort());
  });

  it("are all keys: no text is in the manifest itself", async () => {
    const { contributes, capabilities } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
    expect(plainTexts({ contributes, capabilities })).toEqual([]);
  });

  it.each(LANGUAGES)("are complete in %s", async (language) => {
    expect(
      compare(await readTexts(manifestTextsFile()), await readTexts(manifestTextsFile(language)), language),
    ).toEqual([]);
  });
});

/** The fields of a manifest that are read by people. */
const SHOWN =
  /^(title|shortTitle|label|name|displayName|fullName|sampleRequest|contextualTitle|contents|altText|(markdown)?([dD]escription|[eE]numDescriptions|[dD]eprecationMessage)|enumItemLabels)$/;

/** Those that only models read, which stay English. */
const FOR_MODELS: ReadonlySet<string> = new Set(["modelDescription", "inputSchema"]);

/** The fields of a manifest that hold a text where a key is wanted; the product's name and words of commands are the same in every language. */
function plainTexts(value: unknown, path = "", isShown = false): string[] {
  if (typeof value === "string")
    return isShown && !/^(%[\w.-]+%|Tiller|[a-z]+|tiller_\w+)$/.test(value) ? [`${path}: ${value}`] : [];
  if (typeof value !== "object" || value === null) return [];
  const entries = Object.entries(value).filter(([key]) => !FOR_MODELS.has(key));
  return entries.flatMap(([key, part]) =>
    plainTexts(part, `${path}/${key}`, Array.isArray(value) ? isShown : SHOWN.test(key)),
  );
}

describe("the comparison of catalogues", () => {
  it("names missing, superfluous and empty texts, and different placeholders", () => {
    const english = { Send: "Send", "{0} of {1}": "{0} of {1}", Stop: "Stop Run", Copy: "Copy" };
    const german = { "{0} of {1}": "{0} von allen", Stop: " ", Copy: "Kopieren", Paste: "Einfügen" };
    expect(compare(english, german, "de")).toEqual([
      'missing in de: "Send"',
      'other placeholders in de: "{0} of {1}"',
      'empty in de: "Stop"',
      'superfluous in de: "Paste"',
    ]);
  });
});
