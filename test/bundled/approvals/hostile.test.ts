import { beforeAll, describe, expect, it } from "vitest";
import { hostileOutcomes, type Outcome } from "../../support/hostile-outcomes.ts";
import { type HostileRow, hostileRows } from "../../support/hostile-rows.ts";

const MAX_DECLARED = 60;

const rows = hostileRows();
let outcomes: ReadonlyMap<HostileRow, Outcome>;

beforeAll(async () => {
  outcomes = await hostileOutcomes(rows);
}, 900_000);

describe("a hostile command", () => {
  it("has a table of examples that is long enough, and nearly all of them are run", () => {
    expect(rows.length).toBeGreaterThan(400);
    expect(new Set(rows.map(({ shown }) => shown)).size).toBe(rows.length);
    expect(rows.filter(({ mark }) => mark.kind === "declared").length).toBeLessThanOrEqual(MAX_DECLARED);
  });

  describe.each([...new Set(rows.map(({ kind }) => kind))])("of the kind: %s", (kind) => {
    const own = rows.filter((row) => row.kind === kind);

    it("does harm when bash runs it", () => {
      expect(own.filter((row) => outcomes.get(row)?.isHostile !== true).map(({ shown }) => shown)).toEqual([]);
    });

    it.each(own)("is not free, and no rule for something else allows it: $shown", (row) => {
      const { judgement, allowedBy } = outcomes.get(row) ?? {};
      expect({ isFree: judgement?.isFree, allowedBy }).toEqual({ isFree: false, allowedBy: [] });
      // A rule that would be proposed names what runs, where the command itself does.
      if (row.mark.kind === "touches" && /touch PWN/.test(row.command) && judgement?.proposal !== undefined) {
        expect(judgement.proposal.pattern).toContain("PWN");
      }
    });
  });
});
