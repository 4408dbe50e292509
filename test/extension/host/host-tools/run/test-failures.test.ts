import { describe, expect, it } from "vitest";
import { describeRun } from "../../../../../extension/host/host-tools/run/test-failures.ts";

const failure = (name: string) => `<testFailure name="${name}" path="">\n<message>\nNo.\n</message>\n</testFailure>\n`;

describe("a test run", () => {
  it("has no results in an editor that reports none", () => {
    expect(describeRun(undefined)).toMatch(
      /The results are in the Testing view; to read them, run the tests with bash/,
    );
  });

  it.each(["", "No test failures were found yet."])("without failures is reported as such: %j", (failures) => {
    expect(describeRun(failures)).toMatch(/No test failed\.$/);
  });

  it("is reported with the number of failures, and the editor's words", () => {
    const text = describeRun(failure("adds") + failure("takes <testFailure > away"));
    expect(text).toMatch(/last run 2 tests failed:\n<testFailure name="adds" path="">\n<message>\nNo\.\n/);
  });

  it("with very many failures is cut, and says how many are left out", () => {
    const text = describeRun(failure("adds").repeat(1_000));
    expect(Buffer.byteLength(text)).toBeLessThan(16 * 1_024);
    expect(text).toMatch(/1000 tests failed:.*\n\[\d+ more lines\.\]$/s);
  });
});
