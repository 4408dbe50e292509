import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import * as z from "zod";
import { inPage } from "./open-page.ts";

const Themes = z.record(z.string(), z.object({ kind: z.string(), vars: z.record(z.string(), z.string()) }));

/** The names of the four kinds of theme. */
export const THEMES = ["light", "dark", "hc", "hc-light"] as const;

/** Dresses the page as the editor does for one of its own themes. */
export async function applyTheme(page: Page, name: (typeof THEMES)[number]): Promise<void> {
  const themes = Themes.parse(
    JSON.parse(await readFile(join(import.meta.dirname, "../../fixtures/themes.json"), "utf8")),
  );
  const theme = themes[name];
  if (!theme) throw new Error(`There is no theme ${name}.`);
  const fonts = {
    "font-family": "system-ui, 'Ubuntu', 'Droid Sans', sans-serif",
    "font-size": "13px",
    "editor-font-family": "'Droid Sans Mono', 'monospace', monospace",
    "editor-font-size": "12px",
  };
  await inPage(page, "dress", { ...theme.vars, ...fonts }, theme.kind);
}
