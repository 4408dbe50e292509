import { describe, expect, test } from "vitest";
import { groupByAge, sessionTitle, shortAge } from "../../../../extension/features/sessions/session-words.ts";

const NOON = new Date(2026, 4, 20, 12).getTime();
const HOUR_MS = 3_600_000;
const summary = { path: "/s/2026.jsonl", modifiedAt: NOON, sizeBytes: 1, isOpen: false, isLocked: false };

describe("groupByAge", () => {
  test("groups by local days, newest first", () => {
    const sessions = [1, 11, 13, 35, 37, 24 * 7, 24 * 9].map((hours) => ({
      modifiedAt: NOON - hours * HOUR_MS,
      hours,
    }));
    expect(groupByAge(sessions, NOON).map(({ title, sessions: of }) => [title, of.map(({ hours }) => hours)])).toEqual([
      ["Today", [1, 11]],
      ["Yesterday", [13, 35]],
      ["Last 7 Days", [37, 168]],
      ["Older", [216]],
    ]);
  });

  test("returns nothing for nothing", () => {
    expect(groupByAge([], NOON)).toEqual([]);
  });
});

describe("shortAge", () => {
  test("uses the unit that fits", () => {
    expect(shortAge(NOON - 5_000, NOON)).toBe("now");
    expect(shortAge(NOON - 120_000, NOON)).toBe("2m");
    expect(shortAge(NOON - 5 * HOUR_MS, NOON)).toBe("5h");
    expect(shortAge(NOON - 72 * HOUR_MS, NOON)).toBe("3d");
  });

  test("treats a future time as now", () => {
    expect(shortAge(NOON + HOUR_MS, NOON)).toBe("now");
  });
});

describe("sessionTitle", () => {
  test("is the name, else the first message, else the file's name", () => {
    expect(sessionTitle({ ...summary, name: "Kettle", firstMessage: "Boil" })).toBe("Kettle");
    expect(sessionTitle({ ...summary, firstMessage: "Boil" })).toBe("Boil");
    const attached = `Boil <attached key="0123456789abcdef"> What is attached here is`;
    expect(sessionTitle({ ...summary, firstMessage: attached })).toBe("Boil");
    expect(sessionTitle(summary)).toBe("2026.jsonl");
  });
});
