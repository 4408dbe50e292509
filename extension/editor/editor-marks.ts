import * as vscode from "vscode";

/** Draws marks after nothing has changed for this long: text editors that close together are gone by then. */
const QUIET_MS = 100;
/** Constant changes delay marks by no more than this. */
const MAX_DELAY_MS = 500;

/** The ranges last drawn in an editor, and the version of its document then. */
interface Drawn {
  readonly ranges: readonly vscode.Range[];
  readonly version: number;
}

/**
 * Marks ranges in editors. VS Code logs a warning for each mark that reaches a text editor which has just closed. So this draws marks a moment
 * later, only in text editors that are still open, and only if they change.
 */
export class EditorMarks implements vscode.Disposable {
  readonly #type: vscode.TextEditorDecorationType;
  readonly #wanted = new Map<vscode.TextEditor, readonly vscode.Range[]>();
  readonly #drawn = new WeakMap<vscode.TextEditor, Drawn>();
  #timer: NodeJS.Timeout | undefined;
  #drawBefore = 0;

  constructor(look: vscode.DecorationRenderOptions) {
    this.#type = vscode.window.createTextEditorDecorationType(look);
  }

  /** Marks these ranges instead of the previous ones. */
  draw(editor: vscode.TextEditor, ranges: readonly vscode.Range[]): void {
    const now = performance.now();
    if (this.#wanted.size === 0) this.#drawBefore = now + MAX_DELAY_MS;
    this.#wanted.set(editor, ranges);
    clearTimeout(this.#timer);
    // Events that have arrived meanwhile go first.
    const draw = () => setImmediate(() => this.#drawWanted());
    this.#timer = setTimeout(draw, Math.max(0, Math.min(QUIET_MS, this.#drawBefore - now)));
  }

  /** Removes all marks. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#wanted.clear();
    this.#type.dispose();
  }

  #drawWanted(): void {
    const wanted = [...this.#wanted];
    this.#wanted.clear();
    const { visibleTextEditors } = vscode.window;
    for (const [editor, ranges] of wanted) if (visibleTextEditors.includes(editor)) this.#drawIn(editor, ranges);
  }

  #drawIn(editor: vscode.TextEditor, ranges: readonly vscode.Range[]): void {
    const { version } = editor.document;
    const before = this.#drawn.get(editor);
    if (ranges.length === 0 && (before === undefined || before.ranges.length === 0)) return;
    // A change of the text moves marks, so they are drawn again after one.
    if (before?.version === version && areEqual(before.ranges, ranges)) return;
    this.#drawn.set(editor, { ranges: [...ranges], version });
    editor.setDecorations(this.#type, ranges);
  }
}

/**
 * Highlights whole lines with a background and a bar beside their numbers, which is visible where a theme lacks the background.
 * @param look.background theme color. @param look.bar CSS color, visible on light and dark.
 */
export function lineMarks(look: { background?: string; bar: string }): EditorMarks {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" preserveAspectRatio="none"><rect x="11" width="3" height="16" fill="${look.bar}"/></svg>`;
  return new EditorMarks({
    isWholeLine: true,
    // In base64: the editor decodes other data URIs once too often.
    gutterIconPath: vscode.Uri.parse(`data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`),
    gutterIconSize: "100% 100%",
    overviewRulerColor: look.bar,
    overviewRulerLane: vscode.OverviewRulerLane.Center,
    ...(look.background === undefined ? {} : { backgroundColor: new vscode.ThemeColor(look.background) }),
  });
}

function areEqual(some: readonly vscode.Range[], others: readonly vscode.Range[]): boolean {
  return (
    some.length === others.length && some.every((range, at) => others[at] !== undefined && range.isEqual(others[at]))
  );
}
