import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { panelHtml } from "../../../extension/editor/panel-html.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** A file as a server would send it. */
interface ServedFile {
  readonly body: string;
  readonly contentType: string;
}

/** Builds a page of an editor tab and returns its files by path. @param name its folder in webview/. @param origin the server's address. */
export async function pageFiles(name: "trace" | "usage", origin: string): Promise<Map<string, ServedFile>> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    bundle: true,
    minify: true,
    write: false,
    entryPoints: { [name]: `webview/${name}/main.ts` },
    outdir: "/",
    platform: "browser",
    target: "es2022",
    format: "iife",
  });
  const assets = { cspSource: origin, mainScript: `${name}.js`, styleSheet: `${name}-page.css` };
  const style = await readFile(join(ROOT, `webview/${name}/${name}.css`), "utf8");
  return new Map([
    ["/", { body: panelHtml(assets, { language: "en", texts: {} }, "n0nce"), contentType: "text/html" }],
    [`/${name}.js`, { body: outputFiles[0]?.text ?? "", contentType: "text/javascript" }],
    [`/${name}-page.css`, { body: style, contentType: "text/css" }],
  ]);
}
