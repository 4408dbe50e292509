import { EDIT_CASES } from "../support/edit-cases.ts";
import { runEditCases } from "../support/edit-figures.ts";
import type { Row } from "./report.ts";

/** Runs edits as models write them: what the tool makes of them, and how often a refusal shows the place that was meant. */
export async function* edits(): AsyncGenerator<Row> {
  const ends = await runEditCases(EDIT_CASES);
  const count = (outcome: string) => ends.filter((end) => end.outcome === outcome).length;
  const refused = count("refused");
  const shown = ends.filter(({ showsPlaces }) => showsPlaces).length;
  const unit = "cases";
  yield* [
    { what: `edits of ${new Set(EDIT_CASES.map(({ kind }) => kind)).size} kinds`, unit, measured: ends.length },
    { what: "  applied right", unit, measured: count("right") },
    { what: "  applied wrong", unit, measured: count("wrong"), budget: 0 },
    { what: "  refused", unit, measured: refused },
    { what: "  refusals that show the place, of all refusals", unit, measured: shown, floor: refused, atLeast: 0.95 },
  ];
}
