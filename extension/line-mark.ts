import * as vscode from "vscode";

/**
 * Marks whole lines by a background and by a bar beside their numbers, which stands out where a theme has no such background.
 * @param look.background colour of the theme. @param look.bar colour as in CSS, to be seen on light and dark.
 */
export function lineMark(look: { background?: string; bar: string }): vscode.TextEditorDecorationType {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" preserveAspectRatio="none"><rect x="11" width="3" height="16" fill="${look.bar}"/></svg>`;
  return vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    // In base64: the editor decodes the address once too often for other forms.
    gutterIconPath: vscode.Uri.parse(`data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`),
    gutterIconSize: "100% 100%",
    overviewRulerColor: look.bar,
    overviewRulerLane: vscode.OverviewRulerLane.Center,
    ...(look.background === undefined ? {} : { backgroundColor: new vscode.ThemeColor(look.background) }),
  });
}
