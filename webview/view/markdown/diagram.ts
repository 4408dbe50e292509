import { t } from "../../l10n.ts";
import type { DiagramLook } from "../../late/contract.ts";
import { codeOf } from "../code/code-block.ts";
import { icon } from "../common/controls.ts";
import { el } from "../common/dom.ts";
import { drawInFrame } from "./diagram-frame.ts";
import { wordFault } from "./late-faults.ts";
import { whenSeen } from "./when-seen.ts";

const DIAGRAMS = '.code-block[data-language="mermaid"]';

let themes: MutationObserver | undefined;
/** Counts changes of the colors: what was drawn before the last one is drawn again. */
let theme = 0;

/** Draws the diagrams below `root` when they are seen. The code of each must be complete. */
export function drawDiagramsLater(root: Element): void {
  for (const block of root.matches(DIAGRAMS) ? [root] : root.querySelectorAll(DIAGRAMS)) {
    if (block instanceof HTMLElement) prepare(block);
  }
}

function prepare(block: HTMLElement): void {
  watchTheme();
  const toggle = el("button", "code-view", { type: "button" });
  toggle.hidden = true;
  toggle.addEventListener("click", () => show(block, toggle, block.classList.contains("is-source")));
  block.querySelector(".code-bar")?.after(toggle);
  whenSeen(block, () => void draw(block, toggle));
}

async function draw(block: HTMLElement, toggle: HTMLElement): Promise<void> {
  const drawnWith = theme;
  block.dataset.theme = String(drawnWith);
  const drawn = await drawInFrame(codeOf(block), currentLook());
  if (!drawn.ok) {
    showFault(block, drawn.why);
    return;
  }
  const { svg, width, height } = drawn.result;
  const image = el("img", "diagram-image", { alt: t("Diagram"), draggable: "false" });
  image.width = Math.ceil(width);
  image.height = Math.ceil(height);
  // As an image nothing in it runs, loads anything or reaches the page.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  try {
    await image.decode();
  } catch {
    showFault(block, t("The image is damaged."));
    return;
  }
  const isFirst = block.querySelector(".diagram") === null;
  block.querySelector(".diagram")?.remove();
  block.append(createFigure(image));
  show(block, toggle, isFirst || !block.classList.contains("is-source"));
  if (theme !== drawnWith) whenSeen(block, () => void draw(block, toggle));
}

/** The image, as wide as there is room; a click or Enter shows it in its own size, to be scrolled, and shrinks it again. */
function createFigure(image: HTMLElement): HTMLElement {
  const attributes = { tabindex: "0", role: "button", "aria-label": t("Diagram"), "aria-pressed": "false" };
  const figure = el("div", "diagram", { ...attributes, title: t("Enlarge Diagram") }, [image]);
  const toggle = () => {
    const isLarge = figure.classList.toggle("is-large");
    figure.setAttribute("aria-pressed", String(isLarge));
    figure.title = isLarge ? t("Fit Diagram to Width") : t("Enlarge Diagram");
  };
  figure.addEventListener("click", toggle);
  figure.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    toggle();
  });
  return figure;
}

/** Shows the image, or the source that it was drawn from. */
function show(block: HTMLElement, toggle: HTMLElement, isImage: boolean): void {
  const source = block.querySelector("pre");
  const image = block.querySelector<HTMLElement>(".diagram");
  if (source === null || image === null) return;
  block.classList.toggle("is-source", !isImage);
  source.hidden = isImage;
  image.hidden = !isImage;
  const label = isImage ? t("Show Source") : t("Show Diagram");
  toggle.title = label;
  toggle.setAttribute("aria-label", label);
  toggle.replaceChildren(icon(isImage ? "code" : "graph"));
  toggle.hidden = false;
}

function showFault(block: HTMLElement, why: string): void {
  if (block.querySelector(".diagram, .diagram-note") !== null) return;
  const [line = ""] = wordFault(why).split("\n", 1);
  const note = t("Can't render this diagram: {0}", line.slice(0, 200));
  block.append(el("div", "diagram-note", {}, [icon("warning"), note]));
}

/** Draws again what is seen when the editor's colors change. */
function watchTheme(): void {
  if (themes !== undefined) return;
  themes = new MutationObserver(() => {
    theme += 1;
    for (const block of document.querySelectorAll(DIAGRAMS)) {
      const toggle = block.querySelector(".code-view");
      if (!(block instanceof HTMLElement && toggle instanceof HTMLElement)) continue;
      if (block.querySelector(".diagram") !== null) whenSeen(block, () => void draw(block, toggle));
    }
  });
  themes.observe(document.documentElement, { attributes: true, attributeFilter: ["style"] });
  themes.observe(document.body, { attributes: true, attributeFilter: ["class"] });
}

/** The editor's colors, as they are at this moment. */
function currentLook(): DiagramLook {
  const { classList } = document.body;
  const isContrast = classList.contains("vscode-high-contrast");
  const probe = el("span", "");
  document.body.append(probe);
  const color = (value: string) => {
    probe.style.color = value;
    return getComputedStyle(probe).color;
  };
  const text = color("var(--vscode-foreground)");
  const background = color("var(--vscode-textCodeBlock-background, var(--vscode-editor-background))");
  const look: DiagramLook = {
    isDark: classList.contains("vscode-dark") || (isContrast && !classList.contains("vscode-high-contrast-light")),
    font: getComputedStyle(document.body).fontFamily,
    background,
    text,
    muted: color("var(--vscode-descriptionForeground)"),
    box: isContrast ? background : color("var(--vscode-editorWidget-background)"),
    line: isContrast ? color("var(--vscode-contrastBorder)") : color("var(--vscode-descriptionForeground)"),
    accent: color("var(--vscode-focusBorder)"),
  };
  probe.remove();
  return look;
}
