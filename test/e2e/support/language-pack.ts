import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Installs a language pack that translates nothing of the editor's own, so that its markup stays what tests know, and extensions speak the
 * language.
 * @param folders where the editor keeps its extensions, and its profile.
 */
export async function installLanguagePack(
  language: string,
  folders: { extensions: string; profile: string },
): Promise<void> {
  const name = `pack-${language}`;
  const folder = join(folders.extensions, `tiller-test.${name}-0.0.1`);
  const translations = join(folder, "main.i18n.json");
  await mkdir(folder, { recursive: true });
  await mkdir(folders.profile, { recursive: true });
  const localization = {
    languageId: language,
    languageName: language,
    localizedLanguageName: language,
    translations: [{ id: "vscode", path: "./main.i18n.json" }],
  };
  await writeJson(join(folder, "package.json"), {
    name,
    publisher: "tiller-test",
    version: "0.0.1",
    engines: { vscode: "*" },
    contributes: { localizations: [localization] },
  });
  await writeJson(translations, { version: "1.0.0", contents: {} });
  // The editor writes this list when a pack is installed from its market.
  await writeJson(join(folders.profile, "languagepacks.json"), {
    [language]: {
      hash: name,
      label: language,
      extensions: [{ extensionIdentifier: { id: `tiller-test.${name}` }, version: "0.0.1" }],
      translations: { vscode: translations },
    },
  });
}

async function writeJson(file: string, value: unknown): Promise<void> {
  await writeFile(file, JSON.stringify(value));
}
