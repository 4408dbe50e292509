// `npm run pictures`: takes an image of each state of the chat in every theme and width, and puts them on one page with those of the editor tests.
import { cp, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type PageLab, startPageLab } from "../test/webview/support/open-page.ts";
import { STATES, showState } from "../test/webview/support/page-states.ts";
import { applyTheme, THEMES } from "../test/webview/support/themes.ts";

const ROOT = join(import.meta.dirname, "..");
const FOLDER = join(ROOT, "pictures");
/** Where the editor tests leave their images. */
const OF_EDITOR = join(ROOT, "test/e2e/screenshots");
const WIDTHS = [300, 450, 900];
const HEIGHT = 720;
/** The images of the README that show a state, with their heights. */
const OF_README = { danger: 330, queue: 560 };

await rm(FOLDER, { recursive: true, force: true });
await mkdir(join(FOLDER, "editor"), { recursive: true });
const lab = await startPageLab();
for (const theme of THEMES) for (const width of WIDTHS) await takeStates(lab, theme, width);
for (const [name, height] of Object.entries(OF_README)) {
  const panel = await lab.open({ width: 450, height });
  await applyTheme(panel.page, "dark");
  await showState(panel, name);
  await panel.page.screenshot({ path: join(ROOT, "media", `${name}.png`) });
  await panel.close();
}
await lab.close();
const ofEditor = await copyEditorImages();
await writeFile(join(FOLDER, "index.html"), sheet(ofEditor));
console.log(
  `${Object.keys(STATES).length * THEMES.length * WIDTHS.length} states and ${ofEditor.length} images of the editor: ${FOLDER}/index.html`,
);

async function takeStates(from: PageLab, theme: (typeof THEMES)[number], width: number): Promise<void> {
  const panel = await from.open({ width, height: HEIGHT });
  await applyTheme(panel.page, theme);
  for (const name of Object.keys(STATES)) {
    await showState(panel, name);
    await panel.page.screenshot({ path: join(FOLDER, `${name}-${theme}-${width}.png`) });
  }
  await panel.close();
}

async function copyEditorImages(): Promise<string[]> {
  const names = await readdir(OF_EDITOR).catch(() => []);
  const images = names.filter((name) => name.endsWith(".png") && !/^(failed|not-loaded)-/.test(name)).sort();
  for (const name of images) await cp(join(OF_EDITOR, name), join(FOLDER, "editor", name));
  return images;
}

function sheet(ofEditor: readonly string[]): string {
  const image = (path: string) => `<figure><img loading="lazy" src="${path}"><figcaption>${path}</figcaption></figure>`;
  const states = Object.keys(STATES).map((name) => {
    const rows = WIDTHS.map((width) => THEMES.map((theme) => image(`${name}-${theme}-${width}.png`)).join(""));
    return `<h2>${name}</h2>${rows.map((row) => `<div>${row}</div>`).join("")}`;
  });
  return `<!doctype html><meta charset="utf-8"><title>Tiller: pictures</title>
<style>body{font:14px system-ui;background:#888}div{display:flex;gap:8px;overflow-x:auto}figure{margin:0 0 8px}figcaption{font-size:11px}</style>
<h1>The chat</h1>${states.join("\n")}
<h1>The editor</h1>${ofEditor.map((name) => image(`editor/${name}`)).join("\n")}
`;
}
