/** The outcome of drawing something that a model wrote: a mistake in it is expected. */
export type Drawn<Result> =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly why: string };

/** Draws formulas; made by `math.js`, which is loaded with the first one. */
export interface FormulaDrawer {
  /** The formula as MathML nodes. */
  draw(tex: string, isDisplay: boolean): Drawn<Element>;
}

/** Colors code; made by `colors.js`, which is loaded with the first code. */
export interface CodeColorer {
  /** Returns the code as HTML, with spans of highlight.js's classes, or undefined when the language is unknown. */
  color(code: string, language: string): string | undefined;
}

/** Options for drawing a diagram; colors are CSS values. */
export interface DiagramLook {
  readonly isDark: boolean;
  readonly font: string;
  readonly background: string;
  readonly text: string;
  readonly muted: string;
  readonly box: string;
  readonly line: string;
  readonly accent: string;
}

/** An image of its own, and its size in CSS pixels. */
export interface DiagramImage {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
}

/** Draws diagrams; made by what `diagrams.js` brings, in a frame of its own. */
export interface DiagramDrawer {
  draw(source: string, look: DiagramLook): Promise<Drawn<DiagramImage>>;
}

declare global {
  interface Window {
    tillerFormulas?: FormulaDrawer;
    tillerColors?: CodeColorer;
    /** The script that creates `tillerDiagrams` in the window that runs it. */
    tillerDiagramScript?: () => void;
    tillerDiagrams?: DiagramDrawer;
  }
}
