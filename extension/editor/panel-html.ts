import type { Catalogue } from "../../webview/l10n.ts";

/** The URIs of the page's files. */
export interface PanelAssets {
  /** The page's own script and style sheet. */
  mainScript: string;
  styleSheet: string;
  /** The script of the controls, for pages that have them. */
  toolkitScript?: string;
  /** The source that the editor serves the page's files from, for the security policy. */
  cspSource: string;
}

/**
 * Returns the HTML of a page. Only the scripts with the nonce run, the controls before the page; nothing is loaded from anywhere else.
 * @param catalogue the texts of the page, passed in an attribute, where nothing can run.
 * @param nonce fresh for every page, unguessable, letters and digits.
 */
export function panelHtml(assets: PanelAssets, catalogue: Catalogue, nonce: string): string {
  const { toolkitScript } = assets;
  const policy = [
    "default-src 'none'",
    `img-src ${assets.cspSource} data: blob:`,
    `font-src ${assets.cspSource}`,
    // The controls set a few style attributes of their own.
    `style-src ${assets.cspSource}${toolkitScript === undefined ? "" : " 'unsafe-inline'"}`,
    `script-src 'nonce-${nonce}'`,
    "connect-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="${escapeAttribute(catalogue.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeAttribute(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="texts" content="${escapeAttribute(JSON.stringify(catalogue.texts))}">
<title>Tiller</title>
<link rel="stylesheet" href="${escapeAttribute(assets.styleSheet)}">
</head>
<body>
${toolkitScript === undefined ? "" : `<script type="module" nonce="${escapeAttribute(nonce)}" src="${escapeAttribute(toolkitScript)}"></script>`}
<script defer nonce="${escapeAttribute(nonce)}" src="${escapeAttribute(assets.mainScript)}"></script>
</body>
</html>
`;
}

function escapeAttribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
