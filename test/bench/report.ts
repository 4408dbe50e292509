/** One line of the report. */
export interface Row {
  what: string;
  unit: "ms" | "bytes" | "px";
  measured: number;
  /** The value that `measured` is compared with. */
  floor?: number;
  /** The most that may be: of `measured / floor` when there is a floor, else of `measured`. */
  budget?: number;
}

/** A row with its judgement. */
export interface JudgedRow extends Row {
  ratio: number | undefined;
  verdict: "ok" | "over" | "–";
}

/** Compares a row with its budget. */
export function judge(row: Row): JudgedRow {
  const ratio = row.floor === undefined ? undefined : row.measured / row.floor;
  if (row.budget === undefined) return { ...row, ratio, verdict: "–" };
  return { ...row, ratio, verdict: (ratio ?? row.measured) <= row.budget ? "ok" : "over" };
}

/** Lays rows out as a table for people. */
export function formatTable(rows: readonly JudgedRow[]): string {
  const header = ["what", "measured", "floor", "ratio", "budget", ""];
  const cells = rows.map((row) => [
    row.what,
    amount(row.measured, row.unit),
    row.floor === undefined ? "–" : amount(row.floor, row.unit),
    row.ratio === undefined ? "–" : row.ratio.toFixed(2),
    budgetText(row),
    row.verdict,
  ]);
  const table = [header, ...cells];
  const widths = header.map((_title, column) => Math.max(...table.map((line) => line[column]?.length ?? 0)));
  return table
    .map((line) =>
      line
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join("  "),
    )
    .join("\n");
}

function budgetText(row: Row): string {
  if (row.budget === undefined) return "–";
  return row.floor === undefined ? amount(row.budget, row.unit) : row.budget.toFixed(2);
}

function amount(value: number, unit: Row["unit"]): string {
  if (unit === "px") return `${value.toFixed(0)} px`;
  if (unit === "ms") return `${value.toFixed(value < 10 ? 2 : 0)} ms`;
  if (value >= 1024 * 1024) return `${(value / 1024 / 1024).toFixed(1)} MiB`;
  return `${(value / 1024).toFixed(0)} KiB`;
}
