import { describe, expect, test } from "vitest";
import { shownUsage, usageCsv } from "../../../../extension/features/usage/shown-usage.ts";

const sums = { requests: 1, input: 2, output: 3, cacheRead: 4, cacheWrite: 5, costUsd: 0.1 + 0.2 };

describe("shownUsage", () => {
  test("has every day of the range, over the end of a month, and titles for sessions", () => {
    const session = { path: "/s/a.jsonl", id: "a", project: "/w", modifiedAt: 1, ...sums };
    const usage = { rows: [], tools: [], sessionCount: 2, unreadableCount: 0 };
    const sessions = [{ ...session, firstMessage: "Fix **this** in @src/a.ts" }, session];
    const shown = shownUsage({ ...usage, sessions }, 3, new Date(2026, 2, 1, 9).getTime());
    expect(shown.calendar).toEqual(["2026-02-27", "2026-02-28", "2026-03-01"]);
    expect(shown.sessions.map(({ title }) => title)).toEqual(["Fix this in a.ts", "Untitled"]);
  });
});

describe("usageCsv", () => {
  test("has a line for each row in the order of days, with texts that no spreadsheet runs", () => {
    const rows = [
      { day: "2026-05-02", project: 'C:\\a "b", c', model: "=1+1", ...sums },
      { day: "2026-05-01", project: "/w", model: "acme/m", ...sums },
    ];
    expect(usageCsv({ rows })).toBe(
      "day,project,model,requests,input,output,cache_read,cache_write,cost_usd\r\n" +
        "2026-05-01,/w,acme/m,1,2,3,4,5,0.3\r\n" +
        `2026-05-02,"C:\\a ""b"", c",'=1+1,1,2,3,4,5,0.3\r\n`,
    );
  });
});
