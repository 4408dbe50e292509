import { readFileSync } from "node:fs";

/** The text of a settings file for an editor that asks and fetches nothing by itself. */
export function editorSettings() {
  return readFileSync(new URL("./editor-settings.json", import.meta.url), "utf8");
}
