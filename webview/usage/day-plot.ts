import { t } from "../l10n.ts";
import { el } from "../view/common/dom.ts";
import type { Sums } from "./sums.ts";
import { dayLabel } from "./words.ts";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 640;
const HEIGHT = 160;
const LEFT = 56;
const BOTTOM = 20;
const TOP = 8;
const MAX_LABELS = 6;

/** A part of each bar; the parts are stacked in order. */
export interface Series {
  readonly name: string;
  /** Class of its color. */
  readonly look: string;
  value(day: Sums): number;
}

interface DayPlot {
  readonly title: string;
  readonly days: readonly Sums[];
  readonly series: readonly Series[];
  format(value: number): string;
}

/** Draws a bar for each day, with the same numbers in a table that the keyboard and screen readers reach. */
export function dayPlot(plot: DayPlot): HTMLElement {
  const { title, series } = plot;
  const legend = series.length < 2 ? [] : [el("ul", "legend", { "aria-hidden": "true" }, series.map(legendRow))];
  return el("section", "plot", { "aria-label": title }, [
    el("h2", "", {}, [title]),
    ...legend,
    drawing(plot),
    el("details", "", {}, [el("summary", "", {}, [t("Show as a table")]), table(plot)]),
  ]);
}

function legendRow({ name, look }: Series): HTMLElement {
  return el("li", "", {}, [el("span", `swatch ${look}`), name]);
}

function drawing({ title, days, series, format }: DayPlot): SVGElement {
  const top = niceTop(Math.max(...days.map((day) => totalOf(day, series)), 0));
  const root = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", class: "bars" });
  root.setAttribute("aria-label", t("{0}: bars for {1} days, up to {2}", title, days.length, format(top)));
  const height = (value: number) => (value / top) * (HEIGHT - BOTTOM - TOP);
  for (const part of [0, 0.5, 1]) {
    const y = HEIGHT - BOTTOM - height(top * part);
    root.append(shape("line", { class: "grid", x1: LEFT, x2: WIDTH, y1: y, y2: y }));
    root.append(label(format(top * part), { x: LEFT - 6, y: y + 4, "text-anchor": "end" }));
  }
  const step = (WIDTH - LEFT) / days.length;
  const every = Math.ceil(days.length / MAX_LABELS);
  days.forEach((day, index) => {
    const x = LEFT + index * step;
    root.append(bar(day, { x, step, series, height, format }));
    if (index % every === 0)
      root.append(
        label(dayLabel(day.name), { x: x + step / 2, y: HEIGHT - 5, "text-anchor": index === 0 ? "start" : "middle" }),
      );
  });
  return root;
}

interface BarPlace {
  readonly x: number;
  readonly step: number;
  readonly series: readonly Series[];
  height(value: number): number;
  format(value: number): string;
}

function bar(day: Sums, { x, step, series, height, format }: BarPlace): SVGElement {
  const group = shape("g", { class: "bar" });
  const hover = shape("title", {});
  const values = series.map((part) => `${series.length > 1 ? `${part.name}: ` : ""}${format(part.value(day))}`);
  hover.textContent = [dayLabel(day.name), ...values].join("\n");
  // The whole height can be pointed at, however small the bar is.
  group.append(hover, shape("rect", { class: "reach", x, y: TOP, width: step, height: HEIGHT - BOTTOM - TOP }));
  let y = HEIGHT - BOTTOM;
  for (const part of series) {
    const size = height(part.value(day));
    if (size <= 0) continue;
    y -= size;
    group.append(shape("rect", { class: part.look, x: x + step * 0.12, y, width: step * 0.76, height: size }));
  }
  return group;
}

function table({ days, series, format }: DayPlot): HTMLElement {
  const used = days.filter((day) => totalOf(day, series) > 0).toReversed();
  if (used.length === 0) return el("p", "note", {}, [t("No usage in this period.")]);
  const head = ["", ...series.map(({ name }) => name)].map((name) => el("th", "", { scope: "col" }, [name]));
  const rows = used.map((day) =>
    el("tr", "", {}, [
      el("th", "", { scope: "row" }, [dayLabel(day.name)]),
      ...series.map((part) => el("td", "number", {}, [format(part.value(day))])),
    ]),
  );
  return el("table", "", {}, [el("thead", "", {}, [el("tr", "", {}, head)]), el("tbody", "", {}, rows)]);
}

function totalOf(day: Sums, series: readonly Series[]): number {
  return series.reduce((sum, part) => sum + part.value(day), 0);
}

/** Rounds the top of an axis up to 1, 2 or 5 times a power of ten. */
function niceTop(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5].find((factor) => factor * power >= value) ?? 10) * power;
}

function shape(name: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

function label(text: string, attributes: Record<string, string | number>): SVGElement {
  const element = shape("text", { class: "axis", "aria-hidden": "true", ...attributes });
  element.textContent = text;
  return element;
}
