import mermaid, { type MermaidConfig } from "mermaid";
import type { DiagramImage, DiagramLook, Drawn } from "./contract.ts";

/** Longer sources are not drawn, in UTF-16 units; nor are more arrows, nor images that are longer as text. */
const MAX_SOURCE_CHARS = 8_000;
const MAX_ARROWS = 120;
const MAX_IMAGE_CHARS = 1_500_000;
const MAX_SIDE_PX = 10_000;

let number = 0;

/** Prevents requests for external images. */
class NoImage extends Image {
  constructor() {
    super();
    throw new Error("Diagrams can't load images here.");
  }
}
window.Image = NoImage;

window.tillerDiagrams = { draw };

/** Draws in the document that this script runs in, which is then free of it again. */
async function draw(source: string, look: DiagramLook): Promise<Drawn<DiagramImage>> {
  if (source.length > MAX_SOURCE_CHARS) return { ok: false, why: "It is too large." };
  number += 1;
  try {
    mermaid.initialize(configOf(look));
    const { svg } = await mermaid.render(`diagram-${number}`, source);
    return toImage(svg);
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : String(error) };
  }
}

/** Options that a diagram can't set itself: those that protect the page, and those of its appearance. */
const OWN_SETTINGS = [
  "secure",
  "securityLevel",
  "startOnLoad",
  "maxTextSize",
  "maxEdges",
  "suppressErrorRendering",
  "dompurifyConfig",
  "htmlLabels",
  "theme",
  "themeCSS",
  "fontFamily",
  "altFontFamily",
  "layout",
  "look",
];

function configOf({ isDark, font, background, text, muted, box, line, accent }: DiagramLook): MermaidConfig {
  return {
    startOnLoad: false,
    securityLevel: "strict",
    secure: OWN_SETTINGS,
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    maxTextSize: MAX_SOURCE_CHARS,
    maxEdges: MAX_ARROWS,
    suppressErrorRendering: true,
    logLevel: "fatal",
    layout: "dagre",
    look: "classic",
    fontFamily: font,
    theme: "base",
    gantt: { useWidth: 640 },
    quadrantChart: { chartWidth: 360, chartHeight: 360 },
    xyChart: { width: 420, height: 300 },
    themeVariables: {
      xyChart: { backgroundColor: background, plotColorPalette: `${accent},${line},${muted}` },
      ...ganttColors({ background, text, muted, box, line, accent }),
      darkMode: isDark,
      fontFamily: font,
      fontSize: "14px",
      background,
      mainBkg: box,
      primaryColor: box,
      primaryTextColor: text,
      primaryBorderColor: line,
      secondaryColor: background,
      secondaryTextColor: text,
      secondaryBorderColor: line,
      tertiaryColor: background,
      tertiaryTextColor: text,
      tertiaryBorderColor: muted,
      lineColor: line,
      textColor: text,
      titleColor: text,
      nodeTextColor: text,
      edgeLabelBackground: background,
      clusterBkg: background,
      clusterBorder: muted,
      noteBkgColor: background,
      noteTextColor: text,
      noteBorderColor: accent,
      errorBkgColor: background,
      errorTextColor: text,
    },
  };
}

/** Bars of a plan do not follow the colors of boxes by themselves. */
function ganttColors({ background, text, muted, box, line, accent }: Omit<DiagramLook, "isDark" | "font">) {
  return {
    taskBkgColor: box,
    taskBorderColor: line,
    activeTaskBkgColor: box,
    activeTaskBorderColor: accent,
    doneTaskBkgColor: background,
    doneTaskBorderColor: muted,
    critBkgColor: box,
    critBorderColor: accent,
    taskTextColor: text,
    taskTextLightColor: text,
    taskTextDarkColor: text,
    taskTextOutsideColor: text,
    taskTextClickableColor: text,
    gridColor: muted,
    todayLineColor: accent,
    sectionBkgColor: background,
    sectionBkgColor2: background,
    altSectionBkgColor: background,
  };
}

/** Elements that an image must not contain, whatever its source. */
const FOREIGN = "script, foreignObject, iframe, object, embed, audio, video, animate, set, image, use[href^='http']";

/** The drawing as an image that stands alone: parsed as XML in a document that is never shown, and without anything that acts. */
function toImage(drawing: string): Drawn<DiagramImage> {
  if (drawing.length > MAX_IMAGE_CHARS) return { ok: false, why: "The image is too large." };
  const { documentElement: svg } = new DOMParser().parseFromString(drawing, "image/svg+xml");
  const [, , width = 0, height = 0] = (svg.getAttribute("viewBox") ?? "").split(/[\s,]+/).map(Number);
  if (svg.localName !== "svg" || !(width > 0 && height > 0)) return { ok: false, why: "Nothing came of it." };
  if (width > MAX_SIDE_PX || height > MAX_SIDE_PX) return { ok: false, why: "The image is too large." };
  for (const element of svg.querySelectorAll(FOREIGN)) element.remove();
  for (const element of [svg, ...svg.querySelectorAll("*")]) {
    for (const { name, value } of [...element.attributes]) {
      // Parts of the image itself may be used again.
      if (/^on/i.test(name) || (/href$/i.test(name) && !value.startsWith("#"))) element.removeAttribute(name);
    }
  }
  svg.setAttribute("width", String(width));
  svg.setAttribute("height", String(height));
  svg.removeAttribute("style");
  return { ok: true, result: { svg: new XMLSerializer().serializeToString(svg), width, height } };
}
