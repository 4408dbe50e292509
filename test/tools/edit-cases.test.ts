import { beforeAll, describe, expect, it } from "vitest";
import { EDIT_CASES } from "../support/edit-cases.ts";
import { type EditEnd, runEditCases } from "../support/edit-figures.ts";

describe("edits as models write them", () => {
  let ends: EditEnd[] = [];

  beforeAll(async () => {
    ends = await runEditCases(EDIT_CASES);
  });

  /** Returns the kinds of the cases that fail a test, with what the model was told. */
  const kinds = (failed: (end: EditEnd) => boolean) =>
    ends.filter(failed).map(({ edit, text }) => `${edit.kind}: ${text}`);

  it("are never applied in another way than they are meant", () => {
    expect(kinds(({ outcome }) => outcome === "wrong")).toEqual([]);
  });

  it("are applied when their meaning is plain, and refused otherwise", () => {
    const wanted = { applied: "right", refused: "refused" } as const;
    expect(kinds(({ edit, outcome }) => outcome !== wanted[edit.outcome])).toEqual([]);
    expect(new Set(EDIT_CASES.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(37);
  });

  it("are refused with the place that they mean, in at least 95 of 100 cases", () => {
    const refused = ends.filter(({ outcome }) => outcome === "refused");
    const without = refused.filter(({ showsPlaces }) => !showsPlaces);
    expect(refused.length).toBeGreaterThan(100);
    expect(without.length / refused.length).toBeLessThanOrEqual(0.05);
  });
});
