/** Wide enough for what is measured today; the rows are printed one by one. */
const COLUMN_CHARS = [70, 9, 9, 5, 8, 4] as const;

/** One line of the report. */
export interface Row {
  what: string;
  unit: "ms" | "bytes" | "px" | "cases";
  measured: number;
  /** The value that `measured` is compared with. */
  floor?: number;
  /** The most that may be: of `measured / floor` when there is a floor, else of `measured`. */
  budget?: number;
  /** The least that may be of `measured / floor`, instead of a budget. */
  atLeast?: number;
}

/** A row with its judgement. */
export interface JudgedRow extends Row {
  ratio: number | undefined;
  verdict: "ok" | "over" | "–";
}

/** Compares a row with its budget. */
export function judge(row: Row): JudgedRow {
  const ratio = row.floor === undefined ? undefined : row.measured / row.floor;
  if (row.atLeast !== undefined) return { ...row, ratio, verdict: (ratio ?? 1) >= row.atLeast ? "ok" : "over" };
  if (row.budget === undefined) return { ...row, ratio, verdict: "–" };
  return { ...row, ratio, verdict: (ratio ?? row.measured) <= row.budget ? "ok" : "over" };
}

/** The titles of the columns, as wide as `formatRow` makes these. */
export const TABLE_HEADER = formatCells(["what", "measured", "floor", "ratio", "budget", ""]);

/** Lays a row out for people, as one line of a table. */
export function formatRow(row: JudgedRow): string {
  return formatCells([
    row.what,
    amount(row.measured, row.unit),
    row.floor === undefined ? "–" : amount(row.floor, row.unit),
    row.ratio === undefined ? "–" : row.ratio.toFixed(2),
    budgetText(row),
    row.verdict,
  ]);
}

function formatCells(cells: readonly string[]): string {
  return cells
    .map((cell, column) => (column === 0 ? cell.padEnd(COLUMN_CHARS[0]) : cell.padStart(COLUMN_CHARS[column] ?? 0)))
    .join("  ");
}

function budgetText(row: Row): string {
  if (row.atLeast !== undefined) return `≥ ${row.atLeast.toFixed(2)}`;
  if (row.budget === undefined) return "–";
  return row.floor === undefined ? amount(row.budget, row.unit) : row.budget.toFixed(2);
}

function amount(value: number, unit: Row["unit"]): string {
  if (unit === "cases") return value.toFixed(0);
  if (unit === "px") return `${value.toFixed(0)} px`;
  if (unit === "ms") return `${value.toFixed(value < 10 ? 2 : 0)} ms`;
  if (value >= 1024 * 1024) return `${(value / 1024 / 1024).toFixed(1)} MiB`;
  return `${(value / 1024).toFixed(0)} KiB`;
}
