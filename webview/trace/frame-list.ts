import { formatNumber, t } from "../l10n.ts";
import type { TraceRow } from "../protocol/trace.ts";
import { el } from "../view/common/dom.ts";

/** Height of a row, and of the names above them that stay in sight, in CSS pixels, as the style sheet has them. */
const ROW_PX = 22;
const HEAD_PX = 23;
/** Rows that are drawn beyond what can be seen, on each side. */
const SPARE_ROWS = 8;
/** The distance from the end that counts as the end. */
const END_PX = 4;

/** The table of frames: only the rows that can be seen are in the document. */
export interface FrameList {
  readonly element: HTMLElement;
  /** Shows these rows. Who was at the end stays there; others stay where they are, also when `gone` rows have left at the top. */
  show(rows: readonly TraceRow[], gone: number): void;
  focus(): void;
}

interface FrameListOptions {
  selected(row: TraceRow): void;
  /** The selected frame is to be read. */
  opened(): void;
}

/** Makes the table; it draws when it is in the document. */
export function createFrameList({ selected, opened }: FrameListOptions): FrameList {
  const drawn = el("div", "rows", { role: "rowgroup" });
  const space = el("div", "space", { role: "presentation" }, [drawn]);
  const grid = el("div", "frames", { role: "grid", tabindex: "0", "aria-label": t("Frames") }, [headRow(), space]);
  const clock = createClock();
  let rows: readonly TraceRow[] = [];
  let selectedSeq = 0;

  function draw(): void {
    const first = Math.max(0, Math.floor(grid.scrollTop / ROW_PX) - SPARE_ROWS);
    const count = Math.ceil(grid.clientHeight / ROW_PX) + 2 * SPARE_ROWS;
    const shown = rows.slice(first, first + count);
    drawn.style.transform = `translateY(${first * ROW_PX}px)`;
    drawn.replaceChildren(
      ...shown.map((row, index) => rowElement(row, first + index + 2, row.seq === selectedSeq, clock)),
    );
    if (shown.some(({ seq }) => seq === selectedSeq))
      grid.setAttribute("aria-activedescendant", `frame-${selectedSeq}`);
    else grid.removeAttribute("aria-activedescendant");
  }
  function select(index: number): void {
    const row = rows[Math.max(0, Math.min(index, rows.length - 1))];
    if (row === undefined) return;
    selectedSeq = row.seq;
    const top = rows.indexOf(row) * ROW_PX;
    if (top < grid.scrollTop) grid.scrollTop = top;
    grid.scrollTop = Math.max(grid.scrollTop, HEAD_PX + top + ROW_PX - grid.clientHeight);
    draw();
    selected(row);
  }
  grid.addEventListener("scroll", draw);
  new ResizeObserver(draw).observe(grid);
  grid.addEventListener("click", ({ target }) => {
    const row = target instanceof Element ? target.closest<HTMLElement>("[data-seq]") : null;
    if (row !== null) select(rows.findIndex(({ seq }) => seq === Number(row.dataset.seq)));
  });
  grid.addEventListener("keydown", (event) => {
    const at = rows.findIndex(({ seq }) => seq === selectedSeq);
    const page = Math.max(1, Math.floor(grid.clientHeight / ROW_PX) - 2);
    const target = targetOf(event.key, { at, page, last: rows.length - 1 });
    if (target === undefined && event.key !== "Enter") return;
    event.preventDefault();
    if (target === undefined) opened();
    else select(target);
  });
  return {
    element: grid,
    focus: () => grid.focus(),
    show(next, gone) {
      const isAtEnd = grid.scrollHeight - grid.clientHeight - grid.scrollTop <= END_PX;
      const { scrollTop } = grid;
      rows = next;
      space.style.height = `${rows.length * ROW_PX}px`;
      grid.setAttribute("aria-rowcount", String(rows.length + 1));
      grid.scrollTop = isAtEnd ? grid.scrollHeight : Math.max(0, scrollTop - gone * ROW_PX);
      draw();
    },
  };
}

/** Writes times to the millisecond. */
function createClock(): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(document.documentElement.lang, {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
    hourCycle: "h23",
  });
}

/** Returns the new selection after a key; undefined for keys that don't move it. */
function targetOf(key: string, { at, page, last }: { at: number; page: number; last: number }): number | undefined {
  const targets: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowUp: at === -1 ? last : at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: last,
  };
  return targets[key];
}

function headRow(): HTMLElement {
  const names = [t("Time"), t("Direction"), t("Type"), t("ID"), t("Size")];
  const classes = ["time", "direction", "type", "id", "size"];
  const cells = names.map((name, index) =>
    el("span", `cell ${classes[index]}`, { role: "columnheader" }, [
      el("span", index === 1 ? "visually-hidden" : "", {}, [name]),
    ]),
  );
  return el("div", "head", { role: "rowgroup" }, [el("div", "row", { role: "row", "aria-rowindex": "1" }, cells)]);
}

function rowElement(row: TraceRow, index: number, isSelected: boolean, clock: Intl.DateTimeFormat): HTMLElement {
  const { seq, at, direction, type, id, size } = row;
  const cell = (name: string, text: string, attributes: Record<string, string> = {}) =>
    el("span", `cell ${name}`, { role: "gridcell", ...attributes }, [text]);
  const words = { in: t("from the agent"), out: t("to the agent"), host: t("by Tiller") }[direction];
  const arrow = { in: "←", out: "→", host: "•" }[direction];
  const attributes = {
    role: "row",
    id: `frame-${seq}`,
    "data-seq": String(seq),
    "aria-rowindex": String(index),
    "aria-selected": String(isSelected),
  };
  return el("div", `row is-${direction}`, attributes, [
    cell("time", clock.format(at)),
    cell("direction", arrow, { title: words, "aria-label": words }),
    cell("type", type, { title: type }),
    cell("id", id, { title: id }),
    cell("size", formatNumber(size)),
  ]);
}
