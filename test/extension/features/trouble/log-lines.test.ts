import { describe, expect, test } from "vitest";
import { secretFinder } from "../../../../agent/util/secrets.ts";
import { LogLines } from "../../../../extension/features/trouble/log-lines.ts";

const at = new Date("2026-01-02T03:04:05.006Z");
const lines = () =>
  new LogLines(
    () => secretFinder(["known-secret"]),
    () => at,
  );

describe("the extension's log", () => {
  test("contains no secrets, at any level", () => {
    const log = lines();
    for (const level of ["trace", "debug", "info", "warn", "error"] as const) {
      expect(log.take(level, "agent stderr: ANTHROPIC_API_KEY=abcdefgh known-secret sk-ant-api03-abcdefgh")).toBe(
        "agent stderr: ANTHROPIC_API_KEY=[redacted] [redacted] [redacted]",
      );
    }
  });

  test("remembers its last lines above debug for a report, cut when they are long", () => {
    const log = lines();
    for (let index = 1; index <= 100; index += 1) log.take("info", `line ${index}`);
    log.take("debug", "not this");
    log.take("warn", "x".repeat(50_000));
    expect(log.last).toHaveLength(60);
    expect(log.last[0]).toBe("2026-01-02T03:04:05.006Z [info] line 42");
    expect(log.last.at(-1)).toHaveLength(1_032);
  });
});
