import { describe, expect, it } from "vitest";
import {
  ageText,
  count,
  grouped,
  listText,
  nextArgument,
  reportText,
} from "../../../../extension/host/host-tools/listing.ts";

const lines = Array.from({ length: 2_000 }, (_, index) => `line ${index} ${"x".repeat(20)}`);

describe("a list for the model", () => {
  it("is complete when it fits", () => {
    expect(listText({ title: "2 files:", lines: ["a", "b"], next: undefined })).toBe("2 files:\na\nb");
  });

  it("continues with next when it does not fit, and every line comes once", () => {
    const seen: string[] = [];
    let next: string | undefined;
    do {
      const page: string = listText({ title: "Lines:", lines, next });
      expect(Buffer.byteLength(page)).toBeLessThan(16 * 1024);
      seen.push(...page.split("\n").slice(1, -1));
      next = /next: "(\d+)"\]$/.exec(page)?.[1];
    } while (next !== undefined);
    expect(seen).toEqual(lines);
  });

  it("cuts an endless line, and shows nothing after it", () => {
    const [, line] = listText({ title: "One:", lines: ["y".repeat(5_000)], next: undefined }).split("\n");
    expect(line).toBe(`${"y".repeat(1_000)}…`);
    expect(listText({ title: "One:", lines: ["a"], next: "7" })).toBe("One:\n[Lines 2-1 of 1.]");
  });

  it("accepts as next only values that it returned", () => {
    expect(["12", "", "-1", "1e9", "99999999999"].map((next) => nextArgument.safeParse(next).success)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  it("of actions says how many lines are left out, since it cannot be continued", () => {
    expect(reportText("Saved 1 file:", ["a.ts"])).toBe("Saved 1 file:\na.ts");
    const report = reportText("Renamed:", lines).split("\n");
    expect(report.at(-1)).toBe(`[${2_000 - (report.length - 2)} more lines.]`);
  });

  it("counts in words", () => {
    expect([count(1, "file"), count(0, "file"), count(2, "match", "matches")]).toEqual([
      "1 file",
      "0 files",
      "2 matches",
    ]);
  });
});

it("ageText() shows a past time in its largest fitting unit", () => {
  expect([-5, 400, 1_400, 119_000, 120_000, 7_000_000, 7_200_000].map(ageText)).toEqual([
    "0 seconds",
    "0 seconds",
    "1 second",
    "119 seconds",
    "2 minutes",
    "117 minutes",
    "2 hours",
  ]);
});

it("grouped() groups things by a key, in the order in which they came", () => {
  expect([...grouped(["b1", "a1", "b2"], ([key]) => key)]).toEqual([
    ["b", ["b1", "b2"]],
    ["a", ["a1"]],
  ]);
});
